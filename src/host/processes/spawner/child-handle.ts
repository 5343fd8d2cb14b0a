// Interface of a spawned process, and of the request to start it.
import type { Socket } from 'node:net'
import type { StdStream } from '../outputs/capture-page.ts'
import type { ByteConsumer } from './fifo-pool.ts'
import type { Orphan } from './spawner-protocol.ts'

/** Time between SIGTERM and SIGKILL. */
export const KILL_GRACE_MS = 200

export interface SpawnRequest {
  /** A path, or a name looked up in the PATH of `env`. */
  file: string
  args: readonly string[]
  cwd: string
  /** `device:inode` that the folder must have; otherwise nothing is started. */
  cwdIdentity?: string | undefined
  /** The complete environment; nothing is inherited. */
  env: Readonly<Record<string, string>>
  /** Initial input; without it standard input is /dev/null. */
  stdin?: string | Uint8Array | undefined
  /** Standard input stays open for more. */
  interactive?: boolean
  /** One pipe is standard output and standard error, which keeps the order of all writes, as by `2>&1`. */
  mergeStreams?: boolean
  /** Files to be opened for reading as its descriptors 3, 4, … */
  inherit?: readonly string[]
  /** Absolute path of the workspace that the program may write in; undefined if it writes in none. */
  writesIn?: string | undefined
  /** Niceness of the program and its children, 0 to 19; 0 by default. Ignored where the system refuses it. */
  niceness?: number
  /** The program is a sandbox with its own pid namespace: signals are for its contents. */
  isSandbox?: boolean
  /** Signal by which the program ends all that it has started, and itself; SIGKILL by default. */
  endSignal?: NodeJS.Signals | undefined
  /** NAME=value of a variable in `env` that identifies the command's descendants, should they leave its session. */
  mark?: string
}

export interface ChildExit {
  code: number | null
  signal: string | null
  /** A process started by the command still lives; `killTree` ends it. */
  left: boolean
}

/** A started process, in its own session and process group. Its output must be read, or it stalls. */
export interface ChildHandle {
  pid: number
  /** The streams that have a pipe: standard output alone if the streams are merged. */
  readonly streams: readonly StdStream[]
  readonly stdout: Socket
  /** The same as `stdout` if the streams are merged. */
  readonly stderr: Socket
  /** Opens an output that is not read yet and passes its raw bytes to `take`; see `OutputPipe.read`. */
  read(stream: StdStream, take: ByteConsumer): Socket
  /** Standard input, if there is one. Its buffer grows with unread data; it closes with the process. */
  stdin: Socket | undefined
  /** Rejects only if the helper died, which also ended the process. */
  exited: Promise<ChildExit>
  /** Sends SIGTERM to the group, then SIGKILL after the grace time; with a grace time of 0, SIGKILL at once. */
  kill(graceMs: number): void
  /** Sends one signal to the group, or to everything in its sandbox. */
  signal(name: NodeJS.Signals): void
  /** Kills all processes left by the command and returns them once they are gone. */
  killTree(): Promise<Orphan[]>
  /** Lets the processes left by the command live on, until they end or `killTree` ends them. */
  adopt(): Promise<AdoptedOrphans>
}

/** Processes left by a command that may live on. */
export interface AdoptedOrphans {
  orphans: Orphan[]
  /** Resolves when none of them is left. */
  gone: Promise<unknown>
}
