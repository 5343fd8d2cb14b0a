// Tests of the seccomp filter: by a small interpreter for both architectures, by the headers of this system, and by a program in
// the sandbox that makes every listed system call.
// tier: quick
import { existsSync, readFileSync } from 'node:fs'
import { execaSync } from 'execa'
import t from 'tap'
import { LANDLOCK_READ_ONLY_SYSCALLS } from '../../../../src/host/sandbox/seccomp/landlock-calls.ts'
import { buildFilter } from '../../../../src/host/sandbox/seccomp/seccomp.ts'
import {
  type Architecture,
  CONDITIONAL_SYSCALLS,
  type ConditionalSyscall,
  DENIED_SYSCALLS,
  SANDBOX_SYSCALLS,
  type SyscallNumbers,
  UNIMPLEMENTED_SYSCALLS
} from '../../../../src/host/sandbox/seccomp/seccomp-calls.ts'
import { needs } from '../../../support/needs.ts'
import { startSandboxFixture } from '../fixture.ts'

const ALLOW = 0x7fff_0000
const KILL = 0x8000_0000
const EPERM = 0x0005_0001
const EACCES = 0x0005_000d
const ENOSYS = 0x0005_0026
const ARCHITECTURE = { x64: 0xc000_003e, arm64: 0xc000_00b7 }

/** System calls that set a mode, with the arguments before it. */
const MODES: [name: string, before: bigint[]][] = [
  ['chmod', [0n]],
  ['fchmodat', [0n, 0n]],
  ['fchmodat2', [0n, 0n]],
  ['mknod', [0n]],
  ['mknodat', [0n, 0n]],
  ['creat', [0n]],
  ['open', [0n, 0o101n]]
]

/** Repeated here on purpose: removing an entry from the list requires removing it here too. */
const MUST_BE_REFUSED = [
  ...['ptrace', 'process_vm_readv', 'process_vm_writev', 'process_madvise', 'process_mrelease', 'kcmp', 'pidfd_getfd'],
  ...['io_uring_setup', 'io_uring_enter', 'io_uring_register', 'mount', 'umount2', 'pivot_root', 'chroot', 'open_tree'],
  ...['move_mount', 'fsopen', 'fsconfig', 'fsmount', 'fspick', 'mount_setattr', 'open_tree_attr', 'unshare', 'setns'],
  ...['open_by_handle_at', 'name_to_handle_at', 'fanotify_init', 'add_key', 'request_key', 'keyctl', 'bpf'],
  ...['userfaultfd', 'perf_event_open', 'syslog', 'init_module', 'finit_module', 'delete_module', 'kexec_load'],
  ...['kexec_file_load', 'reboot', 'swapon', 'swapoff', 'acct', 'quotactl', 'quotactl_fd', 'iopl', 'ioperm'],
  ...['modify_ldt', 'settimeofday', 'clock_settime', 'clock_adjtime', 'adjtimex', 'vhangup']
]

/** Repeated here as well. */
const MUST_BE_REFUSED_WITHOUT_NAMESPACES = [
  ...[
    'setpriority',
    'ioprio_set',
    'migrate_pages',
    'move_pages',
    'shmget',
    'shmat',
    'shmctl',
    'semget',
    'semctl',
    'semop'
  ],
  ...[
    'semtimedop',
    'msgget',
    'msgctl',
    'msgsnd',
    'msgrcv',
    'mq_open',
    'mq_unlink',
    'socket',
    'connect',
    'bind',
    'listen'
  ],
  ...[
    'accept',
    'accept4',
    'chmod',
    'fchmod',
    'fchmodat',
    'fchmodat2',
    'chown',
    'fchown',
    'lchown',
    'fchownat',
    'utime'
  ],
  ...['utimes', 'futimesat', 'utimensat', 'setxattr', 'lsetxattr', 'fsetxattr', 'removexattr', 'lremovexattr'],
  ...['fremovexattr', 'setxattrat', 'removexattrat', 'file_setattr', 'inotify_add_watch']
]

