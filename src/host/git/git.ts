// Git for one call, through its command line. A tool finds a repository by a workspace path and runs git in it:
//
//   const repository = await host.git.repository(path)
//   const { stdout, stderr, code } = await host.git.run(repository, { args: ['status', '--porcelain=v2', '-z'] })
//   for await (const bytes of host.git.stream(repository, { args })) …
//
// Programs named by a repository or an environment are never run (`hardening.ts`), whatever the command; the caller adds
// `--no-ext-diff` and `--no-textconv` for commands that support them. Path arguments are literal and relative to the
// repository's top: `toRepositoryPath` and `toWorkspacePath` of `Repository` convert them. Revisions given by callers go
// through `validateRevision` first: none begins with a dash.
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import type { Effects } from '../effects.ts'
import { type OpenedFiles, watchForStall } from '../files/stalling-files.ts'
import { toConfigEnv } from '../git-settings.ts'
import { isWithin } from '../sandbox/path-within.ts'
import { createTempFolder } from '../temp-folders.ts'
import type { Workspace } from '../workspace.ts'
import type { GitConfiguration } from './configuration.ts'
import { type ConfiguredProgram, findConfiguredProgram } from './configured-programs.ts'
import { cleanStderr } from './errors.ts'
import type { GitCommand } from './git-command.ts'
import { findGitHooks, type GitHook } from './git-hooks.ts'
import type { GitExit, GitProcess } from './git-process.ts'
import { type GitService, MAX_OUTPUT_BYTES } from './git-service.ts'
import { NO_CONFIG_GIT_ENV } from './hardening.ts'
import { copyIndex } from './index-copy.ts'
import { lastHeadChange } from './last-head-change.ts'
import { GitPush } from './push.ts'
import { Repository } from './repository.ts'
import {
  assertOwnWorktree,
  findRepository,
  isAboveWorkspace,
  type RepositoryBounds,
  type RepositoryLocation
} from './repository-location.ts'
import { giveToOwner } from './repository-owner.ts'
import { TemporaryTree } from './temporary-tree.ts'
import { type BranchUpdate, updateBranchAndIndex } from './update-branch.ts'

/** Files that Git opens automatically. */
const GIT_FILES: OpenedFiles = {
  names: new Set(['.gitignore', '.gitattributes', '.gitmodules', '.mailmap']),
  inGitFolder: 'all'
}

export class Git {
  readonly #service: GitService
  readonly #workspace: Workspace
  readonly #effects: Pick<Effects, 'signal' | 'commitIntent'>

  constructor(machine: GitService, workspace: Workspace, effects: Pick<Effects, 'signal' | 'commitIntent'>) {
    this.#service = machine
    this.#workspace = workspace
    this.#effects = effects
  }

  get #bounds(): RepositoryBounds {
    return { root: this.#workspace.root, readable: this.#service.readable }
  }

