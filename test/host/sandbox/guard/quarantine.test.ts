// Tests of the quarantine of files left by sandboxed commands: failures to move them, and retention.
// tier: full
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import { pino } from 'pino'
import t from 'tap'
import { defaultSettings } from '../../../../src/config/merge.ts'
import { quarantine } from '../../../../src/host/sandbox/guard/quarantine.ts'
import { sweepQuarantine } from '../../../../src/host/sandbox/guard/quarantine-sweep.ts'
import { startApp } from '../../../start-app.ts'
import { needs } from '../../../support/needs.ts'
import { startSandboxFixture } from '../fixture.ts'

const MEMORY_FOLDER = '/dev/shm'
const needsMemoryFolder = existsSync(MEMORY_FOLDER) ? {} : { skip: `there is no ${MEMORY_FOLDER}` }

const RUNNING = 'state/sandbox/running/99-1'

t.test('reports what cannot be moved, and the next commands run', needs('bwrap'), async t => {
  const world = await startSandboxFixture(t)
  world.write('state/quarantine', 'no folder')
  world.write(RUNNING, JSON.stringify({ root: world.root, identities: [] }))
  world.write('workspace/.vscode/tasks.json', '{}')
  t.strictSame(await world.sandbox.recover(world.workspace), {
    quarantined: [],
    unchecked:
      'Some files could not be moved to the quarantine folder and are still in the workspace: .vscode (ENOTDIR).'
  })
  t.match(await world.run('mkdir .husky; echo ran'), { stdout: 'ran\n', exit_code: 0, quarantined: [] })
  t.ok(existsSync(path.join(world.root, '.husky')))
  rmSync(world.at('state/quarantine'))
  t.match(await world.run('mkdir .idea'), { quarantined: ['.idea'] })
})

t.test('a link swapped for a folder leads nothing outside', needs('bwrap'), async t => {
  const { workspace, at, exists } = await startSandboxFixture(t)
  const within = (name: string) => path.join(workspace.root, name)
  symlinkSync(at('outside'), within('.vscode'))
  const names = Object.assign(['.vscode', '.vscode/planted'], {
    *[Symbol.iterator]() {
      yield '.vscode'
      mkdirSync(within('.vscode'))
      writeFileSync(within('.vscode/planted'), 'x')
      yield '.vscode/planted'
    }
  })
  const { quarantined } = await quarantine(workspace, names, at('state/quarantine'))
  t.strictSame(quarantined, ['.vscode', '.vscode/planted'])
  t.notOk(exists('outside/planted'))
  t.notOk(exists('workspace/.vscode/planted'))
})

/** Makes folders in folders, deeper than a path can be, with a file in each and one hard link. */
const DIG = `
import os
open('plain', 'w').write('plain')
os.makedirs('lib/node_modules'); os.chdir('lib/node_modules')
top = os.open('../..', os.O_RDONLY)
for i in range(100):
    os.mkdir('d' * 150); os.chdir('d' * 150)
    open('file', 'w').write('x')
os.link('plain', 'linked', src_dir_fd=top)
`

const findNames = (folder: string) =>
  execaSync('find', [folder, '-mindepth', '1', '-printf', '%f %n\\n'], { lines: true }).stdout

t.test('moves a tree that is too deep for a path, in parts', needs('python3'), async t => {
  const { workspace, at } = await startSandboxFixture(t)
  execaSync('python3', ['-c', DIG], { cwd: workspace.root })
  const report = await quarantine(workspace, ['lib/node_modules'], at('state/quarantine'))
  t.match(report, { quarantined: ['lib/node_modules'], unchecked: undefined })
  t.strictSame(findNames(workspace.root), ['lib 2', 'plain 1'])
  const found = findNames(at('state/quarantine'))
  t.equal(found.filter(one => one === 'file 1').length, 100)
  t.ok(found.includes('linked 1'), 'a link gets content of its own')
  t.equal(await sweepQuarantine(at('state/quarantine'), { before: Date.now(), max_bytes: 0 }), 1)
  t.strictSame(readdirSync(at('state/quarantine')), [])
})

t.test('removes such a tree that is on another file system', { ...needs('python3'), ...needsMemoryFolder }, async t => {
  const { workspace } = await startSandboxFixture(t)
  execaSync('python3', ['-c', DIG], { cwd: workspace.root })
  const folder = mkdtempSync(path.join(MEMORY_FOLDER, 'quarantine-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  t.match(await quarantine(workspace, ['lib/node_modules'], folder), { quarantined: ['lib/node_modules'] })
  t.strictSame(findNames(workspace.root), ['lib 2', 'plain 1'])
  t.ok(findNames(folder).includes('file 1'), 'the upper part is copied')
})

t.test('a server survives a failed cleanup at start', needs('bwrap'), async t => {
  const lines: { msg: string; unchecked?: string }[] = []
  const told = Promise.withResolvers<void>()
  const log = pino(
    { level: 'info' },
    {
      write(line: string) {
        lines.push(JSON.parse(line))
        if (lines.some(({ unchecked }) => unchecked)) told.resolve()
      }
    }
  )
  const world = await startSandboxFixture(t)
  world.write('ws/.vscode/tasks.json', '{}')
  world.write(RUNNING, JSON.stringify({ root: world.at('ws'), identities: [] }))
  world.write('state/quarantine', 'no folder')
  const app = await startApp(t, {}, { settings: { sandbox: defaultSettings().sandbox }, folder: world.at(), log })
  await told.promise
  const asked = await app.call('shell_exec', { command: 'echo hi >b.txt' })
  const done = await app.post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, {
    digest: asked.approval.digest,
    confirm: true
  })
  t.match(done, { status: 'success', result: { data: { exit_code: 0, isolation: 'workspace' } } })
})

t.test('removes expired entries, and the oldest beyond the size limit', needs('bwrap'), async t => {
  const world = await startSandboxFixture(t)
  const folder = world.at('state/quarantine')
  const limits = { before: Date.now() - 14 * 86_400_000, max_bytes: 2_500 }
  t.equal(await sweepQuarantine(folder, limits), 0, 'nothing is there yet')
  world.write('outside/large', 'x'.repeat(10_000))
  const days = { ancient: 15, old: 3, older: 4, young: 1 }
  for (const [name, age] of Object.entries(days)) {
    world.write(`state/quarantine/${name}/.vscode/deep/tasks.json`, 'x'.repeat(1_000))
    symlinkSync(world.at('outside'), world.at(`state/quarantine/${name}/.idea`))
    const since = new Date(Date.now() - age * 86_400_000)
    utimesSync(world.at(`state/quarantine/${name}`), since, since)
  }
  t.equal(await sweepQuarantine(folder, limits), 2)
  t.strictSame(readdirSync(folder).toSorted(), ['old', 'young'])
  t.equal(await sweepQuarantine(folder, limits), 0)
  t.ok(world.exists('outside/large'))
})