/** Returns the filter's verdict on a system call, as the kernel would compute it. */
function verdict(
  processor: Architecture,
  number: number,
  args: bigint[] = [],
  { architecture = ARCHITECTURE[processor], tables = SANDBOX_SYSCALLS } = {}
) {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number, 0)
  data.writeUInt32LE(architecture, 4)
  for (const [i, value] of args.entries()) data.writeBigUInt64LE(value, 16 + i * 8)
  const filter = buildFilter(processor, tables)!
  let loaded = 0
  for (let at = 0; ; at++) {
    const [code, yes, no] = [filter.readUInt16LE(at * 8), filter[at * 8 + 2]!, filter[at * 8 + 3]!]
    const value = filter.readUInt32LE(at * 8 + 4)
    if (code === 0x06) return value
    if (code === 0x20) loaded = data.readUInt32LE(value)
    else if (code === 0x15) at += loaded === value ? yes : no
    else if (code === 0x35) at += loaded >= value ? yes : no
    else if (code === 0x45) at += (loaded & value) !== 0 ? yes : no
    else throw new Error(`no instruction ${code}`)
  }
}

for (const processor of ['x64', 'arm64'] as const)
  t.test(`the filter for ${processor}`, async t => {
    for (const [name, numbers] of Object.entries(DENIED_SYSCALLS))
      if (numbers[processor] !== undefined) t.equal(verdict(processor, numbers[processor]), EPERM, name)
    for (const [name, numbers] of Object.entries(UNIMPLEMENTED_SYSCALLS))
      t.equal(verdict(processor, numbers[processor]!), ENOSYS, name)
    t.equal(verdict(processor, 0, [], { architecture: ARCHITECTURE[processor] + 1 }), KILL, 'another table')
    if (processor === 'x64') t.equal(verdict(processor, 0x4000_0000), KILL, 'the second table')

    const call = (name: string, ...args: bigint[]) =>
      verdict(processor, CONDITIONAL_SYSCALLS[name]!.numbers[processor]!, args)
    for (const [domain, wanted] of [
      [1n, ALLOW],
      [2n, ALLOW],
      [10n, ALLOW],
      [0n, EPERM],
      [16n, EPERM],
      [17n, EPERM],
      [38n, EPERM],
      [40n, EPERM],
      // The kernel reads only the lower half.
      [0x1_0000_0001n, ALLOW],
      [0x1_0000_0010n, EPERM]
    ] as const)
      t.equal(call('socket', domain), wanted, `socket of ${domain}`)
    for (const [request, wanted] of [
      [0x5401n, ALLOW],
      [0x5412n, EPERM],
      [0x541cn, EPERM],
      [0xffff_ffff_0000_5412n, EPERM]
    ] as const)
      t.equal(call('ioctl', 0n, request), wanted, `ioctl ${request}`)
    for (const [command, wanted] of [
      [1024n, EPERM],
      [1026n, EPERM],
      [1040n, EPERM],
      [0xffff_ffff_0000_0400n, EPERM],
      // F_GETLEASE, F_DUPFD_CLOEXEC, F_SETLK and F_OFD_SETLK.
      [1025n, ALLOW],
      [1030n, ALLOW],
      [6n, ALLOW],
      [37n, ALLOW]
    ] as const)
      t.equal(call('fcntl', 0n, command), wanted, `fcntl ${command}`)
    t.equal(call('clone', 0x0100_0011n), ALLOW, 'a thread or a process')
    for (const bit of [17n, 25n, 26n, 27n, 28n, 29n, 30n])
      t.equal(call('clone', 17n | (1n << bit)), EPERM, `clone with bit ${bit}`)
    t.equal(call('fchmod', 0n, 0o755n), ALLOW)
    t.equal(call('fchmod', 0n, 0o4755n), EPERM)
    t.equal(call('fchmodat', 0n, 0n, 0o2755n), EPERM)
    t.equal(call('openat', 0n, 0n, 0o101n, 0o4755n), EPERM, 'made with rights')
    t.equal(call('openat', 0n, 0n, 0o20000001n, 0o4755n), EPERM, 'made so without a name')
    t.equal(call('openat', 0n, 0n, 0o101n, 0o644n), ALLOW)
    t.equal(call('openat', 0n, 0n, 0n, 0o4755n), ALLOW, 'what is not made has no mode')
    for (const [name, before] of MODES) {
      if (CONDITIONAL_SYSCALLS[name]!.numbers[processor] === undefined) continue
      t.equal(call(name, ...before, 0o100755n), ALLOW, `${name} without rights`)
      for (const rights of [0o4000n, 0o2000n]) t.equal(call(name, ...before, 0o100755n | rights), EPERM, name)
    }
  })

