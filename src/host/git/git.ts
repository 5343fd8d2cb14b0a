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
import type { Effects, Workspace } from '../host.ts'
import type { Environment } from '../processes/environment.ts'
import { pathBeside } from '../processes/search-path.ts'
import { findProgram } from '../processes/shell.ts'
import type { Spawner } from '../processes/spawner.ts'
import { folderOf, homeOf } from '../server/home.ts'
import { type Configuration, Configurations } from './configuration.ts'
import { Confinement } from './confinement.ts'
import { ALONE, FLAGS, inVariables, type Setting, UNATTENDED, WITHOUT_LOCKS } from './hardening.ts'
import { Repository } from './repository.ts'
import { findRepository, type RepositoryPlace, refuseForeign } from './repository-place.ts'
import { type Ended, Running } from './running.ts'

export { Repository } from './repository.ts'
export type { Ended } from './running.ts'

const MAX_BYTES = 16 * 1024 * 1024
const TIMEOUT_MS = 60_000

/** What git may do besides reading.
 * `read`: nothing; neither a lock nor the refreshed index is written.
 * `write`: change the repository and its working tree. It waits until the call's intent is durable.
 * `push`: the same, with the network and with the rights of the user, as programs of theirs need them. */
export type Access = 'read' | 'write' | 'push'

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
  /** Ends it after this long; a minute without. */
  timeout_ms?: number
}

/** What all calls share. */
export interface GitPrograms {
  spawner: Spawner
  /** Of all workspaces: no git of theirs is taken for the machine's. */
  roots: () => readonly string[]
  environment?: Environment
  /** A folder of the server's own. */
  place: string
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

  get #environment() {
    return this.#programs.environment ?? process.env
  }

  /** The user's own files, by the server's environment. */
  get user() {
    return {
      home: homeOf(this.#environment),
      folder: path.join(folderOf(this.#environment, 'XDG_CONFIG_HOME', '.config'), 'git')
    }
  }

  async start(
    where: string,
    words: readonly string[],
    order: GitOrder & { writable: readonly string[] },
    signal: AbortSignal
  ) {
    const { access = 'read', env = {}, stdin, timeout_ms = TIMEOUT_MS, writable } = order
    const { PATH, git } = this.#found()
    const plain = { file: git, args: [...FLAGS, ...words], cwd: where }
    const program = access === 'push' ? plain : await this.#confinement.around(plain, access === 'read' ? [] : writable)
    signal.throwIfAborted()
    const own = { PATH, ...UNATTENDED, ...(access === 'read' && WITHOUT_LOCKS) }
    const spawned = await this.#programs.spawner.spawn({ ...program, env: { ...own, ...env }, stdin })
    return new Running(spawned, { signal, timeout_ms })
  }

  #found() {
    if (this.#searched) return this.#searched
    const PATH = pathBeside(this.#programs.roots(), this.#environment)
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
    refuseForeign(place, configuration.worktree)
    return new Repository(this.#workspace.root, place, configuration)
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

  async #start(repository: Repository, order: GitOrder): Promise<Running> {
    const { signal, committed } = this.#effects
    const { access = 'read', settings = [], env = {} } = order
    signal.throwIfAborted()
    if (access !== 'read') await committed.call(this.#effects)
    return this.#machine.start(
      repository.top,
      order.args,
      {
        ...order,
        env: {
          ...ALONE,
          ...repository.variables,
          ...inVariables([...repository.configuration.settings, ...settings]),
          ...env
        },
        writable: repository.folders
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
      const running = await this.#machine.start(place.git_dir, args, { args, env, writable: [] }, this.#effects.signal)
      const { code, stdout, stderr } = await running.all(MAX_BYTES)
      if (code === 0) return stdout
      throw new ToolError('EXECUTION_ERROR', `The repository's configuration cannot be read: ${stderr.trim()}`)
    })
  }
}
