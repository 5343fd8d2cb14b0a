// Which system calls a sandboxed program may not make, as tables. Numbers are the kernel's, per processor; a call that a
// processor does not have is left out. Sources: the kernel's syscall tables for x86-64 and for 64-bit ARM.

export type Processor = 'x64' | 'arm64'

type Numbers = Readonly<Partial<Record<Processor, number>>>

const both = (x64: number, arm64: number): Numbers => ({ x64, arm64 })
/** Added to the kernel after all processors had agreed on one table. */
const same = (number: number): Numbers => both(number, number)
const onlyX64 = (x64: number): Numbers => ({ x64 })

/** How the kernel tells which table a call is to be looked up in. */
export const ARCHITECTURES: Readonly<Record<Processor, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 }

/** Refused whatever their arguments: other processes' insides, mounts and namespaces, the kernel's own doors. */
export const REFUSED: Readonly<Record<string, Numbers>> = {
  // other processes
  ptrace: both(101, 117),
  process_vm_readv: both(310, 270),
  process_vm_writev: both(311, 271),
  process_madvise: same(440),
  process_mrelease: same(448),
  kcmp: both(312, 272),
  pidfd_getfd: same(438),
  // calls made by another door than this filter
  io_uring_setup: same(425),
  io_uring_enter: same(426),
  io_uring_register: same(427),
  // mounts and namespaces
  mount: both(165, 40),
  umount2: both(166, 39),
  pivot_root: both(155, 41),
  chroot: both(161, 51),
  open_tree: same(428),
  move_mount: same(429),
  fsopen: same(430),
  fsconfig: same(431),
  fsmount: same(432),
  fspick: same(433),
  mount_setattr: same(442),
  open_tree_attr: same(467),
  unshare: both(272, 97),
  setns: both(308, 268),
  // files without a path
  open_by_handle_at: both(304, 265),
  name_to_handle_at: both(303, 264),
  fanotify_init: both(300, 262),
  // keys of the kernel
  add_key: both(248, 217),
  request_key: both(249, 218),
  keyctl: both(250, 219),
  // programs within the kernel, and what watches it
  bpf: both(321, 280),
  userfaultfd: both(323, 282),
  perf_event_open: both(298, 241),
  lookup_dcookie: both(212, 18),
  syslog: both(103, 116),
  // the machine
  init_module: both(175, 105),
  finit_module: both(313, 273),
  delete_module: both(176, 106),
  create_module: onlyX64(174),
  query_module: onlyX64(178),
  get_kernel_syms: onlyX64(177),
  kexec_load: both(246, 104),
  kexec_file_load: both(320, 294),
  reboot: both(169, 142),
  swapon: both(167, 224),
  swapoff: both(168, 225),
  acct: both(163, 89),
  quotactl: both(179, 60),
  quotactl_fd: same(443),
  nfsservctl: both(180, 42),
  iopl: onlyX64(172),
  ioperm: onlyX64(173),
  modify_ldt: onlyX64(154),
  uselib: onlyX64(134),
  sysctl: onlyX64(156),
  settimeofday: both(164, 170),
  clock_settime: both(227, 112),
  clock_adjtime: both(305, 266),
  adjtimex: both(159, 171),
  vhangup: both(153, 58)
}

/** Answered as by a kernel that does not have them: their flags lie in memory, where no filter can look, and whoever
 * calls them knows the older call. */
export const UNKNOWN: Readonly<Record<string, Numbers>> = {
  clone3: same(435),
  openat2: same(437)
}

/** A call refused for certain values of one argument. */
export interface Conditional {
  numbers: Numbers
  /** Which argument, from 0. Its lower 32 bits are all the kernel looks at. */
  argument: number
  /** Refused where any of these bits is set, … */
  bits?: number
  /** … where the argument is one of these, … */
  oneOf?: readonly number[]
  /** … or where it is none of these. */
  noneOf?: readonly number[]
  /** Only where any of these bits is set in another argument; elsewhere the first one means nothing. */
  given?: { argument: number; bits: number }
}

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NEW_NAMESPACES = 0x7e02_0000
/** A set-user-id file would give others our rights; so S_ISUID, and S_ISGID with it. */
const WITH_RIGHTS = 0o6000
/** O_CREAT and the own bit of O_TMPFILE. */
const CREATES = 0o100 | 0o20000000
/** AF_UNIX, AF_INET, AF_INET6. */
const SOCKETS = [1, 2, 10]
/** TIOCSTI and TIOCLINUX put input into a terminal, as if a person had typed it. */
const TYPES_INTO_TERMINALS = [0x5412, 0x541c]

export const CONDITIONAL: Readonly<Record<string, Conditional>> = {
  clone: { numbers: both(56, 220), argument: 0, bits: NEW_NAMESPACES },
  socket: { numbers: both(41, 198), argument: 0, noneOf: SOCKETS },
  ioctl: { numbers: both(16, 29), argument: 1, oneOf: TYPES_INTO_TERMINALS },
  chmod: { numbers: onlyX64(90), argument: 1, bits: WITH_RIGHTS },
  fchmod: { numbers: both(91, 52), argument: 1, bits: WITH_RIGHTS },
  fchmodat: { numbers: both(268, 53), argument: 2, bits: WITH_RIGHTS },
  fchmodat2: { numbers: same(452), argument: 2, bits: WITH_RIGHTS },
  mknod: { numbers: onlyX64(133), argument: 1, bits: WITH_RIGHTS },
  mknodat: { numbers: both(259, 33), argument: 2, bits: WITH_RIGHTS },
  creat: { numbers: onlyX64(85), argument: 1, bits: WITH_RIGHTS },
  open: { numbers: onlyX64(2), argument: 2, bits: WITH_RIGHTS, given: { argument: 1, bits: CREATES } },
  openat: { numbers: both(257, 56), argument: 3, bits: WITH_RIGHTS, given: { argument: 2, bits: CREATES } }
}
