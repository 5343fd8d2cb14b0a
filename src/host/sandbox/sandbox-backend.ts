// How one system keeps programs, without a word on whether it is trusted to: that is found out by trying (see levels.ts).
import type { Config } from '../../config/schema.ts'
import type { Environment } from '../processes/environment.ts'
import type { Workspace } from '../workspace.ts'
import type { ConfinedProgram, Program } from './sandbox.ts'

/** The levels that a program is put into, as opposed to those that the whole server has or lacks. */
export type SandboxedLevel = 'workspace' | 'read-only'

export interface SandboxBackend {
  /** What must be there and is not, with its cure; undefined where there is all that can be seen without trying. */
  readonly missingDependency: string | undefined
  /** What it cannot do here. */
  readonly lacks: readonly string[]
  /** A program can be let out to named hosts. */
  readonly canGrantHosts: boolean
  confine(program: Program, level: SandboxedLevel, workspace: Workspace): Promise<ConfinedProgram>
}

export interface SandboxBackendOptions {
  /** The server's own: programs that its search path leads to are seen by all commands, its home by none. */
  environment: Environment
  settings: Config['sandbox']
  /** Real path of the server's state folder. */
  stateDir: string
  /** Further files and folders of the server that nobody may see: absolute. */
  hidden: readonly string[]
  /** Name patterns that are sensitive besides the built-in ones. */
  sensitive: readonly string[]
}
