// Tests of entries that are neither plain files nor plain names: sockets of other programs, and locations where files can be
// planted.
// tier: quick
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { startConnectionCounter, startSandboxFixture } from './fixture.ts'

t.test('no socket or pipe in the workspace reaches another program', needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  world.write('workspace/sub/plain', '')
  const server = await startConnectionCounter(t, { path: path.join(world.root, 'sub/socket') })
  execaSync('mkfifo', [path.join(world.root, 'pipe')])
  const code = `
import os, socket
for attempt in (lambda: socket.socket(socket.AF_UNIX).connect('sub/socket'),
                lambda: os.open('pipe', os.O_RDWR | os.O_NONBLOCK)):
    try:
        attempt()
        print('ESCAPED')
    except OSError:
        pass`
  t.match((await world.python(code, { level: 'none' })).stdout, 'ESCAPED\nESCAPED')
  const { connections } = server
  for (const level of ['workspace', 'read-only'] as const)
    t.match(await world.python(code, { level }), { stdout: '', exit_code: 0 }, level)
  t.equal(server.connections, connections)
  const own = `mkfifo own; (echo through >own &); cat own; cat sub/plain; rm own`
  t.match(await world.run(own), { output: 'through\n', quarantined: [] }, 'a command has pipes of its own')
})

t.test("quarantines files planted within a new folder with a secret's name", needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  world.write('workspace/.aws/.git/config', '[core]\n')
  const planted = ['creds.key/.git/hooks/pre-commit', 'creds.key/.vscode/tasks.json', 'secrets.json/.envrc']
  const { quarantined } = await world.run(
    `for file in ${planted.join(' ')}; do mkdir -p $(dirname $file); echo x >$file; done; echo x >creds.key/plain`
  )
  t.strictSame(quarantined.toSorted(), ['creds.key/.git', 'creds.key/.vscode', 'secrets.json/.envrc'])
  t.ok(world.exists('workspace/creds.key/plain'))
  t.equal(world.read('workspace/.aws/.git/config'), '[core]\n')
})

t.test('recognizes a repository with separate parts', needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  const { quarantined } = await world.run(`mkdir -p sub x/objects x/refs
    echo 'ref: refs/heads/main' >sub/HEAD; echo ../x >sub/commondir; touch sub/config.worktree x/config`)
  t.strictSame(quarantined.toSorted(), ['sub/HEAD', 'sub/commondir', 'sub/config.worktree'])
})

t.test('a folder that cannot be scanned is hidden, and the reason is reported', needs('bwrap'), async t => {
  const world = await startSandboxFixture(t)
  mkdirSync(path.join(world.root, 'fine'))
  const deep = `name=$(printf 'd%.0s' {1..200}); for i in {1..25}; do mkdir $name; cd $name; done; touch .envrc`
  t.match(await world.run(deep), { exit_code: 0, unchecked: /cannot be looked into/ })
  const find = `find . -name .envrc 2>/dev/null | wc -l`
  t.match(await world.run(find, { level: 'read-only' }), { exit_code: 0, stdout: '0\n' })
  t.match(await world.run(find), { exit_code: 0, stdout: '0\n', unchecked: undefined })
})

t.test('a file name with invalid encoding blocks no one', needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  t.match(await world.run(`touch $'caf\\xe9.txt'`), { exit_code: 0 })
  t.match(await world.run('ls | wc -l', { level: 'read-only' }), { output: '1\n' })
})
