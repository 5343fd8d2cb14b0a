// Git of this machine for all calls: finds the program, starts it sandboxed, and recovers interrupted operations.
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { toConfigEnv } from '../git-settings.ts'
import type { Environment } from '../processes/environment.ts'
import { findProgram } from '../processes/find-program.ts'
import { searchPathOutside } from '../processes/search-path.ts'
import type { Spawner } from '../processes/spawner/spawner.ts'
import { stateTempFolder } from '../temp-folders.ts'
import type { Workspace } from '../workspace.ts'
import { ConfigurationCache } from './configuration.ts'
import type { GitProcessOptions } from './git-command.ts'
import { GitProcess } from './git-process.ts'
import { GitSandbox } from './git-sandbox.ts'
import { gitUserFolders } from './git-user.ts'
import {
  GIT_FLAGS,
  HARDENED_SETTINGS,
  NO_CONFIG_GIT_ENV,
  NO_LOCKS_GIT_ENV,
  NON_INTERACTIVE_GIT_ENV
} from './hardening.ts'
import { recoverPendingOperations } from './pending-operations.ts'
import { isRefName } from './update-branch.ts'

export const MAX_OUTPUT_BYTES = 16 * 1024 * 1024
const DEFAULT_TIMEOUT_MS = 60000

/** Options shared by all calls. */
interface GitServiceOptions {
  spawner: Spawner
  /** Roots of all workspaces: a git program in one of them is not used. */
  roots: () => readonly string[]
  /** The server's state folder. */
  stateDir: string
  /** Policy for hooks of repositories: skipped, or run after approval. */
  hookPolicy: 'skip' | 'ask'
  /** Real paths of the folders outside of workspaces from which repositories may borrow objects; none by default. */
  readable?: () => readonly string[]
  /** Checks if a `.git` appeared while a command runs that may still change what is in it. */
  mayStillChange?: (workspace: Workspace, file: string) => boolean
}

/** Git of this machine, for all workspaces and calls. */
export class GitService {
  readonly #options: GitServiceOptions
  readonly #sandbox: GitSandbox
  readonly configurations = new ConfigurationCache()
  #located: { PATH: string; git: string } | undefined

  constructor(programs: GitServiceOptions) {
    this.#options = programs
    this.#sandbox = new GitSandbox(programs.spawner, programs.stateDir)
  }

  /** Pid of the helper for read-only git, if it runs. */
  get pid(): number | undefined {
    return this.#sandbox.pid
  }

  close(): Promise<void> {
    return this.#sandbox.close()
  }

  get environment(): Environment {
    return this.#options.spawner.environment
  }

  /** The user's own files, by the server's environment. */
  get user() {
    return gitUserFolders(this.environment)
  }

  async start(where: string, order: GitProcessOptions, signal: AbortSignal) {
    const { args, access = 'read', env = {}, stdin, timeout_ms = DEFAULT_TIMEOUT_MS, writable } = order
    const { PATH, git } = this.#locate()
    const own = { PATH, ...(access !== 'push' && NON_INTERACTIVE_GIT_ENV), ...(access === 'read' && NO_LOCKS_GIT_ENV) }
    const request = { file: git, args: [...GIT_FLAGS, ...args], cwd: where, env: { ...own, ...env }, stdin }
    signal.throwIfAborted()
    const spawned =
      access === 'push' ? await this.#options.spawner.spawn(request) : await this.#sandbox.start(request, writable)
    return new GitProcess(spawned, { signal, timeout_ms })
  }

  /** Roots of all workspaces. */
  get roots(): readonly string[] {
    return this.#options.roots()
  }

  get readable(): readonly string[] {
    return this.#options.readable?.() ?? []
  }

  mayStillChange(workspace: Workspace, file: string): boolean {
    return this.#options.mayStillChange?.(workspace, file) ?? false
  }

  get hookPolicy() {
    return this.#options.hookPolicy
  }

  /** Folder of temporary trees, inaccessible to commands. */
  get draftsFolder() {
    return stateTempFolder(this.#options.stateDir)
  }

  /** Folder of the records of pending operations. */
  get pendingFolder() {
    return path.join(this.#options.stateDir, 'git')
  }

  /** Completes or reverts operations that a killed server left pending in repositories. */
  recoverPendingOperations(): Promise<void> {
    return recoverPendingOperations(this.pendingFolder, async ({ git_dir, ref, to }) => {
      const commit = ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]
      const args = isRefName(to) ? ['symbolic-ref', '--quiet', ref] : commit
      const env = { ...NO_CONFIG_GIT_ENV, GIT_DIR: git_dir, ...toConfigEnv(HARDENED_SETTINGS) }
      const running = await this.start(git_dir, { args, env, writable: [] }, new AbortController().signal)
      return (await running.readAll(MAX_OUTPUT_BYTES)).stdout.toString('utf8').trim()
    })
  }

  #locate() {
    if (this.#located) return this.#located
    const PATH = searchPathOutside(this.#options.roots(), this.environment)
    try {
      this.#located = { PATH, git: findProgram('git', { PATH }, '/') }
    } catch {
      throw new ToolError('EXECUTION_ERROR', 'git is not installed: install the package `git`.', {
        code: 'ENOENT'
      })
    }
    return this.#located
  }
}
