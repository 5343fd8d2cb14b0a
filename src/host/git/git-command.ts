import type { GitExit } from './git-process.ts'
import type { GitSetting } from './hardening.ts'
import type { Repository } from './repository.ts'

/** What git may do besides reading.
 * `read`: nothing; neither a lock nor the refreshed index is written.
 * `createTemporaryTree`: write into `writableFolder`, which is none of the repository's.
 * `write`: change the repository and its working tree. It waits until the call's intent is durable. */
type Access = 'read' | 'draft' | 'write'

export interface GitCommand {
  /** The command and its words. */
  args: readonly string[]
  /** `read` without one. */
  access?: Access
  stdin?: string | Uint8Array
  /** Variables besides, which win over ours. */
  env?: Readonly<Record<string, string>>
  /** Settings besides, which win over ours. */
  settings?: readonly GitSetting[]
  /** A folder of the server's own that it may write to. */
  writableFolder?: string
  /** Ends it after this long; a minute without. */
  timeout_ms?: number
}

/** `push` is writing with the network and with the rights of the user, as programs of theirs need them. */
export interface GitProcessOptions extends Omit<GitCommand, 'access' | 'settings' | 'writableFolder'> {
  access?: Access | 'push'
  /** Folders that it may write to, where anything keeps it. */
  writable: readonly string[]
}

/** Runs git commands in a repository. */
export interface GitRunner {
  run(repository: Repository, command: GitCommand & { max_bytes?: number }): Promise<GitExit & { stdout: Buffer }>
}
