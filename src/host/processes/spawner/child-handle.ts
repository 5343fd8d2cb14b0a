// A process that was started, and what is asked of it, as those see it who have it started.
import type { Socket } from 'node:net'
import type { ByteConsumer } from './fifo-pool.ts'
import type { Orphan } from './spawner-protocol.ts'

/** How long a process has between being asked to end and being made to. */
export const KILL_GRACE_MS = 200

export interface SpawnRequest {
  /** A path, or a name looked up in the PATH of `env`. */
  file: string
  args: readonly string[]
  cwd: string
  /** The whole environment; nothing is inherited. */
  env: Readonly<Record<string, string>>
  /** Given at the start; without it standard input is /dev/null. */
  stdin?: string | Uint8Array | undefined
  /** Standard input stays open for more. */
  interactive?: boolean
  /** Files to be opened for reading as its descriptors 3, 4, … */
  inherit?: readonly string[]
  /** The program is a sandbox with a process namespace of its own: signals are for what runs in it. */
  isSandbox?: boolean
  /** NAME=value of a variable in `env` that tells the command's relatives apart, should they leave its session. */
  mark?: string
}

export interface ChildExit {
  code: number | null
  signal: string | null
  /** Something that the command started still lives; `killTree` ends it. */
  left: boolean
}

/** A started process, in a session and process group of its own. Its output must be read, or it stalls. */
export interface ChildHandle {
  pid: number
  readonly stdout: Socket
  readonly stderr: Socket
  /** Opens an output that is not read yet, for whoever takes its bytes as they are; see `Incoming.read`. */
  read(stream: 'stdout' | 'stderr', take: ByteConsumer): Socket
  /** Where there is one. Its buffer grows with what is not read; it closes with the process. */
  stdin: Socket | undefined
  /** Rejects only when the helper died, which also ended the process. */
  exited: Promise<ChildExit>
  /** SIGTERM to the group, then SIGKILL after the grace time; without grace SIGKILL at once. */
  kill(graceMs: number): void
  /** One signal to the group, or to all that is in its sandbox. */
  signal(name: NodeJS.Signals): void
  /** Ends all that the command left behind and answers what that was once it is gone. */
  killTree(): Promise<Orphan[]>
  /** Lets all that the command left behind live on, until it ends by itself or `killTree` ends it. */
  adopt(): Promise<AdoptedOrphans>
}

/** What a command left behind and may live on. */
export interface AdoptedOrphans {
  orphans: Orphan[]
  /** Resolves when nothing of it is left. */
  gone: Promise<unknown>
}
