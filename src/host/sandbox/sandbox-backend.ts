// Interface of a platform's sandbox implementation. It does not decide if it is trustworthy: that is probed (see
// `sandbox-manager.ts`).
import type { Config } from '../../config/schema.ts'
import type { Environment } from '../processes/environment.ts'
import type { Workspace } from '../workspace.ts'
import type { BackendName } from './isolation-levels.ts'
import type { ConfinedProgram, Isolation, Program } from './sandbox.ts'

/** Levels that sandbox a program, as opposed to those of the whole server. */
export type SandboxedLevel = 'workspace' | 'read-only'

/** Isolation by a sandbox of the platform. */
export interface Confinement extends Pick<Isolation, 'hidesHistory'> {
  /** Credentials in git's configuration are left out: without network they serve nothing. */
  hidesCredentials?: true
  level: SandboxedLevel
}

export interface SandboxBackend {
  readonly name: BackendName
  /**
   * Finds what a level lacks to be available, with a hint for its resolution; undefined if everything that can be checked without
   * probing is present.
   */
  findMissing(level: SandboxedLevel): string | undefined
  /** Features that are unavailable here. */
  readonly lacks: readonly string[]
  /** Programs can be granted access to named hosts. */
  readonly canGrantHosts: boolean
  confine(program: Program, how: Confinement, workspace: Workspace): Promise<ConfinedProgram>
}

export interface SandboxBackendOptions {
  /** The server's environment: programs on its search path are visible to all commands, its home to none. */
  environment: Environment
  settings: Config['sandbox']
  /** Real path of the server's state folder. */
  stateDir: string
  /** Absolute paths of further hidden files and folders of the server. */
  hidden: readonly string[]
  /** Name patterns that are sensitive besides the built-in ones. */
  sensitive: readonly string[]
}