for (const processor of ['x64', 'arm64'] as const)
  t.test(`the filter without namespaces for ${processor}`, async t => {
    const tables = LANDLOCK_READ_ONLY_SYSCALLS
    for (const [calls, action] of [
      [tables.denied, EPERM],
      [tables.unavailable, EACCES],
      [tables.unimplemented, ENOSYS]
    ] as const)
      for (const [name, numbers] of Object.entries(calls))
        if (numbers[processor] !== undefined)
          t.equal(verdict(processor, numbers[processor], [], { tables }), action, name)
    for (const name of MUST_BE_REFUSED_WITHOUT_NAMESPACES)
      t.ok(tables.denied[name] ?? tables.unavailable[name], `${name} is in the list`)
    const call = (name: string, ...args: bigint[]) => {
      const { numbers } = [tables.conditional[name]!].flat()[0] as ConditionalSyscall
      return verdict(processor, numbers[processor]!, args, { tables })
    }
    for (const name of ['prlimit64', 'sched_setaffinity', 'sched_setscheduler', 'sched_setparam', 'sched_setattr']) {
      t.equal(call(name, 0n), ALLOW, `${name} of itself`)
      for (const pid of [1n, 4_000n, 0xffff_ffffn]) t.equal(call(name, pid), EPERM, `${name} of ${pid}`)
      t.equal(call(name, 0xffff_ffff_0000_0001n), EPERM, 'the kernel reads only the lower half')
    }
    const [stream, datagram, raw, packets, flags] = [1n, 2n, 3n, 5n, 0o2004000n]
    for (const type of [stream, packets]) t.equal(call('socketpair', 1n, type | flags), ALLOW, `a pair of type ${type}`)
    for (const type of [datagram, raw]) t.equal(call('socketpair', 1n, type | flags), EPERM, `a pair of type ${type}`)
    t.equal(call('socketpair', 2n, stream), EPERM, 'a pair of another family')
    for (const [name] of Object.entries(CONDITIONAL_SYSCALLS))
      if (tables.denied[name] === undefined && tables.unavailable[name] === undefined)
        t.ok(tables.conditional[name], `${name} has its conditions`)
  })

t.test('the list has every system call to reject', async t => {
  for (const name of MUST_BE_REFUSED) t.ok(DENIED_SYSCALLS[name], name)
  t.same(Object.keys(UNIMPLEMENTED_SYSCALLS), ['clone3', 'openat2'], 'what hides its flags from the filter')
  for (const name of ['clone', 'socket', 'ioctl', 'fcntl', 'fchmod', 'openat', ...MODES.map(([name]) => name)])
    t.ok(CONDITIONAL_SYSCALLS[name], name)
})

t.equal(buildFilter('riscv64'), undefined)

