// A temporary tree from a commit and files in their current state: what a commit would contain, without a trace in the
// repository. Index and objects are in a folder of the server. Its content is read through a scratch repository, where no
// attributes or settings hide or alter a line.
import { lstatSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { createTempFolder } from '../temp-folders.ts'
import { assertGitSucceeded } from './errors.ts'
import type { GitCommand, GitRunner } from './git-command.ts'
import type { GitExit } from './git-process.ts'
import { Repository } from './repository.ts'

export interface CheckedOutFile {
  /** A repository path. */
  path: string
  link?: string
  content?: Buffer
  executable?: boolean
}

export class TemporaryTree {
  readonly #git: GitRunner
  readonly #repository: Repository
  readonly #scratchRepository: Repository
  readonly #folder: string
  readonly remove: () => Promise<void>

  private constructor(git: GitRunner, repository: Repository, folder: string, remove: () => Promise<void>) {
    this.#git = git
    this.#repository = repository
    this.#folder = folder
    this.#scratchRepository = createScratchRepository(path.join(folder, 'git'), repository)
    this.remove = remove
  }

  /** The caller removes it. */
  static async create(git: GitRunner, repository: Repository, within: string): Promise<TemporaryTree> {
    const { path: folder, remove } = await createTempFolder(within)
    mkdirSync(path.join(folder, 'objects'))
    return new TemporaryTree(git, repository, folder, remove)
  }

  /**
   * Writes the tree of a commit, or the empty one, with the current state of these working tree files: changed, new or deleted.
   * Paths are relative to the repository.
   */
  async writeTree(commit: string | undefined, files: readonly string[]): Promise<string> {
    return this.#buildTree(commit, files, { access: 'draft', env: { ...this.#indexEnv, ...this.#objectsEnv } })
  }

  /** Writes the same tree and its objects to the repository, still unreferenced. */
  async writeTreeToRepository(commit: string | undefined, files: readonly string[]): Promise<string> {
    return this.#buildTree(commit, files, { access: 'write', env: this.#indexEnv })
  }

  /**
   * Returns files of a commit as git would check them out, by the commit's own attributes: each with its content, the target of a
   * link, or only the mode of a submodule. Fails with TOO_LARGE beyond `mostBytes`.
   */
  async checkOut(commit: string, files: readonly string[], mostBytes: number): Promise<CheckedOutFile[]> {
    const tree = path.join(this.#folder, 'tree')
    mkdirSync(tree, { recursive: true })
    const env = { ...this.#indexEnv, GIT_WORK_TREE: tree }
    const stdin = files.map(file => `${file}\0`).join('')
    await this.#runChecked({ access: 'draft', args: ['read-tree', '--no-sparse-checkout', commit], env })
    const filters = await this.#runChecked({ args: ['check-attr', '--cached', '-z', '--stdin', 'filter'], stdin, env })
    assertNoFilters(filters.toString('utf8'))
    await this.#runChecked({ access: 'draft', args: ['checkout-index', '-z', '--stdin'], stdin, env })
    let left = mostBytes
    return files.map(file => {
      const at = path.join(tree, file)
      const stat = lstatSync(at)
      if (stat.isSymbolicLink()) return { path: file, link: readlinkSync(at) }
      if (!stat.isFile()) return { path: file }
      left -= stat.size
      if (left < 0) throw new ToolError('TOO_LARGE', `The operation would change more than ${mostBytes} bytes.`)
      return { path: file, content: readFileSync(at), executable: (stat.mode & 0o100) !== 0 }
    })
  }

  async #runChecked(order: GitCommand): Promise<Buffer> {
    const { stdout, ...ended } = await this.#git.run(this.#repository, { ...order, writableFolder: this.#folder })
    this.#assertSucceeded(ended, order.args[0]!)
    return stdout
  }

  #assertSucceeded({ code, stderr }: GitExit, doing: string) {
    assertGitSucceeded({ code, stderr: stderr.replaceAll(this.#folder, '.git') }, doing, this.#repository)
  }

  /** The index of the last written tree. */
  get indexFile(): string {
    return path.join(this.#folder, 'index')
  }

  /** Reads objects of the temporary tree and the repository, without conversion. */
  async readObjects(args: readonly string[]): Promise<Buffer> {
    const { stdout, ...ended } = await this.#git.run(this.#scratchRepository, { args, env: this.#objectsEnv })
    this.#assertSucceeded(ended, args[0]!)
    return stdout
  }

  async #buildTree(commit: string | undefined, files: readonly string[], how: Pick<GitCommand, 'access' | 'env'>) {
    const run = async (args: string[], stdin?: string) =>
      (await this.#runChecked({ ...how, args, ...(stdin !== undefined && { stdin }) })).toString('latin1').trim()
    await run(['read-tree', '--no-sparse-checkout', commit ?? '--empty'])
    const names = files.map(file => `${file}\0`).join('')
    await run(['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], names)
    return run(['write-tree'])
  }

  get #indexEnv(): Record<string, string> {
    return { GIT_INDEX_FILE: this.indexFile }
  }

  get #objectsEnv(): Record<string, string> {
    return {
      GIT_OBJECT_DIRECTORY: path.join(this.#folder, 'objects'),
      GIT_ALTERNATE_OBJECT_DIRECTORIES: quoteAlternate(path.join(this.#repository.common_dir, 'objects'))
    }
  }
}

/** The result of a filter is known only to its program. `check-attr` prints path, attribute and value of each. */
export function assertNoFilters(attributes: string) {
  const fields = attributes.split('\0')
  for (let i = 0; i + 2 < fields.length; i += 3) {
    const [path, filter] = [fields[i]!, fields[i + 2]!]
    if (filter === 'unspecified' || filter === 'unset') continue
    throw new ToolError(
      'CONFLICT',
      `${path} uses the filter ${JSON.stringify(filter)}, which is a program. Use git in shell_exec instead.`,
      { path, filter }
    )
  }
}

/** Creates an empty bare repository without configuration; `like` determines its object format. */
export function createScratchRepository(folder: string, like: Repository): Repository {
  mkdirSync(path.join(folder, 'refs'), { recursive: true })
  mkdirSync(path.join(folder, 'objects'))
  writeFileSync(path.join(folder, 'HEAD'), 'ref: refs/heads/none\n')
  const { usesSha256 } = like
  const version = `[core]\n\trepositoryformatversion = ${usesSha256 ? 1 : 0}\n\tbare = true\n`
  writeFileSync(path.join(folder, 'config'), version + (usesSha256 ? '[extensions]\n\tobjectFormat = sha256\n' : ''))
  const place = { top: folder, git_dir: folder, common_dir: folder, bare: true, mustNameWorktree: false }
  return new Repository(folder, place, {
    settings: [],
    worktree: undefined,
    bare: true,
    filterNames: [],
    allSettings: [],
    userSettings: []
  })
}

/** Git splits such a list at colons, except in quotes. */
const quoteAlternate = (folder: string) => `"${folder.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
