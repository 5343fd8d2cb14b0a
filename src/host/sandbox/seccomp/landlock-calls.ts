// System calls denied besides where there are no namespaces, since Landlock does not confine them: other processes' priorities
// and limits, shared memory and sockets where there is no network, and attributes of files for the level that writes nothing.
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

/** Denied: no namespace separates other processes of the user. */
const OTHER_PROCESSES: Readonly<Record<string, SyscallNumbers>> = {
  setpriority: perArchitecture(141, 140),
  ioprio_set: perArchitecture(251, 30),
  migrate_pages: perArchitecture(256, 238),
  move_pages: perArchitecture(279, 239)
}
const SHARED_MEMORY: Readonly<Record<string, SyscallNumbers>> = {
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

/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK: by the last one programs list the network's interfaces. */
const [UNIX, INET, INET6, NETLINK] = [1, 2, 10, 16]
const ALLOWED_SOCKETS_OF_CONTAINER: ConditionalSyscall = {
  numbers: perArchitecture(41, 198),
  argument: 0,
  noneOf: [UNIX, INET, INET6, NETLINK]
}
/** Set in SOCK_DGRAM and SOCK_RAW, not in SOCK_STREAM and SOCK_SEQPACKET: datagrams can be sent to any name. */
const DATAGRAM_BIT = 2

const ONLY_ITSELF: Pick<ConditionalSyscall, 'argument' | 'noneOf'> = { argument: 0, noneOf: [0] }
const OTHER_PROCESSES_BY_NUMBER: Readonly<Record<string, ConditionalSyscall>> = {
  prlimit64: { numbers: perArchitecture(302, 261), ...ONLY_ITSELF },
  sched_setaffinity: { numbers: perArchitecture(203, 122), ...ONLY_ITSELF },
  sched_setscheduler: { numbers: perArchitecture(144, 119), ...ONLY_ITSELF },
  sched_setparam: { numbers: perArchitecture(142, 118), ...ONLY_ITSELF },
  sched_setattr: { numbers: perArchitecture(314, 274), ...ONLY_ITSELF }
}
const CONNECTED_PAIRS: Readonly<Record<string, readonly ConditionalSyscall[]>> = {
  socketpair: [
    { numbers: perArchitecture(53, 199), argument: 0, noneOf: [UNIX] },
    { numbers: perArchitecture(53, 199), argument: 1, bits: DATAGRAM_BIT }
  ]
}

/** Filter of the level `container`: the network is the container's, and what the server's process is must not be changed. */
export const LANDLOCK_CONTAINER_SYSCALLS: SyscallTables = {
  denied: { ...DENIED_SYSCALLS, ...OTHER_PROCESSES },
  unavailable: {},
  unimplemented: UNIMPLEMENTED_SYSCALLS,
  conditional: { ...CONDITIONAL_SYSCALLS, socket: ALLOWED_SOCKETS_OF_CONTAINER, ...OTHER_PROCESSES_BY_NUMBER }
}

/** Filter of the level `workspace`. */
export const LANDLOCK_WORKSPACE_SYSCALLS: SyscallTables = {
  denied: { ...DENIED_SYSCALLS, ...OTHER_PROCESSES, ...SHARED_MEMORY },
  unavailable: SOCKETS,
  unimplemented: UNIMPLEMENTED_SYSCALLS,
  conditional: { ...CONDITIONAL_SYSCALLS, ...OTHER_PROCESSES_BY_NUMBER, ...CONNECTED_PAIRS }
}

/** Filter of the level `read-only`. */
export const LANDLOCK_READ_ONLY_SYSCALLS: SyscallTables = {
  ...LANDLOCK_WORKSPACE_SYSCALLS,
  denied: { ...LANDLOCK_WORKSPACE_SYSCALLS.denied, ...ATTRIBUTES },
  unavailable: { ...SOCKETS, ...WATCHES }
}
