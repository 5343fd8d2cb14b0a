// Tests of sandbox escapes, level by level. Each attempt prints ESCAPED if it succeeds; harmless ones are also made without a
// sandbox, to prove that they can succeed.
import { symlinkSync } from 'node:fs'
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { findProcesses, type SandboxFixture, SECRET, startConnectionCounter, startSandboxFixture } from './fixture.ts'

interface Attempt {
  title: string
  /** Code for bash, or for Python. */
  bash?: (world: SandboxFixture & { port: number }) => string
  python?: (world: SandboxFixture & { port: number }) => string
  /** It succeeds without a sandbox. */
  harmless?: true
  linux?: true
}

const escaped = (command: string) => `if ${command}; then echo ESCAPED; fi 2>/dev/null`
const tried = (code: string) => `
import os, socket, ctypes, sys, fcntl
libc = ctypes.CDLL(None, use_errno=True)
try:
${code.trim().replaceAll(/^/gm, '    ')}
    print('ESCAPED')
except OSError:
    pass
`

const ATTEMPTS: Attempt[] = [
  { title: 'read beside the workspace', harmless: true, bash: w => escaped(`cat ${w.at('outside/canary')}`) },
  { title: 'read the home', harmless: true, bash: () => escaped('cat ~/.ssh/id_ed25519') },
  { title: 'read the state folder', harmless: true, bash: w => escaped(`cat ${w.at('state/journal')}`) },
  { title: 'read a token file', harmless: true, bash: w => escaped(`cat ${w.at('token')}`) },
  { title: 'read the list of users', bash: () => escaped('grep -q "^daemon:" /etc/passwd') },
  { title: 'read passwords', bash: () => escaped('cat /etc/shadow') },
  { title: 'read a secret of the workspace', harmless: true, bash: () => escaped('cat .env') },
  { title: 'read it after a rename', bash: () => escaped('mv .env plain && cat plain') },
  { title: 'read it by another name', bash: () => escaped('ln .env plain && cat plain') },
  { title: 'make it readable', bash: () => escaped('chmod 644 .env && cat .env') },
  {
    title: 'see the processes of the machine',
    linux: true,
    harmless: true,
    bash: () => escaped('[ $(ls -d /proc/[0-9]* | wc -l) -gt 8 ]')
  },
  {
    title: 'read the environment of all',
    linux: true,
    bash: () => escaped(`cat /proc/[0-9]*/environ | grep -q ${SECRET}`)
  },
  {
    title: 'write beside the workspace',
    harmless: true,
    bash: w => escaped(`echo x >${w.at('outside/new')} && [ -e ${w.at('outside/canary')} ]`)
  },
  {
    title: 'write through a link out of the workspace',
    harmless: true,
    bash: () => escaped('echo x >leads-out/new && [ -e leads-out/canary ]')
  },
  {
    title: 'write to programs of the system',
    bash: () => escaped('[ -w /usr/bin ] || [ -w /usr/lib ] || [ -w /etc ]')
  },
  {
    title: 'connect to a port of this machine',
    harmless: true,
    bash: w => escaped(`(exec 9<>/dev/tcp/127.0.0.1/${w.port})`)
  },
  { title: 'connect out', bash: () => escaped('timeout 5 bash -c "exec 9<>/dev/tcp/1.1.1.1/53"') },
  { title: 'ask who answers for names', python: () => tried("socket.getaddrinfo('example.com', 80)") },
  {
    title: 'connect to a socket outside',
    harmless: true,
    python: w => tried(`socket.socket(socket.AF_UNIX).connect('${w.at('outside/socket')}')`)
  },
  {
    title: 'connect to a nameless socket',
    linux: true,
    harmless: true,
    python: w => tried(`socket.socket(socket.AF_UNIX).connect('\\0kept-${w.port}')`)
  },
  { title: 'open a raw socket', linux: true, python: () => tried('socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)') },
  {
    title: 'mount',
    linux: true,
    python: () => tried("if libc.mount(b'none', b'/tmp', b'tmpfs', 0, None): raise OSError()")
  },
  {
    title: 'take a mount away',
    linux: true,
    python: w => tried(`if libc.umount2(b'${w.root}/.git', 2): raise OSError()`)
  },
  { title: 'make namespaces within', linux: true, bash: () => escaped('unshare --user --map-root-user true') },
  {
    title: 'trace a process',
    linux: true,
    python: () => tried('if libc.ptrace(16, os.getppid(), 0, 0): raise OSError()')
  },
  {
    title: 'open a setting of the kernel for writing',
    linux: true,
    python: () => tried("os.open('/proc/sys/kernel/core_pattern', os.O_WRONLY)")
  },
  { title: 'reach the magic key', linux: true, python: () => tried("os.open('/proc/sysrq-trigger', os.O_WRONLY)") },
  {
    title: 'find the devices of the kernel',
    linux: true,
    bash: () => escaped('[ -e /sys/kernel ] || [ -e /sys/fs/cgroup ] || [ -e /dev/kmsg ] || ls /dev/[svx]d[a-z]*')
  },
  { title: 'make a device', linux: true, python: () => tried("os.mknod('/tmp/device', 0o60666, os.makedev(254, 0))") },
  { title: 'make a set-user-id program', linux: true, bash: () => escaped('cp /bin/sh shell && chmod 4755 shell') },
  {
    title: 'create one so',
    linux: true,
    python: () =>
      tried(
        "os.close(os.open('shell2', os.O_CREAT | os.O_WRONLY, 0o4755))\nif not os.stat('shell2').st_mode & 0o4000: raise OSError()"
      )
  },
  {
    title: 'gain rights by one of the system',
    linux: true,
    bash: () => escaped('su -c true </dev/null || sudo -n true')
  },
  {
    title: 'type into the terminal',
    linux: true,
    python: () => tried("fcntl.ioctl(os.open('/dev/ptmx', os.O_RDWR), 0x5412, b'x')")
  },
  {
    title: 'change the history',
    bash: () => escaped('echo x >>.git/config || touch .git/hooks/pre-commit || touch .git/commondir')
  },
  {
    title: 'move the history away',
    bash: () => escaped('mv .git moved || rm -rf .git/config || ln -sfn /tmp .git || rmdir .git')
  },
  { title: 'change what editors obey', bash: () => escaped('echo x >.vscode/tasks.json || mv .vscode moved') },
  { title: 'reach other processes by number', linux: true, bash: () => escaped(`kill -0 ${process.pid}`) },
  { title: 'outlive the limit on processes', linux: true, bash: () => escaped('[ -w /sys/fs/cgroup ]') },
  {
    title: 'leave the view by its descriptors',
    linux: true,
    python: _w =>
      tried(`
found = [fd for fd in os.listdir('/proc/self/fd') if int(fd) > 2]
for fd in found:
    try:
        os.stat(os.readlink('/proc/self/fd/' + fd) + '/../outside/canary')
        break
    except OSError: pass
else: raise OSError()`)
  }
]

