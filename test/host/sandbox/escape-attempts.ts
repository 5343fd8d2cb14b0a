// Attempts to escape from a sandbox. Each prints ESCAPED if it succeeds.
import type { SandboxFixture } from './fixture.ts'
import { SECRET } from './fixture.ts'

export interface EscapeAttempt {
  title: string
  /** Code for bash, or for Python. */
  bash?: (world: EscapeWorld) => string
  python?: (world: EscapeWorld) => string
  /** It succeeds without a sandbox. */
  harmless?: true
  linux?: true
  /** Only a private file system prevents it: it shows names, no contents. */
  hidesNames?: true
  /** Namespaces make it harmless. */
  harmlessInNamespaces?: true
  /** The receiver counts whether it succeeds. */
  counted?: true
  /** It succeeds if it leaves this file in the workspace with other content than before. Only commands that run unasked leave none. */
  plants?: string
}

export type EscapeWorld = SandboxFixture & { port: number; udpPort: number }

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

/** Python that fails unless a call of the C library succeeds. */
const calls = (call: string) => `if ${call} < 0: raise OSError()`
const SERVER = process.pid

const PROCESS_ATTEMPTS: readonly EscapeAttempt[] = [
  ...['environ', 'maps', 'smaps', 'auxv', 'io', 'personality', 'syscall'].map(
    (file): EscapeAttempt => ({
      title: `read ${file} of the server`,
      harmless: true,
      linux: true,
      python: () => tried(`if not os.read(os.open('/proc/${SERVER}/${file}', os.O_RDONLY), 1): raise OSError()`)
    })
  ),
  ...['root', 'cwd', 'exe', 'fd/0', 'ns/mnt'].map(
    (link): EscapeAttempt => ({
      title: `read where ${link} of the server leads`,
      harmless: true,
      linux: true,
      python: () => tried(`os.readlink('/proc/${SERVER}/${link}')`)
    })
  ),
  {
    title: 'open the memory of the server',
    linux: true,
    harmless: true,
    python: () => tried(`os.open('/proc/${SERVER}/mem', os.O_RDONLY)`)
  },
  {
    title: 'read a file through the root of the server',
    harmless: true,
    linux: true,
    bash: w => escaped(`cat /proc/${SERVER}/root${w.at('outside/canary')}`)
  },
  {
    title: 'change when the server is killed',
    linux: true,
    python: () => tried(`os.write(os.open('/proc/${SERVER}/oom_score_adj', os.O_WRONLY), b'1000')`)
  },
  { title: 'trace the server', linux: true, python: () => tried(calls(`libc.ptrace(16, ${SERVER}, 0, 0)`)) },
  {
    title: 'read the memory of the server',
    linux: true,
    python: () => tried(calls(`libc.process_vm_readv(${SERVER}, None, 0, None, 0, 0)`))
  },
  ...[
    [200, `${SERVER}, 0`],
    [234, `${SERVER}, ${SERVER}, 0`],
    [129, `${SERVER}, 28, (ctypes.c_int * 32)(28, 0, -1)`]
  ].map(
    ([number, values]): EscapeAttempt => ({
      title: `signal the server by call ${number}`,
      harmless: true,
      linux: true,
      python: () => tried(calls(`libc.syscall(${number}, ${values})`))
    })
  ),
  {
    title: 'signal the server by a descriptor',
    harmless: true,
    linux: true,
    python: () => tried(calls(`libc.syscall(424, os.pidfd_open(${SERVER}), 0, None, 0)`))
  },
  {
    title: 'change the priority of the server',
    linux: true,
    python: () => tried(`os.setpriority(os.PRIO_PROCESS, ${SERVER}, 5)`)
  },
  {
    title: 'read the limits of the server',
    harmless: true,
    linux: true,
    python: () => tried(`import resource; resource.prlimit(${SERVER}, resource.RLIMIT_CORE)`)
  },
  {
    title: 'bind the server to a processor',
    harmless: true,
    linux: true,
    python: () => tried(`os.sched_setaffinity(${SERVER}, os.sched_getaffinity(0))`)
  },
  {
    title: 'share memory',
    linux: true,
    harmlessInNamespaces: true,
    python: () => tried(calls('libc.shmget(0, 4096, 0o1600)'))
  },
  {
    title: 'open a queue',
    linux: true,
    harmlessInNamespaces: true,
    python: () => tried(calls("libc.syscall(240, b'escaped', 0o102, 0o600, None)"))
  }
]

