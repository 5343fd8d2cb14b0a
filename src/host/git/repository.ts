// A repository as a call sees it: where it is, and how the workspace and it call the same file. What lies outside the
// workspace has no name here.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { isWithin } from '../sandbox/path-within.ts'
import { type GitConfiguration, lastValue } from './configuration.ts'
import { detectOperation, type InProgressOperation } from './in-progress-operation.ts'
import type { RepositoryLocation } from './repository-location.ts'

export class Repository {
  /** Absolute: git runs here. The folder with the working tree; of a bare repository git's own. */
  readonly top: string
  readonly git_dir: string
  readonly common_dir: string
  readonly bare: boolean
  readonly configuration: GitConfiguration
  /** Of the workspace's root within the repository, where that begins above it: ends with a slash, or is empty. */
  readonly #workspacePrefix: string
  /** Of the repository's top within the workspace, where that begins below the root: the same. */
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

  /** Its top, as the workspace calls it; `.` where it is the root or above. */
  get path(): string {
    return this.#repositoryPrefix === '' ? '.' : this.#repositoryPrefix.slice(0, -1)
  }

  /** What of it the workspace shows, as pathspecs: nothing where that is all of it. */
  get scopePathspecs(): string[] {
    return this.#workspacePrefix === '' ? [] : [this.#workspacePrefix.slice(0, -1)]
  }

  /** The path in the repository of a canonical path of the workspace; empty for the top itself and what is above it. */
  toRepositoryPath(file: string): string {
    const absolute = file === '.' ? '' : file
    if (`${absolute}/`.startsWith(this.#repositoryPrefix))
      return this.#workspacePrefix + absolute.slice(this.#repositoryPrefix.length)
    if (this.#repositoryPrefix.startsWith(`${absolute}/`) || absolute === '') return ''
    throw new ToolError('INVALID_PATH', `${file} is not in the repository at ${this.path}.`, { path: file })
  }

  /** The path in the workspace of one in the repository; undefined where it lies outside. */
  toWorkspacePath(file: string): string | undefined {
    if (`${file}/` === this.#workspacePrefix) return '.'
    if (this.#workspacePrefix !== '')
      return file.startsWith(this.#workspacePrefix) ? file.slice(this.#workspacePrefix.length) : undefined
    return this.#repositoryPrefix + file
  }

  /** Pathspecs for a canonical path of the workspace: all that is shown, where it is the top or above. */
  pathspecs(file: string): string[] {
    const own = this.toRepositoryPath(file).replace(/\/$/, '')
    return own === '' ? this.scopePathspecs : [own]
  }

  /** What was begun and not ended. */
  get inProgressOperation(): InProgressOperation | undefined {
    return detectOperation(this.git_dir)
  }

  /** Its objects are named by SHA-256, and not by SHA-1. */
  get usesSha256(): boolean {
    return lastValue(this.configuration.allSettings, 'extensions.objectformat') === 'sha256'
  }

  /** Its history was cut off when it was cloned. */
  get isShallow(): boolean {
    return existsSync(path.join(this.common_dir, 'shallow'))
  }

  /** By which git is told where it is. */
  get env(): Record<string, string> {
    return { GIT_DIR: this.git_dir, ...(!this.bare && { GIT_WORK_TREE: this.top }) }
  }

  /** What a call that changes it may write to. */
  get writableFolders(): string[] {
    return [...new Set([this.top, this.git_dir, this.common_dir])]
  }

  /** Throws where there are no files checked out. */
  assertNotBare(wish: string) {
    if (!this.bare) return
    throw new ToolError(
      'CONFLICT',
      `The repository at ${this.path} is bare: it has no working tree ${wish}. Its history can be read with git_log and git_show.`,
      { path: this.path }
    )
  }
}

const withSlash = (folder: string) => (folder === '' ? '' : `${folder}/`)
