// What keeps a command from the rest of the machine, and the one way to have a command kept so.
import type { EgressReport } from '../egress/egress-log.ts'
import type { Workspace } from '../workspace.ts'
import type { IsolationLevel } from './isolation-levels.ts'

export type { IsolationLevel } from './isolation-levels.ts'

export interface Isolation {
  level: IsolationLevel
  /** Host patterns it may reach, through our proxy alone; empty for no network at all. Not with level `none`. */
  network: readonly string[]
}

/** A program about to be started, as the spawner wants it. Paths are absolute, the environment is whole. */
export interface Program {
  file: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
  /** What it must find besides, to be read only. Where nothing is mounted, as with level `none`, its words that name one
   * name it where it is. */
  mounts?: readonly Mount[]
  /** What it may use up, where that is not what commands may. */
  limits?: Partial<UsageLimits>
  /** It runs on a terminal of its own, and stays in the session of that. */
  terminal?: boolean
}

/** Of all that it starts together, and of each process. */
export interface UsageLimits {
  memory_bytes: number
  /** Infinity for no limit. */
  cpu_seconds: number
}

/** A file, folder or socket, put where a sandboxed program finds it: absolute paths outside and inside. */
export interface Mount {
  from: string
  to: string
}

/** The same program, kept. */
export interface ConfinedProgram extends Pick<Program, 'file' | 'args' | 'cwd' | 'env'> {
  /** Files to be opened for reading as descriptors 3, 4, …, in this order. */
  inherit: readonly string[]
  /** To be called once when the program and all it started has ended. */
  released(): Promise<SandboxReport>
}

/** What a sandboxed command left behind that must not stay where it was. */
export interface SandboxReport {
  /** Files that some program would obey later, made by the command and taken out of the workspace: their paths there. */
  quarantined: string[]
  /** Where they are now; absolute. */
  folder?: string
  /** Why nobody could look for such files. */
  unchecked?: string
  /** What it tried to reach, where it was granted hosts. */
  network?: EgressReport
  /** Something in it was killed because all of it together took more memory than it may. */
  out_of_memory?: true
  /** The sandbox did not get so far as to start the program. */
  never_began?: true
}

/** Whether a level holds here, as tried out when the server started. */
export interface LevelState {
  level: IsolationLevel
  holds: boolean
  /** Why not, and what would cure it. */
  reason?: string
  /** What it cannot do here although it holds, such as limits for memory. */
  lacks?: string[]
}

export interface Sandbox {
  /** What commands get that ask for nothing else. With the setting `auto` this is known once `states` has answered;
   * before that it is `workspace`. */
  readonly default: IsolationLevel
  /** Every level with whether it holds; tries them out when first asked. */
  states(): Promise<readonly LevelState[]>
  /** Throws SANDBOX_UNAVAILABLE where the level does not hold; never falls back to another. */
  confine(program: Program, isolation: Isolation, workspace: Workspace): Promise<ConfinedProgram>
}
