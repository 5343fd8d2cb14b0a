// Interface of a platform's sandbox implementation. It does not decide if it is trustworthy: that is probed (see
// `sandbox-manager.ts`).
import type { Config } from '../../config/schema.ts'
import type { BackendName } from '../../protocol/isolation-levels.ts'
import type { Environment } from '../processes/environment.ts'
import type { Workspace } from '../workspace.ts'
import type { ProbeAttempt } from './probe-attempts.ts'
import type { ConfinedProgram, Isolation, Program } from './sandbox.ts'

/** Levels at which a sandbox can confine a program. */
export type SandboxedLevel = 'workspace' | 'read-only' | 'container'

/** Isolation by a sandbox of the platform. */
export interface Confinement
  extends Pick<Isolation, 'hidesHistory' | 'neutralizesGit' | 'readOnly' | 'hides' | 'discards'> {
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
  findMissing(level: SandboxedLevel): Promise<string | undefined>
  /** Returns the features that are unavailable here. */
  lacks(level: SandboxedLevel): Promise<readonly string[]>
  /** Returns the attempts of the self-test that may succeed although the level holds; none if undefined. */
  permits?(level: SandboxedLevel): readonly ProbeAttempt[]
  /** Returns true if programs of the level can read the secrets and change the protected names in the workspace. */
  exposesWorkspace?(level: SandboxedLevel): boolean
  /**
   * Returns the secrets of a workspace that programs of the level can read, relative to the root; the uppermost folder of those in one.
   * Throws SANDBOX_UNAVAILABLE if the workspace cannot be scanned.
   */
  findReadableSecrets?(level: SandboxedLevel, workspace: Workspace): Promise<string[]>
  /** A bridge in the sandbox can connect its programs to named hosts, and the server to their ports. */
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
