// Tests of concurrent changes to protected names by others: not attributed to sandboxed commands.
// tier: full
import { mkdirSync, renameSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { waitUntil } from '../../support/wait.ts'
import { type SandboxFixture, startSandboxFixture } from './fixture.ts'

/** Runs a command until `go` exists, then its given ending. */
async function during(world: SandboxFixture, others: () => unknown, then = 'true') {
  const running = world.run(`touch began; while [ ! -e go ]; do sleep 0.01; done; ${then}`)
  let ended = false
  running.then(
    () => (ended = true),
    () => (ended = true)
  )
  await waitUntil('the command to begin', () => ended || world.exists('workspace/began'))
  if (ended) throw new Error(`It ended at once: ${JSON.stringify(await running)}`)
  await others()
  world.write('workspace/go', '')
  return running
}

/** Saves like an editor. */
function saved(world: SandboxFixture, name: string, content: string) {
  world.write(`workspace/${name}.tmp`, content)
  renameSync(path.join(world.root, `${name}.tmp`), path.join(world.root, name))
}

t.test('quarantines the replacement of a protected file, and restores the file', needs('bwrap'), async t => {
  const world = await startSandboxFixture(t)
  for (const name of ['.gitattributes', 'deep/er/.envrc', '.github/workflows/a.yml'])
    world.write(`workspace/${name}`, 'before\n')
  // Replacing such a file removes the mount over it, and the command may write there.
  const { quarantined, quarantine_folder } = await during(
    world,
    () => {
      for (const name of ['.gitattributes', 'deep/er/.envrc', '.github/workflows/a.yml']) saved(world, name, 'theirs\n')
    },
    'echo planted >.gitattributes; mkdir .idea'
  )
  t.strictSame(quarantined.toSorted(), ['.gitattributes', '.idea', 'deep/er/.envrc'])
  for (const name of ['.gitattributes', 'deep/er/.envrc']) t.equal(world.read(`workspace/${name}`), 'before\n', name)
  t.equal(world.read('workspace/.github/workflows/a.yml'), 'theirs\n')
  execaSync('cp', ['-a', `${quarantine_folder}/.`, world.root])
  t.equal(world.read('workspace/.gitattributes'), 'planted\n')
  t.equal(world.read('workspace/deep/er/.envrc'), 'theirs\n', 'one command brings it back')
})

t.test('does not recreate a file moved with its folder', needs('bwrap'), async t => {
  const world = await startSandboxFixture(t)
  world.write('workspace/sub/.envrc', 'before\n')
  const move = () => renameSync(path.join(world.root, 'sub'), path.join(world.root, 'gone'))
  t.match(await during(world, move, 'mkdir sub; echo planted >sub/.envrc'), { quarantined: ['sub/.envrc'] })
  t.notOk(world.exists('workspace/sub/.envrc'))
  t.equal(world.read('workspace/gone/.envrc'), 'before\n')
})

t.test('keeps the files of a concurrent unsandboxed command', needs('bwrap'), async t => {
  const world = await startSandboxFixture(t)
  const make = 'git init -q sub && mkdir .husky && echo x >.husky/pre-commit'
  const one = during(world, () => world.run(make, { level: 'none' }), 'mkdir .idea')
  t.match(await one, { quarantined: ['.idea'] })
  for (const name of ['sub/.git/config', '.husky/pre-commit']) t.ok(world.exists(`workspace/${name}`), name)

  const other = await startSandboxFixture(t)
  const waits = 'touch first; while [ ! -e then ]; do sleep 0.01; done; mkdir .husky'
  const first = other.run(waits, { level: 'none' })
  await waitUntil('the other command to begin', () => other.exists('workspace/first'))
  const kept = during(other, async () => {
    other.write('workspace/then', '')
    await first
  })
  t.match(await kept, { quarantined: [] })
  t.ok(other.exists('workspace/.husky'), 'also where it began before the kept one')
})

t.test('attributes files planted before the other began to their command', needs('bwrap'), async t => {
  const world = await startSandboxFixture(t)
  const planting = world.run('mkdir .husky; touch began; while [ ! -e go ]; do sleep 0.01; done')
  await waitUntil('the command to begin', () => world.exists('workspace/began'))
  await world.run('mkdir .vscode', { level: 'none' })
  world.write('workspace/go', '')
  t.match(await planting, { quarantined: ['.husky'] })
  t.ok(world.exists('workspace/.vscode'))
})

t.test("does not attribute a call's writes during the scan to a command", needs('bwrap'), async t => {
  const world = await startSandboxFixture(t)
  for (let i = 0; i < 1_000; i++) mkdirSync(path.join(world.root, `many/${i}`), { recursive: true })
  const running = world.run('true')
  const turns: string[] = []
  // In every turn of the loop while the command starts, so that some are within the check.
  while (!(await Promise.race([running.then(() => true), new Promise(resolve => setImmediate(resolve, false))]))) {
    const name = `many/${turns.length}/.envrc`
    if (turns.length === 1_000) continue
    world.write(`workspace/${name}`, '')
    world.sandbox.noteOwnWrite(world.workspace, name)
    turns.push(name)
  }
  t.strictSame((await running).quarantined, [])
  t.not(turns.length, 0)
})

t.test('does not attribute files made after the commands of a killed server ended', needs('bwrap'), async t => {
  const world = await startSandboxFixture(t)
  const file = 'state/sandbox/running/99-1'
  world.write(file, JSON.stringify({ root: world.root, identities: [] }))
  world.write('workspace/.vscode/tasks.json', '{}')
  const longAgo = new Date(Date.now() - 3_600_000)
  utimesSync(world.at(file), longAgo, longAgo)
  t.strictSame(await world.sandbox.recover(world.workspace), { quarantined: [] })
  t.notOk(world.exists(file))
  t.ok(world.exists('workspace/.vscode'))
})
