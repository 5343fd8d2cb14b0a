// System calls denied to sandboxed programs, as tables. Numbers are the kernel's, per processor; a call that a processor lacks is
// omitted. Sources: the kernel's syscall tables for x86-64 and for 64-bit ARM.

export type Architecture = 'x64' | 'arm64'

export type SyscallNumbers = Readonly<Partial<Record<Architecture, number>>>

export const perArchitecture = (x64: number, arm64: number): SyscallNumbers => ({ x64, arm64 })
/** Added to the kernel after all processors had agreed on one table. */
export const onAll = (number: number): SyscallNumbers => perArchitecture(number, number)
export const onlyX64 = (x64: number): SyscallNumbers => ({ x64 })

/** Identifies the syscall table of a call to the filter. */
export const AUDIT_ARCH: Readonly<Record<Architecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 }

/** Denied whatever their arguments: access to other processes, mounts and namespaces, kernel interfaces. */
export const DENIED_SYSCALLS: Readonly<Record<string, SyscallNumbers>> = {
  // other processes
  ptrace: perArchitecture(101, 117),
  process_vm_readv: perArchitecture(310, 270),
  process_vm_writev: perArchitecture(311, 271),
  process_madvise: onAll(440),
  process_mrelease: onAll(448),
  kcmp: perArchitecture(312, 272),
  pidfd_getfd: onAll(438),
  // system calls that bypass this filter
  io_uring_setup: onAll(425),
  io_uring_enter: onAll(426),
  io_uring_register: onAll(427),
  // mounts and namespaces
  mount: perArchitecture(165, 40),
  umount2: perArchitecture(166, 39),
  pivot_root: perArchitecture(155, 41),
  chroot: perArchitecture(161, 51),
  open_tree: onAll(428),
  move_mount: onAll(429),
  fsopen: onAll(430),
  fsconfig: onAll(431),
  fsmount: onAll(432),
  fspick: onAll(433),
  mount_setattr: onAll(442),
  open_tree_attr: onAll(467),
  unshare: perArchitecture(272, 97),
  setns: perArchitecture(308, 268),
  // files without a path
  open_by_handle_at: perArchitecture(304, 265),
  name_to_handle_at: perArchitecture(303, 264),
  fanotify_init: perArchitecture(300, 262),
  // kernel keyrings
  add_key: perArchitecture(248, 217),
  request_key: perArchitecture(249, 218),
  keyctl: perArchitecture(250, 219),
  // programs within the kernel, and tracing
  bpf: perArchitecture(321, 280),
  userfaultfd: perArchitecture(323, 282),
  perf_event_open: perArchitecture(298, 241),
  lookup_dcookie: perArchitecture(212, 18),
  syslog: perArchitecture(103, 116),
  // the machine
  init_module: perArchitecture(175, 105),
  finit_module: perArchitecture(313, 273),
  delete_module: perArchitecture(176, 106),
  create_module: onlyX64(174),
  query_module: onlyX64(178),
  get_kernel_syms: onlyX64(177),
  kexec_load: perArchitecture(246, 104),
  kexec_file_load: perArchitecture(320, 294),
  reboot: perArchitecture(169, 142),
  swapon: perArchitecture(167, 224),
  swapoff: perArchitecture(168, 225),
  acct: perArchitecture(163, 89),
  quotactl: perArchitecture(179, 60),
  quotactl_fd: onAll(443),
  nfsservctl: perArchitecture(180, 42),
  iopl: onlyX64(172),
  ioperm: onlyX64(173),
  modify_ldt: onlyX64(154),
  uselib: onlyX64(134),
  sysctl: onlyX64(156),
  settimeofday: perArchitecture(164, 170),
  clock_settime: perArchitecture(227, 112),
  clock_adjtime: perArchitecture(305, 266),
  adjtimex: perArchitecture(159, 171),
  vhangup: perArchitecture(153, 58)
}

/**
 * Answered with ENOSYS, as by a kernel without them: their flags are in memory, where no filter can look, and callers fall back
 * to the older call.
 */
export const UNIMPLEMENTED_SYSCALLS: Readonly<Record<string, SyscallNumbers>> = {
  clone3: onAll(435),
  openat2: onAll(437)
}