  /** Returns when HEAD of a folder's repository last moved; see `lastHeadChange`. */
  lastHeadChange(folder: string): number | undefined {
    return lastHeadChange(this.#bounds, folder)
  }

  /** Checks if the nearest repository of a folder begins above the workspace. */
  isAboveWorkspace(folder: string): boolean {
    return isAboveWorkspace(this.#bounds, folder)
  }

  /** As `findConfiguredProgram`, for a folder of the workspace. */
  findConfiguredProgram(folder: string, diffs: boolean): ConfiguredProgram | undefined {
    const { root } = this.#workspace
    return findConfiguredProgram({ root, folder, home: this.#service.user.home }, diffs)
  }

  /** Finds the nearest repository of a folder or a path in it. The path is canonical; it need not exist any more. */
  async repository(folder: string): Promise<Repository> {
    const place = findRepository(this.#bounds, folder)
    this.#assertNotChanging(place)
    const configuration = await this.#configuration(place)
    assertOwnWorktree(place, configuration)
    return new Repository(this.#workspace.root, place, configuration)
  }

  /** Git reads the configuration when it starts: one that a running command may change then could name other programs than were looked at. */
  #assertNotChanging({ top, git_dir, bare }: RepositoryLocation) {
    const file = bare ? git_dir : path.join(top, '.git')
    if (!this.#service.mayStillChange(this.#workspace, file)) return
    throw new ToolError(
      'CONFLICT',
      `${path.relative(this.#workspace.root, file)} was created while a command was running that may still change it. ` +
        'Wait until the command has ended.'
    )
  }

  /** Git for operations that must not be interrupted: ignores cancellation and time limit of the call. */
  get uncancellable(): Git {
    const { commitIntent } = this.#effects
    const effects = { commitIntent: () => commitIntent.call(this.#effects), signal: new AbortController().signal }
    return new Git(this.#service, this.#workspace, effects)
  }

  /** Returns the existing hooks that are run, as commands. Git itself runs none. */
  hooksToRun(repository: Repository, names: readonly string[]): GitHook[] {
    if (this.#service.hookPolicy === 'skip' || !isWithin(repository.top, this.#workspace.root)) return []
    return this.hooks(repository, names).filter(({ file }) => isWithin(file, repository.top))
  }

  /** Returns the hooks of a repository that exist and are executable. */
  hooks(repository: Repository, names: readonly string[]): GitHook[] {
    return findGitHooks(repository, names, this.#service.user.home)
  }

  /** Creates a temporary tree outside the repository, from a commit and files in their current state. */
  createTemporaryTree(repository: Repository): Promise<TemporaryTree> {
    return TemporaryTree.create(this, repository, this.#service.draftsFolder)
  }

  /** Prepares a push; `send` has an effect, and waits until the call's intent is durable. */
  createPush(repository: Repository): GitPush {
    const { signal, commitIntent } = this.#effects
    return new GitPush(this.#service, repository, { signal, commitIntent: () => commitIntent.call(this.#effects) })
  }

  /** Advances a branch, or a detached HEAD, and with it the staged entries of some paths. */
  updateBranch(repository: Repository, advance: BranchUpdate): Promise<void> {
    return updateBranchAndIndex(this.uncancellable, repository, advance, {
      drafts: this.#service.draftsFolder,
      begun: this.#service.pendingFolder
    })
  }

  /** Runs git to its end; its output must fit the limit. Its exit code is returned, not checked. */
  async run(
    repository: Repository,
    { max_bytes = MAX_OUTPUT_BYTES, ...order }: GitCommand & { max_bytes?: number }
  ): Promise<GitExit & { stdout: Buffer }> {
    const since = Date.now()
    const running = await this.#start(repository, order)
    try {
      return await running.readAll(max_bytes)
    } finally {
      if (order.access === 'write') giveToOwner(repository, since)
    }
  }

  /** Streams git's output; leaving the loop ends it. Returns its exit. */
  async *stream(repository: Repository, order: GitCommand): AsyncGenerator<Buffer, GitExit, void> {
    return yield* (await this.#start(repository, order)).output()
  }

  /**
   * Streams the output of `git diff` without a write to the repository. `diff` locks and refreshes the index regardless of
   * GIT_OPTIONAL_LOCKS, and would fail a concurrent commit of the user: it gets a copy of the index.
   */
  async *streamDiff(repository: Repository, args: readonly string[]): AsyncGenerator<Buffer, GitExit, void> {
    const folder = await createTempFolder(this.#service.draftsFolder)
    try {
      const env = await copyIndex(repository.git_dir, folder.path)
      return yield* this.stream(repository, { args: ['diff', ...args], env })
    } finally {
      await folder.remove()
    }
  }

  async #start(repository: Repository, order: GitCommand): Promise<GitProcess> {
    const { signal, commitIntent } = this.#effects
    const { access = 'read', settings = [], env = {}, writableFolder } = order
    signal.throwIfAborted()
    if (access === 'write') await commitIntent.call(this.#effects)
    const running = await this.#service.start(
      repository.top,
      {
        ...order,
        env: {
          ...NO_CONFIG_GIT_ENV,
          ...repository.env,
          ...toConfigEnv([...repository.configuration.settings, ...settings]),
          ...env
        },
        writable: [
          ...(access === 'write' ? repository.writableFolders : []),
          ...(writableFolder === undefined ? [] : [writableFolder])
        ]
      },
      signal
    )
    return this.#watch(running, repository.path)
  }

  /** Fails instead of waiting for a pipe in place of a file that git reads. `folder`: of its working tree. */
  #watch(running: GitProcess, folder: string): GitProcess {
    return running.watch(fail => watchForStall(this.#workspace, { program: 'git', folder, opens: GIT_FILES }, fail))
  }

  #configuration(place: RepositoryLocation): Promise<GitConfiguration> {
    const { user, configurations } = this.#service
    return configurations.get(place, user, async () => {
      const args = ['config', '--list', '--null', '--show-scope', '--show-origin']
      // Listing executes nothing, so it may read the user's settings too.
      const env = {
        ...user.variables,
        HOME: user.home,
        XDG_CONFIG_HOME: path.dirname(user.folder),
        GIT_DIR: place.git_dir
      }
      const started = await this.#service.start(place.git_dir, { args, env, writable: [] }, this.#effects.signal)
      const { root } = this.#workspace
      const folder = isWithin(place.top, root) ? path.relative(root, place.top) || '.' : '.'
      const running = this.#watch(started, folder)
      const { code, stdout, stderr } = await running.readAll(MAX_OUTPUT_BYTES)
      if (code === 0) return stdout
      throw new ToolError(
        'EXECUTION_ERROR',
        `The repository's configuration cannot be read: ${cleanStderr(stderr, place)}`
      )
    })
  }
}