for (const level of ['workspace', 'read-only'] as const)
  t.test(`level ${level}`, needs('sandbox', 'python3'), async t => {
    const { world, attempt, reached } = await prepared(t)
    const states = await world.sandbox.states()
    t.match(
      states.find(state => state.level === level),
      { holds: true }
    )
    for (const one of ATTEMPTS.filter(({ linux }) => !linux || process.platform === 'linux')) {
      const result = await attempt(one, level)
      t.notMatch(result.stdout, 'ESCAPED', one.title)
      t.notMatch(result.output, SECRET, `${one.title}: nothing is told`)
    }
    t.equal(reached(), 0, 'nobody connected')
    t.equal(world.exists('outside/new'), false)
    t.equal(world.read('workspace/.git/config'), '[core]\n')
    t.equal(world.read('workspace/.vscode/tasks.json'), '{}')
  })

t.test('harmless attempts succeed without a sandbox', needs('sandbox', 'python3'), async t => {
  const { attempt } = await prepared(t)
  for (const one of ATTEMPTS.filter(({ harmless }) => harmless))
    t.match((await attempt(one, 'none')).stdout, 'ESCAPED', one.title)
})

t.test('no process of a command survives', needs('sandbox', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  const mark = `98765.${process.pid}`
  const result = await world.python(`
import os
for environment in (os.environ, {}):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve('/bin/sleep', ['sleep', '${mark}'], environment)
        os._exit(0)
`)
  t.match(result, { exit_code: 0 })
  t.strictSame(findProcesses(mark), [])
})

async function prepared(t: Parameters<typeof startSandboxFixture>[0]) {
  const world = await startSandboxFixture(t)
  world.write('workspace/.env', `TOKEN=${SECRET}`)
  world.write('workspace/.git/config', '[core]\n')
  world.write('workspace/.vscode/tasks.json', '{}')
  symlinkSync('../outside', world.at('workspace/leads-out'))
  const tcp = await startConnectionCounter(t, { host: '127.0.0.1', port: 0 })
  const { port } = tcp
  const others = [await startConnectionCounter(t, { path: world.at('outside/socket') })]
  if (process.platform === 'linux') others.push(await startConnectionCounter(t, { path: `\0kept-${port}` }))
  const own = { ...world, port }
  return {
    world,
    reached: () => [tcp, ...others].reduce((sum, { connections }) => sum + connections, 0),
    attempt: ({ bash, python }: Attempt, level: 'none' | 'workspace' | 'read-only') =>
      bash ? world.run(bash(own), { level }) : world.python(python!(own), { level })
  }
}
