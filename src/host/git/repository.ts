// A repository as a call sees it: its location, and the mapping of paths between the workspace and the repository. Paths outside
// the workspace have no equivalent.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { isWithin } from '../sandbox/path-within.ts'
import { type GitConfiguration, lastValue } from './configuration.ts'
import { detectOperation, type InProgressOperation } from './in-progress-operation.ts'
import type { RepositoryLocation } from './repository-location.ts'

export class Repository {
  /** Absolute: git's working directory. Folder of the working tree; git's own folder for a bare repository. */
  readonly top: string
  readonly git_dir: string
  readonly common_dir: string
  readonly bare: boolean
  readonly configuration: GitConfiguration
  /** Prefix of the workspace's root within the repository, if the repository begins above it: ends with a slash, or is empty. */
  readonly #workspacePrefix: string
  /** Prefix of the repository's top within the workspace, if that is below the root: ends with a slash, or is empty. */
  readonly #repositoryPrefix: string

  constructor(root: string, place: RepositoryLocation, configuration: GitConfiguration) {
    this.top = place.top
    this.git_dir = place.git_dir
    this.common_dir = place.common_dir
    this.bare = place.bare || (configuration.bare && place.git_dir === place.common_dir)
    this.configuration = configuration
    this.#workspacePrefix = isWithin(root, place.top) ? withSlash(path.relative(place.top, root)) : ''
    this.#repositoryPrefix = isWithin(place.top, root) ? withSlash(path.relative(root, place.top)) : ''
  }

  /** Workspace path of its top; `.` if it is the root or above. */
  get path(): string {
    return this.#repositoryPrefix === '' ? '.' : this.#repositoryPrefix.slice(0, -1)
  }

  /** Pathspecs of the part visible in the workspace; empty if that is all of it. */
  get scopePathspecs(): string[] {
    return this.#workspacePrefix === '' ? [] : [this.#workspacePrefix.slice(0, -1)]
  }

  /** Converts a canonical workspace path to a repository path; empty for the top itself and paths above it. */
  toRepositoryPath(file: string): string {
    const absolute = file === '.' ? '' : file
    if (`${absolute}/`.startsWith(this.#repositoryPrefix))
      return this.#workspacePrefix + absolute.slice(this.#repositoryPrefix.length)
    if (this.#repositoryPrefix.startsWith(`${absolute}/`) || absolute === '') return ''
    throw new ToolError('INVALID_PATH', `${file} is not inside the repository at ${this.path}.`, { path: file })
  }

  /** Converts a repository path to a workspace path; undefined if it is outside. */
  toWorkspacePath(file: string): string | undefined {
    if (`${file}/` === this.#workspacePrefix) return '.'
    if (this.#workspacePrefix !== '')
      return file.startsWith(this.#workspacePrefix) ? file.slice(this.#workspacePrefix.length) : undefined
    return this.#repositoryPrefix + file
  }

  /** Returns pathspecs for a canonical workspace path: everything visible for the top or above. */
  pathspecs(file: string): string[] {
    const own = this.toRepositoryPath(file).replace(/\/$/, '')
    return own === '' ? this.scopePathspecs : [own]
  }

  /** The operation in progress, such as a merge. */
  get inProgressOperation(): InProgressOperation | undefined {
    return detectOperation(this.git_dir)
  }

  /** Objects are named by SHA-256 instead of SHA-1. */
  get usesSha256(): boolean {
    return lastValue(this.configuration.allSettings, 'extensions.objectformat') === 'sha256'
  }

  /** The clone is shallow: its history is truncated. */
  get isShallow(): boolean {
    return existsSync(path.join(this.common_dir, 'shallow'))
  }

  /** Variables that pass the location to git. */
  get env(): Record<string, string> {
    return { GIT_DIR: this.git_dir, ...(!this.bare && { GIT_WORK_TREE: this.top }) }
  }

  /** Folders that a modifying call may write to. */
  get writableFolders(): string[] {
    return [...new Set([this.top, this.git_dir, this.common_dir])]
  }

  /** Throws if there is no working tree. */
  assertNotBare(wish: string) {
    if (!this.bare) return
    throw new ToolError(
      'CONFLICT',
      `The repository at ${this.path} is bare: it has no working tree ${wish}. Read its history with git_log and git_show.`,
      { path: this.path }
    )
  }
}

const withSlash = (folder: string) => (folder === '' ? '' : `${folder}/`)
