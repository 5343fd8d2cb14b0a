// Tests of a command that moves folders, so that protected files are elsewhere when another command starts.
// tier: full
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { waitUntil } from '../../support/wait.ts'
import { type SandboxFixture, SECRET, startSandboxFixture } from './fixture.ts'

/** Starts a command that ends once `go` exists, and waits for its first action. */
async function begun(world: SandboxFixture, command: string) {
  const running = world.run(command)
  await waitUntil('the command to begin', () => world.exists('workspace/began'))
  return async () => {
    world.write('workspace/go', '')
    return running
  }
}

t.test("moving a secret's folder as a command starts does not reveal it", needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  world.write('workspace/moved/deep/.env', `TOKEN=${SECRET}`)
  const end = await begun(
    world,
    `touch began; python3 -c "
import os
while not os.path.exists('go'):
    for old, new in (('moved', 'other'), ('other', 'moved')):
        try: os.rename(old, new)
        except OSError: pass"`
  )
  for (let i = 0; i < 40; i++) {
    const level = i % 2 ? 'workspace' : 'read-only'
    const look = 'for i in {1..50}; do cat moved/deep/.env other/deep/.env; done'
    const result = await world.run(look, { level }).catch((error: Error) => ({ output: error.message }))
    t.notMatch(result.output, SECRET, `${i}`)
  }
  await end()
  t.ok(world.exists('workspace/moved/deep/.env'))
})

t.test('folders with secrets or auto-run files cannot be moved', needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  const files = ['app/deep/.env', 'fix/.github/workflows/a.yml', 'old/.git/config']
  for (const file of files) world.write(`workspace/${file}`, 'before')
  world.write('workspace/plain/a', '')
  const script = `
import os
for old, new in (('app', 'x'), ('app/deep', 'x'), ('fix/.github', '.github'), ('fix', 'x'), ('old', 'x')):
    try:
        os.rename(old, new)
        print('MOVED', old)
    except OSError:
        pass`
  t.match(await world.python(script), { output: '', exit_code: 0 })
  t.match(await world.run('mv fix/.github .'), { quarantined: ['.github/workflows'] }, 'it becomes a copy')
  t.match(await world.run('mv plain app/deep && mv app/deep/plain/a old/a && ls old'), { output: 'a\n' })
  for (const file of files) t.equal(world.read(`workspace/${file}`), 'before', file)
})

t.test('a folder swapped for a link as a command starts leads nowhere', needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  const end = await begun(
    world,
    `mkdir -p a b; touch a/.envrc; ln -s ../outside link; touch began
     python3 -c "
import ctypes, os
libc = ctypes.CDLL(None)
while not os.path.exists('go'): libc.renameat2(-100, b'a', -100, b'link', 2)"`
  )
  for (let i = 0; i < 40; i++)
    await world.run('for place in a link; do echo x >$place/new; cat $place/canary; done').then(
      ({ output }) => t.notMatch(output, SECRET, `${i}`),
      (error: Error) => t.match(error, { code: /^(STALE_FILE|SANDBOX_UNAVAILABLE)$/ })
    )
  await end()
  t.notOk(world.exists('outside/new'))
})
