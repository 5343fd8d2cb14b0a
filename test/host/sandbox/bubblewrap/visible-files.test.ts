// Tests of the files visible to sandboxed commands: derived from the server's own search path and home, never from a call's
// variables.
// tier: full
import { chmodSync, rmSync, symlinkSync } from 'node:fs'
import t from 'tap'
import { defaultSettings } from '../../../../src/config/merge.ts'
import { startApp } from '../../../start-app.ts'
import { needs } from '../../../support/needs.ts'
import { SECRET, startSandboxFixture } from '../fixture.ts'

const USUAL = '/usr/local/bin:/usr/bin:/bin'

t.test('the variables of a call make nothing more visible', needs('sandbox', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  world.write('outside/deep/note.txt', SECRET)
  world.write('home/notes/note.txt', SECRET)
  const look = `cd ${world.top} && cat outside/canary outside/deep/note.txt state/journal token home/notes/note.txt home/.ssh/id_ed25519`
  const before = (path: string) => ({ PATH: `${path}:${USUAL}` })
  const attempts: Record<string, string>[] = [
    before(world.at('outside')),
    before(world.at('state')),
    before(world.at('home')),
    before(world.top),
    before(`${world.at('outside')}/../outside/deep`),
    { ...before(world.at('home')), HOME: '/x' },
    { ...before(world.top), HOME: '/x' },
    { ...before('/'), HOME: '/x' },
    { ...before(world.at('outside')), HOME: world.at('outside') },
    { HOME: world.root },
    { HOME: '/etc' }
  ]
  for (const level of ['workspace', 'read-only'] as const)
    for (const env of attempts) {
      const { output } = await world.run(`${look}; grep daemon: /etc/passwd /etc/shadow; ls ${world.root}/a`, {
        level,
        env
      })
      t.notMatch(output, SECRET, `${level} ${JSON.stringify(env)}`)
      t.notMatch(output, 'daemon:', `${level} ${JSON.stringify(env)}`)
    }
})

t.test('not even the real /etc', needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  const { stdout } = await world.run('grep -c "" /etc/passwd', { env: { PATH: `/etc:${USUAL}` } })
  t.ok(Number(stdout) < 5, stdout)
})

t.test('a call with such variables requires approval, and sees nothing more', needs('sandbox', 'python3'), async t => {
  const app = await startApp(t, {}, { settings: { sandbox: defaultSettings().sandbox } })
  const params = { language: 'bash', code: `ls ${app.folder}/state 2>/dev/null; echo "$HOME"` }
  t.match(await app.call('run_code', { ...params, env: { MINE: 'x' } }), { approved_by: { source: 'auto' } })
  for (const env of [{ PATH: `${app.folder}/state:${USUAL}` }, { HOME: '/x', PATH: `${app.folder}:${USUAL}` }]) {
    const asked = await app.call('run_code', { ...params, env })
    t.match(asked, { status: 'awaiting_approval', approval: { level: 'strict' } })
    const { digest } = asked.approval
    const { result } = await app.post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest, confirm: true })
    t.match(result.data, { isolation: 'read-only' })
    t.match(result.data.stdout, /^[^\n]*\n$/, 'nothing is listed')
  }
})

t.test("the server's programs are visible, but not the secrets among them", needs('sandbox', 'python3'), async t => {
  const world = await startSandboxFixture(t, {
    programs: at => [
      at('scripts'),
      at('home/project/bin'),
      at('home/packages/node_modules/.bin'),
      at('other/.aws/bin'),
      at('home/share/bin'),
      at('other/.pyenv/shims'),
      at('home'),
      at('.'),
      at('workspace/tools'),
      at('gone'),
      at('fleeting'),
      '/etc',
      '/tmp',
      '/'
    ]
  })
  const program = (name: string, says: string) => {
    world.write(name, `#!/bin/sh\necho ${says}\n`)
    chmodSync(world.at(name), 0o755)
  }
  program('scripts/mine', 'mine')
  program('home/project/bin/built', 'built')
  program('other/.pyenv/shims/snake', 'snake')
  world.write('home/project/lib/part', 'part')
  world.write('home/share/bin/tool', '')
  world.write('home/share/lib/part', '')
  world.write('other/.pyenv/versions/3/part', 'part')
  const secrets = [
    'scripts/.env',
    'scripts/a/b/c/.env',
    'home/project/config/.npmrc',
    'home/project/lib/deep/id_rsa',
    'home/packages/node_modules/.npmrc',
    'other/.aws/bin/whatever',
    'home/share/deep/.npmrc',
    'other/.aws/bin/deep/whatever',
    'home/project/lib/cert.pem/whatever'
  ]
  for (const name of secrets) world.write(name, SECRET)
  const published = [
    'home/project/node_modules/ours/lib/public.pem',
    'home/packages/node_modules/theirs/lib/public.pem'
  ]
  for (const name of published) world.write(name, 'public')
  world.write('home/packages/node_modules/.bin/tool', '')
  symlinkSync(world.at('outside/canary'), world.at('scripts/linked.env'))
  world.write('scripts/plain', SECRET)
  symlinkSync('plain', world.at('scripts/near.env'))
  symlinkSync('gone', world.at('scripts/dangling.env'))
  world.write('fleeting/x', '')
  const cat = (...names: string[]) => `cat ${names.map(name => world.at(name)).join(' ')}`
  for (const level of ['workspace', 'read-only'] as const) {
    const { stdout } = await world.run(
      `mine; built; snake; ${cat('home/project/lib/part', 'other/.pyenv/versions/3/part', ...published)}`,
      { level }
    )
    t.equal(stdout, 'mine\nbuilt\nsnake\npartpartpublicpublic')
    const { output } = await world.run(
      `${cat(...secrets, 'scripts/linked.env', 'scripts/plain', 'outside/canary', 'home/.ssh/id_ed25519', 'state/journal')}; grep daemon: /etc/passwd`,
      { level }
    )
    t.notMatch(output, new RegExp(`${SECRET}|daemon:`))
  }
  world.write('scripts/later.env', SECRET)
  rmSync(world.at('fleeting'), { recursive: true })
  const { stdout, stderr } = await world.run(`mine; ${cat('scripts/later.env')}`)
  t.equal(stdout, 'mine\n', 'what came later is hidden, and nothing depends on what is gone')
  t.notMatch(stderr, 'bwrap')
})

t.test("a command cannot change the machine's devices, under any user", needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  // Sets the present modes: on the machine's own files this would change nothing.
  const code = `
import os
for name in ('null', 'zero', 'full', 'random', 'urandom', 'tty'):
    file = '/dev/' + name
    try:
        os.chmod(file, os.stat(file).st_mode & 0o777)
        print('CHANGED', file)
    except PermissionError:
        pass
open('/dev/null', 'w').write('x')
print(open('/dev/zero', 'rb').read(1), len(open('/dev/urandom', 'rb').read(8)))`
  for (const level of ['workspace', 'read-only'] as const)
    t.equal((await world.python(code, { level })).output, "b'\\x00' 8\n", level)
})