/** A call denied for certain values of one argument. */
export interface ConditionalSyscall {
  numbers: SyscallNumbers
  /** Index of the argument, from 0. The kernel evaluates only its lower 32 bits. */
  argument: number
  /** Denied if any of these bits is set, … */
  bits?: number
  /** … if the argument is one of these, … */
  oneOf?: readonly number[]
  /** … or if it is not one of these. */
  noneOf?: readonly number[]
  /** Applies only if any of these bits is set in another argument; otherwise the first one is meaningless. */
  onlyIf?: { argument: number; bits: number }
}

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NEW_NAMESPACES = 0x7e02_0000
/** A set-user-id file would give others the server's rights; so S_ISUID, and S_ISGID with it. */
const SETID_BITS = 0o6000
/** O_CREAT and the specific bit of O_TMPFILE. */
const CREATE_FLAGS = 0o100 | 0o20000000
/** AF_UNIX, AF_INET, AF_INET6. */
const ALLOWED_SOCKET_FAMILIES = [1, 2, 10]
/** TIOCSTI and TIOCLINUX inject input into a terminal, as if a person had typed it. */
const TERMINAL_INPUT_IOCTLS = [0x5412, 0x541c]

/**
 * F_SETLEASE, F_NOTIFY and F_SETDELEG. A lease on a file that may only be read makes every program that opens it wait, up to 45 s each
 * time; the others watch the files of folders. Locks stay allowed: whether they are on a file of the program's is in no argument.
 */
const FILE_LEASES = [1024, 1026, 1040]

/** System calls that a filter refuses. */
export interface SyscallTables {
  /** With EPERM. */
  denied: Readonly<Record<string, SyscallNumbers>>
  /** With EACCES: programs report it as a missing permission, as for a network that is not there. */
  unavailable: Readonly<Record<string, SyscallNumbers>>
  /** With ENOSYS. */
  unimplemented: Readonly<Record<string, SyscallNumbers>>
  /** With EPERM, if any condition is true. */
  conditional: Readonly<Record<string, ConditionalSyscall | readonly ConditionalSyscall[]>>
}

export const CONDITIONAL_SYSCALLS: Readonly<Record<string, ConditionalSyscall>> = {
  clone: { numbers: perArchitecture(56, 220), argument: 0, bits: NEW_NAMESPACES },
  socket: { numbers: perArchitecture(41, 198), argument: 0, noneOf: ALLOWED_SOCKET_FAMILIES },
  ioctl: { numbers: perArchitecture(16, 29), argument: 1, oneOf: TERMINAL_INPUT_IOCTLS },
  fcntl: { numbers: perArchitecture(72, 25), argument: 1, oneOf: FILE_LEASES },
  chmod: { numbers: onlyX64(90), argument: 1, bits: SETID_BITS },
  fchmod: { numbers: perArchitecture(91, 52), argument: 1, bits: SETID_BITS },
  fchmodat: { numbers: perArchitecture(268, 53), argument: 2, bits: SETID_BITS },
  fchmodat2: { numbers: onAll(452), argument: 2, bits: SETID_BITS },
  mknod: { numbers: onlyX64(133), argument: 1, bits: SETID_BITS },
  mknodat: { numbers: perArchitecture(259, 33), argument: 2, bits: SETID_BITS },
  creat: { numbers: onlyX64(85), argument: 1, bits: SETID_BITS },
  open: { numbers: onlyX64(2), argument: 2, bits: SETID_BITS, onlyIf: { argument: 1, bits: CREATE_FLAGS } },
  openat: {
    numbers: perArchitecture(257, 56),
    argument: 3,
    bits: SETID_BITS,
    onlyIf: { argument: 2, bits: CREATE_FLAGS }
  }
}

/** Filter of a sandbox with namespaces. */
export const SANDBOX_SYSCALLS: SyscallTables = {
  denied: DENIED_SYSCALLS,
  unavailable: {},
  unimplemented: UNIMPLEMENTED_SYSCALLS,
  conditional: CONDITIONAL_SYSCALLS
}
