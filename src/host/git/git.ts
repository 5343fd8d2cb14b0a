// Git for one call, by its command line. A tool finds a repository by a path of the workspace and has git run in it:
//
//   const repository = await host.git.repository(path)
//   const { stdout, stderr, code } = await host.git.run(repository, { args: ['status', '--porcelain=v2', '-z'] })
//   for await (const bytes of host.git.stream(repository, { args })) …
//
// Nothing that a repository or an environment names is run (`hardening.ts`), whatever the command; `--no-ext-diff` and
// `--no-textconv` are for the caller to give where the command knows them. Paths among the words are literal, and go from
// the repository's top: `repository.inside(path)` says how a path of the workspace is called there, `outside` the reverse.
// Words of a caller that name a revision go through `revision` (`revisions.ts`) first: none begins with a dash.
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { folderOf, homeOf } from '../../server/xdg.ts'
import type { Effects, Workspace } from '../host.ts'
import type { Environment } from '../processes/environment.ts'
import { findProgram } from '../processes/find-program.ts'
import { pathBeside } from '../processes/search-path.ts'
import type { Spawner } from '../processes/spawner/spawner.ts'
import { isBeneath } from '../sandbox/path-within.ts'
import { ownTemporary, temporaryFolder } from '../temp-folders.ts'
import { type Configuration, Configurations } from './configuration.ts'
import { saidBy } from './errors.ts'
import { type Hook, hooksIn } from './git-hooks.ts'
import { type Ended, Running } from './git-process.ts'
import { Confinement } from './git-sandbox.ts'
import { ALONE, FLAGS, inVariables, SETTINGS, type Setting, UNATTENDED, WITHOUT_LOCKS } from './hardening.ts'
import { copyIndex } from './index-copy.ts'
import { endBegun } from './pending-operations.ts'
import { Pushing } from './push.ts'
import { Repository } from './repository.ts'
import { findRepository, type RepositoryPlace, refuseForeign } from './repository-location.ts'
import { Draft } from './temporary-tree.ts'
import { type Advance, advanced, isName } from './update-branch.ts'

export type { Ended } from './git-process.ts'
export { Repository } from './repository.ts'

const MAX_BYTES = 16 * 1024 * 1024
const TIMEOUT_MS = 60_000

/** What git may do besides reading.
 * `read`: nothing; neither a lock nor the refreshed index is written.
 * `draft`: write into `folder`, which is none of the repository's.
 * `write`: change the repository and its working tree. It waits until the call's intent is durable. */
type Access = 'read' | 'draft' | 'write'

export interface GitOrder {
  /** The command and its words. */
  args: readonly string[]
  /** `read` without one. */
  access?: Access
  stdin?: string | Uint8Array
  /** Variables besides, which win over ours. */
  env?: Readonly<Record<string, string>>
  /** Settings besides, which win over ours. */
  settings?: readonly Setting[]
  /** A folder of the server's own that it may write to. */
  folder?: string
  /** Ends it after this long; a minute without. */
  timeout_ms?: number
}

/** `push` is writing with the network and with the rights of the user, as programs of theirs need them. */
export interface MachineOrder extends Omit<GitOrder, 'access' | 'settings' | 'folder'> {
  access?: Access | 'push'
  /** Folders that it may write to, where anything keeps it. */
  writable: readonly string[]
}

/** What all calls share. */
interface GitPrograms {
  spawner: Spawner
  /** Of all workspaces: no git of theirs is taken for the machine's. */
  roots: () => readonly string[]
  /** A folder of the server's own. */
  place: string
  /** Whether those of repositories are run, once that was asked about. */
  hooks: 'skip' | 'ask'
}

/** Git of this machine, for all workspaces and calls. */
export class GitOnMachine {
  readonly #programs: GitPrograms
  readonly #confinement: Confinement
  readonly configurations = new Configurations()
  #searched: { PATH: string; git: string } | undefined

  constructor(programs: GitPrograms) {
    this.#programs = programs
    this.#confinement = new Confinement(programs.spawner, programs.place)
  }

  /** Of the helper that starts what only reads, while there is one. */
  get pid(): number | undefined {
    return this.#confinement.pid
  }

  close(): Promise<void> {
    return this.#confinement.close()
  }

  get environment(): Environment {
    return this.#programs.spawner.environment
  }

  /** The user's own files, by the server's environment. */
  get user() {
    return {
      home: homeOf(this.environment),
      folder: path.join(folderOf(this.environment, 'XDG_CONFIG_HOME', '.config'), 'git')
    }
  }

  async start(where: string, order: MachineOrder, signal: AbortSignal) {
    const { args, access = 'read', env = {}, stdin, timeout_ms = TIMEOUT_MS, writable } = order
    const { PATH, git } = this.#found()
    const own = { PATH, ...(access !== 'push' && UNATTENDED), ...(access === 'read' && WITHOUT_LOCKS) }
    const request = { file: git, args: [...FLAGS, ...args], cwd: where, env: { ...own, ...env }, stdin }
    signal.throwIfAborted()
    const spawned =
      access === 'push' ? await this.#programs.spawner.spawn(request) : await this.#confinement.start(request, writable)
    return new Running(spawned, { signal, timeout_ms })
  }

  /** Where all workspaces are. */
  get roots(): readonly string[] {
    return this.#programs.roots()
  }

  get hooks() {
    return this.#programs.hooks
  }

