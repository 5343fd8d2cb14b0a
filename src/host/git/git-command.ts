// A git command: its arguments, access and limits, and the interface that runs it.

import type { GitSetting } from '../git-settings.ts'
import type { GitExit } from './git-process.ts'
import type { Repository } from './repository.ts'

/**
 * Permitted effects of git.
 *
 * - `read`: none; neither a lock nor the refreshed index is written.
 * - `draft`: writes to `writableFolder`, which is outside the repository.
 * - `write`: changes the repository and its working tree. Waits until the call's intent is durable.
 */
type Access = 'read' | 'draft' | 'write'

export interface GitCommand {
  /** The command and its arguments. */
  args: readonly string[]
  /** Defaults to `read`. */
  access?: Access
  stdin?: string | Uint8Array
  /** Additional variables, which take precedence. */
  env?: Readonly<Record<string, string>>
  /** Additional settings, which take precedence. */
  settings?: readonly GitSetting[]
  /** A folder of the server that git may write to. */
  writableFolder?: string
  /** Ends it after this time; defaults to one minute. */
  timeout_ms?: number
}

/** `push` writes with network access and the user's rights, as the user's credential programs require. */
export interface GitProcessOptions extends Omit<GitCommand, 'access' | 'settings' | 'writableFolder'> {
  access?: Access | 'push'
  /** Folders that it may write to if it is sandboxed. */
  writable: readonly string[]
}

/** Runs git commands in a repository. */
export interface GitRunner {
  run(repository: Repository, command: GitCommand & { max_bytes?: number }): Promise<GitExit & { stdout: Buffer }>
}