const SOCKET_ATTEMPTS: readonly EscapeAttempt[] = [
  {
    title: 'send a datagram',
    harmless: true,
    counted: true,
    python: w => tried(`socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', ${w.udpPort}))`)
  },
  {
    title: 'connect by sending',
    linux: true,
    python: w =>
      tried(`socket.socket(socket.AF_INET, socket.SOCK_STREAM).sendto(b'x', 0x20000000, ('127.0.0.1', ${w.port}))`)
  },
  {
    title: 'connect by several paths',
    linux: true,
    python: w => tried(`socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262).connect(('127.0.0.1', ${w.port}))`)
  },
  {
    title: 'send from one of a pair to a socket outside',
    linux: true,
    python: w =>
      tried(`socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b'x', '${w.at('outside/socket')}')`)
  },
  {
    title: 'connect one of a pair to a socket outside',
    linux: true,
    python: w => tried(`socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)[0].connect('${w.at('outside/socket')}')`)
  }
]

const FILE_ATTEMPTS: readonly EscapeAttempt[] = [
  {
    title: 'change the mode of a file outside',
    harmless: true,
    python: w => tried(`os.chmod('${w.at('outside/canary')}', 0o600)`)
  },
  {
    title: 'change the times of a file outside',
    harmless: true,
    python: w => tried(`os.utime('${w.at('outside/canary')}')`)
  },
  {
    title: 'mark a file outside',
    linux: true,
    python: w => tried(`os.setxattr('${w.at('outside/canary')}', 'user.escaped', b'x')`)
  },
  {
    title: 'watch the state folder',
    harmless: true,
    linux: true,
    python: w => tried(calls(`libc.inotify_add_watch(libc.inotify_init1(0), b'${w.at('state')}', 0x100)`))
  },
  {
    title: 'find a file by its handle',
    harmless: true,
    linux: true,
    python: w =>
      tried(`
handle = (ctypes.c_int * 40)(128)
if libc.name_to_handle_at(-100, b'${w.at('outside/canary')}', handle, ctypes.byref(ctypes.c_int()), 0) < 0: raise OSError()`)
  },
  { title: 'cut off a file outside', python: w => tried(`os.truncate('${w.at('outside/canary')}', 0)`) },
  {
    title: 'cut off a file outside by opening it',
    python: w => tried(`os.open('${w.at('outside/canary')}', os.O_RDONLY | os.O_TRUNC)`)
  },
  {
    title: 'move a file outside',
    python: w => tried(`os.rename('${w.at('outside/canary')}', '${w.at('outside/moved')}')`)
  },
  {
    title: 'link a file outside',
    python: w => tried(`os.link('${w.at('outside/canary')}', os.environ.get('TMPDIR', '/tmp') + '/linked')`)
  },
  {
    title: 'read beside a folder that is only found',
    harmless: true,
    linux: true,
    python: w => tried(`os.read(os.open('canary', os.O_RDONLY, dir_fd=os.open('${w.at('outside')}', os.O_PATH)), 1)`)
  },
  { title: 'list the state folder', harmless: true, python: w => tried(`os.listdir('${w.at('state')}')`) }
]