  /** Where drafts are made, out of reach of every command. */
  get drafts() {
    return ownTemporary(this.#programs.place)
  }

  /** Where what was begun is written down until it is done. */
  get begun() {
    return path.join(this.#programs.place, 'git')
  }

  /** Ends what a server that was killed has left half done in repositories. */
  endBegun(): Promise<void> {
    return endBegun(this.begun, async ({ git_dir, ref, to }) => {
      const commit = ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]
      const args = isName(to) ? ['symbolic-ref', '--quiet', ref] : commit
      const env = { ...ALONE, GIT_DIR: git_dir, ...inVariables(SETTINGS) }
      const running = await this.start(git_dir, { args, env, writable: [] }, new AbortController().signal)
      return (await running.all(MAX_BYTES)).stdout.toString('utf8').trim()
    })
  }

  #found() {
    if (this.#searched) return this.#searched
    const PATH = pathBeside(this.#programs.roots(), this.environment)
    try {
      this.#searched = { PATH, git: findProgram('git', { PATH }, '/') }
    } catch {
      throw new ToolError('EXECUTION_ERROR', 'There is no git on this machine: install the package `git`.', {
        code: 'ENOENT'
      })
    }
    return this.#searched
  }
}

export class Git {
  readonly #machine: GitOnMachine
  readonly #workspace: Workspace
  readonly #effects: Pick<Effects, 'signal' | 'committed'>

  constructor(machine: GitOnMachine, workspace: Workspace, effects: Pick<Effects, 'signal' | 'committed'>) {
    this.#machine = machine
    this.#workspace = workspace
    this.#effects = effects
  }

  /** The nearest repository of a folder, or of what is in it. The path is canonical; it need not be there any more. */
  async repository(folder: string): Promise<Repository> {
    const place = findRepository(this.#workspace, folder)
    const configuration = await this.#configuration(place)
    refuseForeign(place, configuration)
    return new Repository(this.#workspace.root, place, configuration)
  }

  /** The same, for what must not be left half done: it heeds neither cancel nor time limit of the call. */
  get steady(): Git {
    const { committed } = this.#effects
    const effects = { committed: () => committed.call(this.#effects), signal: new AbortController().signal }
    return new Git(this.#machine, this.#workspace, effects)
  }

  /** Of the hooks that are there: those that are run, as commands. Git itself runs none. */
  hooksToRun(repository: Repository, names: readonly string[]): Hook[] {
    if (this.#machine.hooks === 'skip' || !isBeneath(repository.top, this.#workspace.root)) return []
    return this.hooks(repository, names).filter(({ file }) => isBeneath(file, repository.top))
  }

  /** Hooks of a repository that are there and could run. */
  hooks(repository: Repository, names: readonly string[]): Hook[] {
    return hooksIn(repository, names, this.#machine.user.home)
  }

  /** A tree beside the repository, to be made out of a commit and files as they are. */
  draft(repository: Repository): Promise<Draft> {
    return Draft.begin(this, repository, this.#machine.drafts)
  }

  /** For sending commits; `send` has an effect, and waits until the call's intent is durable. */
  pushing(repository: Repository): Pushing {
    const { signal, committed } = this.#effects
    return new Pushing(this.#machine, repository, { signal, committed: () => committed.call(this.#effects) })
  }

  /** Moves a branch on, or what is checked out where that is none, and with it what is staged of some paths. */
  advance(repository: Repository, advance: Advance): Promise<void> {
    return advanced(this.steady, repository, advance, { drafts: this.#machine.drafts, begun: this.#machine.begun })
  }

  /** Runs git to its end; all that it prints must fit. Whatever code it ends with is no fault here. */
  async run(
    repository: Repository,
    { max_bytes = MAX_BYTES, ...order }: GitOrder & { max_bytes?: number }
  ): Promise<Ended & { stdout: Buffer }> {
    return (await this.#start(repository, order)).all(max_bytes)
  }

  /** What git prints, as it comes; leaving the loop ends it. Returns how it ended. */
  async *stream(repository: Repository, order: GitOrder): AsyncGenerator<Buffer, Ended, void> {
    return yield* (await this.#start(repository, order)).output()
  }

  /**
   * Streams what `git diff` prints, without a write to the repository. `diff` locks and refreshes the index whatever
   * GIT_OPTIONAL_LOCKS says, and would fail a commit of the user's that begins meanwhile: it gets a copy of the index.
   */
  async *streamDiff(repository: Repository, args: readonly string[]): AsyncGenerator<Buffer, Ended, void> {
    const folder = await temporaryFolder(this.#machine.drafts)
    try {
      const env = await copyIndex(repository.git_dir, folder.path)
      return yield* this.stream(repository, { args: ['diff', ...args], env })
    } finally {
      await folder.remove()
    }
  }

  async #start(repository: Repository, order: GitOrder): Promise<Running> {
    const { signal, committed } = this.#effects
    const { access = 'read', settings = [], env = {}, folder } = order
    signal.throwIfAborted()
    if (access === 'write') await committed.call(this.#effects)
    return this.#machine.start(
      repository.top,
      {
        ...order,
        env: {
          ...ALONE,
          ...repository.variables,
          ...inVariables([...repository.configuration.settings, ...settings]),
          ...env
        },
        writable: [...(access === 'write' ? repository.folders : []), ...(folder === undefined ? [] : [folder])]
      },
      signal
    )
  }

  #configuration(place: RepositoryPlace): Promise<Configuration> {
    const { user, configurations } = this.#machine
    return configurations.of(place, user, async () => {
      const args = ['config', '--list', '--null', '--show-scope', '--show-origin']
      // Listing runs nothing, so that it may see the user's settings too.
      const env = { HOME: user.home, XDG_CONFIG_HOME: path.dirname(user.folder), GIT_DIR: place.git_dir }
      const running = await this.#machine.start(place.git_dir, { args, env, writable: [] }, this.#effects.signal)
      const { code, stdout, stderr } = await running.all(MAX_BYTES)
      if (code === 0) return stdout
      throw new ToolError('EXECUTION_ERROR', `The repository's configuration cannot be read: ${saidBy(stderr, place)}`)
    })
  }
}
