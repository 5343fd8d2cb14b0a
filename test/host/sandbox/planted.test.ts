// Tests of entries that are neither plain files nor plain names: sockets of other programs, and locations where files can be
// planted.
// tier: quick
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { waitUntil } from '../../support/wait.ts'
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
  t.match(await world.run(deep), { exit_code: 0, unchecked: /cannot be read/ })
  const find = `find . -name .envrc 2>/dev/null | wc -l`
  t.match(await world.run(find, { level: 'read-only' }), { exit_code: 0, stdout: '0\n' })
  t.match(await world.run(find), { exit_code: 0, stdout: '0\n', unchecked: undefined })
})

t.test('a file name with invalid encoding blocks no one', needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  t.match(await world.run(`touch $'caf\\xe9.txt'`), { exit_code: 0 })
  t.match(await world.run('ls | wc -l', { level: 'read-only' }), { output: '1\n' })
})

const LISTEN = `
import os, socket, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen()
print('ready', flush=True)
listener.accept()[0].sendall(b'served')
`
const ASK = `python3 -c "import socket; s = socket.socket(socket.AF_UNIX); s.connect('q/dev.sock'); print(s.recv(9).decode())"`

t.test(
  'sockets and pipes of commands can be used, moved, made again and removed',
  needs('bwrap', 'python3'),
  async t => {
    const world = await startSandboxFixture(t)
    world.write('workspace/listen.py', LISTEN)
    mkdirSync(path.join(world.root, 'q'))
    t.match(
      await world.run('mkfifo q/pipe; python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\'q/old.sock\')"'),
      {
        exit_code: 0
      }
    )
    t.match(await world.run('(echo through >q/pipe &); cat q/pipe; mv q/pipe q/moved'), {
      output: 'through\n',
      exit_code: 0
    })
    t.match(await world.run('(echo again >q/moved &); cat q/moved; rm q/old.sock'), { output: 'again\n', exit_code: 0 })
    const serving = world.run('python3 listen.py q/dev.sock >log')
    await waitUntil(
      'the socket to be listened to',
      () => world.exists('workspace/log') && world.read('workspace/log') !== ''
    )
    t.match(
      await world.run(ASK, { level: 'read-only' }),
      { exit_code: 1 },
      'a program that only reads has no writer do it'
    )
    t.match(await world.run(ASK), { output: 'served\n' }, 'a server that runs as another command')
    t.match(await serving, { exit_code: 0, quarantined: [] })
    t.match(await world.run('python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\'q/dev.sock\')"'), {
      exit_code: 1
    })
    const again = 'rm q/dev.sock; python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\'q/dev.sock\')"'
    t.match(await world.run(again), { exit_code: 0 }, 'bound again')
    t.match(await world.run('rm -rf q && ls'), { output: 'listen.py\nlog\n', exit_code: 0 })
  }
)

t.test(
  'what others made: a socket without program and its folder can be removed, others stay shut',
  needs('bwrap', 'python3'),
  async t => {
    const world = await startSandboxFixture(t)
    mkdirSync(path.join(world.root, 's'))
    const bind = (name: string) =>
      execaSync('python3', ['-c', `import socket; socket.socket(socket.AF_UNIX).bind('${name}')`], { cwd: world.root })
    bind('s/stale.sock')
    bind('stale.sock')
    bind('.env')
    const server = await startConnectionCounter(t, { path: path.join(world.root, 'live.sock') })
    t.match(await world.run('rm -rf s && mv stale.sock other.sock && rm other.sock && ls'), {
      output: 'live.sock\n',
      exit_code: 0
    })
    const refused = await world.run('rm live.sock; rm .env')
    t.match(refused, { exit_code: 1, output: /live\.sock.*busy\n.*\.env.*busy/, special_files: ['live.sock'] })
    t.match(await world.run(ASK.replace('q/dev.sock', 'live.sock')), { exit_code: 1 })
    t.equal(server.connections, 0)
  }
)