/** Attempts to leave what other programs, or agents, execute or interpret. */
const PLANTING_ATTEMPTS: readonly EscapeAttempt[] = [
  ['plant code in a cache', 'pkg/__pycache__/mod.cpython-311.pyc'],
  ['plant code in a new cache', 'sub/.tox/py/bin/python'],
  ['plant output of a build tool', 'sub/.next/server/page.js'],
  ['plant a program of a package', 'node_modules/.bin/tsc'],
  ['change instructions of agents', 'CLAUDE.md'],
  ['add instructions of agents', 'sub/AGENTS.md'],
  ['change a build script', 'Makefile'],
  ['add a test hook', 'sub/conftest.py'],
  ['add a configuration that is code', 'vite.config.js'],
  ['add variables that start programs', 'sub/.env.local'],
  ['plant code in new packages', 'sub/site-packages/start.pth'],
  ['hide instructions of agents in new packages', 'sub/node_modules/CLAUDE.md'],
  ['plant packages around a repository', 'sub/.venv/bin/python', 'mkdir -p sub/.venv/.git/hooks'],
  ['hide instructions of agents deeper than a path', `${'d/'.repeat(300)}CLAUDE.md`]
].map(
  ([title, file, after = 'true']): EscapeAttempt => ({
    title: title!,
    plants: file!,
    bash: () => `mkdir -p "$(dirname ${file})"; echo planted >${file} 2>/dev/null; ${after}`
  })
)

export const ATTEMPTS: readonly EscapeAttempt[] = [
  { title: 'read beside the workspace', harmless: true, bash: w => escaped(`cat ${w.at('outside/canary')}`) },
  { title: 'read the home', harmless: true, bash: () => escaped('cat ~/.ssh/id_ed25519') },
  { title: 'read the state folder', harmless: true, bash: w => escaped(`cat ${w.at('state/journal')}`) },
  { title: 'read a token file', harmless: true, bash: w => escaped(`cat ${w.at('token')}`) },
  { title: 'read the list of users', hidesNames: true, bash: () => escaped('grep -q "^daemon:" /etc/passwd') },
  { title: 'read private keys of the machine', linux: true, bash: () => escaped('cat /etc/ssl/private/*') },
  {
    title: 'list private keys of the machine',
    linux: true,
    hidesNames: true,
    bash: () => escaped('ls /etc/ssl/private')
  },
  { title: 'read passwords', bash: () => escaped('cat /etc/shadow') },
  { title: 'read a secret of the workspace', harmless: true, bash: () => escaped('cat .env') },
  { title: 'read it after a rename', bash: () => escaped('mv .env plain && cat plain') },
  { title: 'read it by another name', bash: () => escaped('ln .env plain && cat plain') },
  { title: 'read it by a hard link with a plain name', harmless: true, bash: () => escaped('cat linked.txt') },
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
    bash: () => escaped('echo x >/usr/bin/escaped || echo x >/usr/lib/escaped || echo x >/etc/escaped')
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
    bash: () => escaped('ls /sys/kernel || ls /sys/fs/cgroup || head -c 1 /dev/kmsg || head -c 1 /dev/[svx]d[a-z]*')
  },
  ...[
    [
      'hold up programs that open a file, by a lease',
      "fcntl.fcntl(os.open('plain.txt', os.O_RDONLY), 1024, fcntl.F_WRLCK)"
    ],
    [
      'hold up programs that change a file, by a lease',
      "fcntl.fcntl(os.open('plain.txt', os.O_RDONLY), 1024, fcntl.F_RDLCK)"
    ],
    ['watch a folder by signals', "fcntl.fcntl(os.open('.', os.O_RDONLY), 1026, 0x3f)"]
  ].map(([title, code]): EscapeAttempt => ({ title: title!, linux: true, harmless: true, python: () => tried(code!) })),
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
  { title: 'outlive the limit on processes', linux: true, bash: () => escaped('mkdir /sys/fs/cgroup/escaped') },
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
  },
  ...PLANTING_ATTEMPTS,
  ...PROCESS_ATTEMPTS,
  ...SOCKET_ATTEMPTS,
  ...FILE_ATTEMPTS
]
