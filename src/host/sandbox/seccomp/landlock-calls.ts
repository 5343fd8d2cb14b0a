// System calls denied besides where there are no namespaces, since Landlock does not confine them: shared memory, other
// processes' priorities and limits, sockets, and, for the level that writes nothing, attributes of files.
import {
  CONDITIONAL_SYSCALLS,
  type ConditionalSyscall,
  DENIED_SYSCALLS,
  onAll,
  onlyX64,
  perArchitecture,
  type SyscallNumbers,
  type SyscallTables,
  UNIMPLEMENTED_SYSCALLS
} from './seccomp-calls.ts'

/** Denied: no namespace separates these from other processes of the user. */
const SHARED_WITH_OTHERS: Readonly<Record<string, SyscallNumbers>> = {
  setpriority: perArchitecture(141, 140),
  ioprio_set: perArchitecture(251, 30),
  migrate_pages: perArchitecture(256, 238),
  move_pages: perArchitecture(279, 239),
  shmget: perArchitecture(29, 194),
  shmctl: perArchitecture(31, 195),
  shmat: perArchitecture(30, 196),
  semget: perArchitecture(64, 190),
  semctl: perArchitecture(66, 191),
  semop: perArchitecture(65, 193),
  semtimedop: perArchitecture(220, 192),
  msgget: perArchitecture(68, 186),
  msgctl: perArchitecture(71, 187),
  msgsnd: perArchitecture(69, 189),
  msgrcv: perArchitecture(70, 188),
  mq_open: perArchitecture(240, 180),
  mq_unlink: perArchitecture(241, 181)
}

/**
 * No network, and no named Unix socket: the filter cannot see the name that a socket is connected to. Pairs remain, which
 * programs use as pipes; they are connected already.
 */
const SOCKETS: Readonly<Record<string, SyscallNumbers>> = {
  socket: perArchitecture(41, 198),
  connect: perArchitecture(42, 203),
  bind: perArchitecture(49, 200),
  listen: perArchitecture(50, 201),
  accept: perArchitecture(43, 202),
  accept4: perArchitecture(288, 242)
}

/** Landlock does not restrict who changes attributes, nor who watches a folder's names. */
const ATTRIBUTES: Readonly<Record<string, SyscallNumbers>> = {
  chmod: onlyX64(90),
  fchmod: perArchitecture(91, 52),
  fchmodat: perArchitecture(268, 53),
  fchmodat2: onAll(452),
  chown: onlyX64(92),
  fchown: perArchitecture(93, 55),
  lchown: onlyX64(94),
  fchownat: perArchitecture(260, 54),
  utime: onlyX64(132),
  utimes: onlyX64(235),
  futimesat: onlyX64(261),
  utimensat: perArchitecture(280, 88),
  setxattr: perArchitecture(188, 5),
  lsetxattr: perArchitecture(189, 6),
  fsetxattr: perArchitecture(190, 7),
  removexattr: perArchitecture(197, 14),
  lremovexattr: perArchitecture(198, 15),
  fremovexattr: perArchitecture(199, 16),
  setxattrat: onAll(463),
  removexattrat: onAll(466),
  file_setattr: onAll(469)
}
const WATCHES: Readonly<Record<string, SyscallNumbers>> = { inotify_add_watch: perArchitecture(254, 27) }

/** AF_UNIX. */
const UNIX = 1
/** Set in SOCK_DGRAM and SOCK_RAW, not in SOCK_STREAM and SOCK_SEQPACKET: datagrams can be sent to any name. */
const DATAGRAM_BIT = 2

const ONLY_ITSELF: Pick<ConditionalSyscall, 'argument' | 'noneOf'> = { argument: 0, noneOf: [0] }
const CONDITIONS: Readonly<Record<string, ConditionalSyscall | readonly ConditionalSyscall[]>> = {
  prlimit64: { numbers: perArchitecture(302, 261), ...ONLY_ITSELF },
  sched_setaffinity: { numbers: perArchitecture(203, 122), ...ONLY_ITSELF },
  sched_setscheduler: { numbers: perArchitecture(144, 119), ...ONLY_ITSELF },
  sched_setparam: { numbers: perArchitecture(142, 118), ...ONLY_ITSELF },
  sched_setattr: { numbers: perArchitecture(314, 274), ...ONLY_ITSELF },
  socketpair: [
    { numbers: perArchitecture(53, 199), argument: 0, noneOf: [UNIX] },
    { numbers: perArchitecture(53, 199), argument: 1, bits: DATAGRAM_BIT }
  ]
}

/** Filter of the level `read-only` where there are no namespaces. */
export const LANDLOCK_READ_ONLY_SYSCALLS: SyscallTables = {
  denied: { ...DENIED_SYSCALLS, ...SHARED_WITH_OTHERS, ...ATTRIBUTES },
  unavailable: { ...SOCKETS, ...WATCHES },
  unimplemented: UNIMPLEMENTED_SYSCALLS,
  conditional: { ...CONDITIONAL_SYSCALLS, ...CONDITIONS }
}