t.test('the numbers match the headers', async t => {
  const { denied, unavailable, unimplemented, conditional } = LANDLOCK_READ_ONLY_SYSCALLS
  const all: Readonly<Record<string, SyscallNumbers>> = {
    ...denied,
    ...unavailable,
    ...unimplemented,
    ...Object.fromEntries(
      [...Object.entries(CONDITIONAL_SYSCALLS), ...Object.entries(conditional)].map(([name, conditions]) => [
        name,
        ([conditions].flat()[0] as ConditionalSyscall).numbers
      ])
    )
  }
  const headers = {
    x64: '/usr/include/x86_64-linux-gnu/asm/unistd_64.h',
    arm64: '/usr/include/asm-generic/unistd.h'
  }
  for (const [processor, file] of Object.entries(headers) as [Architecture, string][]) {
    if (!existsSync(file)) continue
    const text = readFileSync(file, 'utf8')
    const numbers = new Map(
      [...text.matchAll(/#define __NR(?:3264)?_(\w+)\s+(\d+)/g)].map(([, n, v]) => [n!, Number(v)])
    )
    for (const [name, own] of Object.entries(all)) {
      // Headers may be older than the system call.
      const known = numbers.get(name === 'sysctl' ? '_sysctl' : name)
      if (own[processor] !== undefined && known !== undefined) t.equal(own[processor], known, `${name} of ${processor}`)
    }
  }
})

t.test('in the sandbox', needs('bwrap', 'python3'), async t => {
  const world = await startSandboxFixture(t)
  const processor = process.arch as Architecture
  const calls = (table: Readonly<Record<string, Partial<Record<Architecture, number>>>>) =>
    Object.entries(table).flatMap(([name, numbers]) =>
      numbers[processor] === undefined ? [] : [[name, numbers[processor]]]
    )

  t.test('rejects every listed system call', async t => {
    const { stdout, stderr } = await world.python(`
import ctypes, json
libc = ctypes.CDLL(None, use_errno=True)
def made(number, *args):
    ctypes.set_errno(0)
    libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) for a in args or (0, 0, 0, 0, 0, 0)])
    return ctypes.get_errno()
print(json.dumps({name: made(number) for name, number in ${JSON.stringify([...calls(DENIED_SYSCALLS), ...calls(UNIMPLEMENTED_SYSCALLS)])}}))
`)
    const wanted = {
      ...Object.fromEntries(calls(DENIED_SYSCALLS).map(([name]) => [name, 1])),
      ...Object.fromEntries(calls(UNIMPLEMENTED_SYSCALLS).map(([name]) => [name, 38]))
    }
    t.strictSame(JSON.parse(stdout || '{}'), wanted, stderr)
  })

  t.test('sockets, terminals, namespaces, modes', async t => {
    const { stdout, stderr } = await world.python(`
import ctypes, errno, fcntl, json, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def tried(act):
    try:
        act()
        return 'done'
    except OSError as error:
        return errno.errorcode[error.errno]
def clone():
    if libc.syscall(${CONDITIONAL_SYSCALLS.clone!.numbers[processor]}, 0x10000011, 0, 0, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), '')
    os._exit(0)
open('file', 'w').close()
print(json.dumps({
    **{str(family): tried(lambda: socket.socket(family, kind).close())
       for family, kind in ((1, 1), (2, 1), (10, 1), (16, 3), (17, 3), (38, 5), (40, 1))},
    'TIOCSTI': tried(lambda: fcntl.ioctl(0, 0x5412, b'x')),
    'TIOCGWINSZ': tried(lambda: fcntl.ioctl(0, 0x5413, b'x' * 8)),
    'clone': tried(clone),
    'setuid': tried(lambda: os.chmod('file', 0o4755)),
    'setgid': tried(lambda: os.chmod('file', 0o2755)),
    'plain': tried(lambda: os.chmod('file', 0o755))
}))
`)
    t.strictSame(
      JSON.parse(stdout || '{}'),
      {
        1: 'done',
        2: 'done',
        10: 'done',
        16: 'EPERM',
        17: 'EPERM',
        38: 'EPERM',
        40: 'EPERM',
        TIOCSTI: 'EPERM',
        TIOCGWINSZ: 'ENOTTY',
        clone: 'EPERM',
        setuid: 'EPERM',
        setgid: 'EPERM',
        plain: 'done'
      },
      stderr
    )
  })

  t.test('rejects system calls of another ABI', needs('x64'), async t => {
    // getpid with 32-bit numbers, then with 32-bit pointers.
    const script = `
import ctypes, mmap, os
def ends(code):
    child = os.fork()
    if child == 0:
        memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        memory.write(code)
        ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))()
        os._exit(0)
    return os.WTERMSIG(os.waitpid(child, 0)[1])
print(ends(b'\\xb8\\x14\\0\\0\\0\\xcd\\x80\\xc3'), ends(b'\\xb8\\x27\\0\\0\\x40\\x0f\\x05\\xc3'), ends(b'\\xb8\\x27\\0\\0\\0\\x0f\\x05\\xc3'))
`
    // A kernel without 32-bit programs ends the first by SIGSEGV anywhere.
    const outside = execaSync('python3', ['-c', script]).stdout
    t.match(outside, /^(?:0|11) (?:0|\d+) 0$/)
    const { stdout, stderr } = await world.python(script)
    t.equal(stdout, outside.startsWith('11 ') ? '11 31 0\n' : '31 31 0\n', stderr)
  })
})
