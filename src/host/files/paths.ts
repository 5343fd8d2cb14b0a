// Path resolution inside a workspace. Every path given to a tool is walked here, one folder at a time through open descriptors,
// so that neither a link nor a race can escape the workspace. `policy/path-policy.ts` classifies paths for security.

import { type BigIntStats, closeSync, constants, fstatSync } from 'node:fs'
import nodePath from 'node:path'
import { ToolError } from '../../errors.ts'
import { pathByteLength } from '../../text/byte-names.ts'
import type { DirAccess, Workspace } from '../workspace.ts'
import { existsSync, listReadable, lstatSync, openSync, readlinkSync, realpathSync, statSync } from './byte-path-fs.ts'
import { DEFAULT_DIR_ACCESS, viaProcFd } from './dir-access.ts'
import { errnoOf, quotePath, toFileError } from './errno.ts'
import { type FindLookAlike, findNoLookAlike, type LookAlike } from './look-alike-names.ts'
import { findRootSpellings } from './root-spellings.ts'

/** Result of a walk, with the parent folder still open. */
export interface ResolvedEntry {
  path: string
  /** The path before each link that was followed: a link's name may be relevant to security, too. */
  viaLinks: readonly string[]
  /** Names that have no entry, and those that stand for them. */
  lookAlikes: readonly LookAlike[]
  /** Metadata of the entry; undefined if it does not exist. */
  stat: BigIntStats | undefined
  /** Metadata of the folders on the way from the root, without the root. */
  folders: readonly BigIntStats[]
  /** Descriptor of the deepest existing folder of the path. */
  parentFd: number
  /** Prefix which, put before a name, reaches an entry of that folder. */
  entryPrefix: string
  /** Path that reaches the entry itself. Valid only while `missingFolders` is empty. */
  accessPath: string
  /** Folders still to be created below `parentFd`. */
  missingFolders: readonly string[]
  /** A component of the path is not a folder. */
  isBlocked: boolean
  close(): void
}

const MAX_PATH = 4096
const MAX_NAME = 255
/** Maximum number of names in a path. */
export const MAX_PATH_PARTS = 255
const MAX_LINKS = 40
const MAX_STEPS = 1024
const OPEN_DIR_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NONBLOCK

/** Opens a root folder to serve. `parentFd` is as a person named it; links in it are resolved once. */
export function openWorkspace(name: string, folder: string, dirAccess: DirAccess = DEFAULT_DIR_ACCESS): Workspace {
  try {
    if (dirAccess === viaProcFd && !existsSync('/proc/self/fd')) {
      throw new ToolError('EXECUTION_ERROR', 'Serving files requires /proc, which is not mounted on this system.')
    }
    const configuredPath = nodePath.resolve(folder)
    const root = realpathSync(configuredPath)
    if (!statSync(root).isDirectory()) throw new ToolError('NOT_A_DIRECTORY', `${quotePath(folder)} is not a folder.`)
    const spelled = findRootSpellings(configuredPath, root)
    return { name, root, configuredPath, ...spelled, dirAccess, fd: openSync(root, OPEN_DIR_FLAGS) }
  } catch (error) {
    throw toFileError(error, folder)
  }
}

/** Resolves a path, following a final link too. The caller closes the entry. */
export const resolveWorkspacePath = (
  workspace: Workspace,
  given: string,
  findLookAlike: FindLookAlike = findNoLookAlike
): ResolvedEntry => new PathWalk(workspace, given, findLookAlike).go('through')

/** Resolves a path without following a final link: for operations on the entry itself, such as removal. */
export const resolveWorkspaceEntry = (
  workspace: Workspace,
  given: string,
  findLookAlike: FindLookAlike = findNoLookAlike
): ResolvedEntry => new PathWalk(workspace, given, findLookAlike).go('stop')

/** Resolves the path of an entry without following any link: under a link, there is nothing. */
export const resolveLiteralEntry = (workspace: Workspace, given: string): ResolvedEntry =>
  new PathWalk(workspace, given, findNoLookAlike).go('literal')

/** The links that a walk follows: all of them, all but one at the end, or none. */
type LinkMode = 'through' | 'stop' | 'literal'

class PathWalk {
  readonly #workspace: Workspace
  readonly #input: string
  readonly #dirAccess: DirAccess
  /** Components still to walk, the next one last. */
  #pending: string[]
  /** Names of the folders walked so far, and the descriptor of the last. */
  #names: string[] = []
  #folders: BigIntStats[] = []
  #fd: number
  #viaLinks: string[] = []
  readonly #findLookAlike: FindLookAlike
  #lookAlikes: LookAlike[] = []
  #links = 0
  #steps = 0

  constructor(workspace: Workspace, given: string, findLookAlike: FindLookAlike) {
    this.#workspace = workspace
    this.#input = given
    this.#findLookAlike = findLookAlike
    this.#dirAccess = workspace.dirAccess
    this.#pending = partsRelativeToRoot(workspace, given, given).reverse()
    this.#fd = workspace.fd
  }

  go(mode: LinkMode): ResolvedEntry {
    try {
      while (this.#pending.length > 0) {
        if (++this.#steps > MAX_STEPS) throw invalid(this.#input, 'has too many parts')
        const part = this.#pending.pop()!
        if (part === '..') this.#up()
        else if (this.#pending.length > 0) {
          const end = this.#enter(part, mode)
          if (end) return end
        } else {
          const stat = lstatSync(this.#prefix() + part, { bigint: true, throwIfNoEntry: false })
          if (stat?.isSymbolicLink() && mode === 'through') this.#follow(part)
          else if (stat || !this.#useLookAlike(part)) return this.#end(part, stat)
        }
      }
      return this.#endAtRoot()
    } catch (error) {
      this.#release()
      throw toFileError(error, this.#input)
    }
  }

  #prefix() {
    return this.#dirAccess.entryPrefix(this.#workspace, this.#fd, this.#names.join('/'))
  }

  #release() {
    if (this.#fd !== this.#workspace.fd) closeSync(this.#fd)
    this.#fd = this.#workspace.fd
  }

  #returnToRoot() {
    this.#names = []
    this.#folders = []
    this.#release()
  }

  /** Enters a folder. Returns the end of the walk if no entry has that name. */
  #enter(name: string, mode: LinkMode): ResolvedEntry | undefined {
    const door = this.#prefix() + name
    let fd: number
    try {
      fd = openSync(door, OPEN_DIR_FLAGS | this.#dirAccess.noFollowFlags)
    } catch (error) {
      const errno = errnoOf(error)
      if (errno === 'ENOENT') return this.#useLookAlike(name) ? undefined : this.#endEarly(name, false)
      if (errno !== 'ENOTDIR' && errno !== 'ELOOP' && errno !== 'EMLINK') throw error
      if (mode === 'literal' || !lstatSync(door, { throwIfNoEntry: false })?.isSymbolicLink())
        return this.#endEarly(name, true)
      if (mode === 'stop' && this.#links === MAX_LINKS) return this.#endInLoop()
      this.#follow(name)
      return
    }
    this.#release()
    this.#fd = fd
    this.#names.push(name)
    this.#folders.push(fstatSync(fd, { bigint: true }))
    this.#dirAccess.verify(this.#workspace, fd, this.#names.join('/'))
  }

  /** Goes on with the entry that stands for a missing name, if there is one. */
  #useLookAlike(asked: string): boolean {
    const found = this.#findLookAlike(asked, () => listReadable(`${this.#prefix()}.`).map(({ name }) => name))
    if (found === undefined) return false
    this.#lookAlikes.push({ asked, found })
    this.#pending.push(found)
    return true
  }

  /** Walks to the parent folder again: its descriptor was closed, so that deep paths do not hold many. */
  #up() {
    if (this.#names.length === 0) throw outside(this.#input)
    this.#pending.push(...this.#names.slice(0, -1).reverse())
    this.#returnToRoot()
  }

  #follow(name: string) {
    if (++this.#links > MAX_LINKS) throw invalid(this.#input, 'has too many symbolic links')
    const target = readlinkSync(this.#prefix() + name)
    this.#viaLinks.push([...this.#names, name, ...this.#pending.toReversed()].join('/'))
    if (target.startsWith('/')) {
      this.#returnToRoot()
      this.#pending.push(...partsRelativeToRoot(this.#workspace, target, this.#input).reverse())
    } else this.#pending.push(...split(target, this.#input).reverse())
  }

  #end(
    name: string,
    stat: BigIntStats | undefined,
    missingFolders: readonly string[] = [],
    isBlocked = false
  ): ResolvedEntry {
    const entryPrefix = this.#prefix()
    const path = [...this.#names, ...missingFolders, name].join('/')
    if (!stat && isDeceptive(path)) throw invalid(this.#input, 'has control characters in a name')
    return this.#toResolved({
      path,
      stat,
      parentFd: this.#fd,
      entryPrefix,
      accessPath: entryPrefix + name,
      missingFolders,
      isBlocked
    })
  }

  #endEarly(name: string, blocked: boolean): ResolvedEntry {
    const parts = [name, ...this.#pending.reverse()]
    if (parts.includes('..')) throw invalid(this.#input, 'has `..` after a part that is not a folder')
    return this.#end(parts.at(-1)!, undefined, parts.slice(0, -1), blocked)
  }

  /** Ends the walk at a link loop: nothing exists there, and nothing can be created until one of the links is removed. */
  #endInLoop(): ResolvedEntry {
    const parts = partsRelativeToRoot(this.#workspace, this.#input, this.#input)
    this.#returnToRoot()
    return this.#end(parts.at(-1)!, undefined, parts.slice(0, -1), true)
  }

  #endAtRoot(): ResolvedEntry {
    const entryPrefix = this.#prefix()
    const stat = fstatSync(this.#fd, { bigint: true })
    return this.#toResolved({
      path: '.',
      stat,
      parentFd: this.#fd,
      entryPrefix,
      accessPath: `${entryPrefix}.`,
      missingFolders: [],
      isBlocked: false
    })
  }

  #toResolved(place: Omit<ResolvedEntry, 'close' | 'viaLinks' | 'folders' | 'lookAlikes'>): ResolvedEntry {
    const own = this.#fd !== this.#workspace.fd
    return {
      ...place,
      viaLinks: this.#viaLinks,
      lookAlikes: this.#lookAlikes,
      folders: this.#folders,
      close: () => own && closeSync(place.parentFd)
    }
  }
}

// Characters refused in new names: they spoof the display of a list, a log or a terminal.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this looks for.
const DECEPTIVE_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

/** Checks if a path is refused for new entries, by its characters. */
export const isDeceptive = (path: string): boolean => DECEPTIVE_CHARACTERS.test(path)

function partsRelativeToRoot(workspace: Workspace, path: string, given: string): string[] {
  const parts = split(path, given)
  if (!path.startsWith('/')) return parts
  for (const root of workspace.spellings) {
    const above = root.split('/').filter(Boolean)
    if (above.every((name, i) => name === parts[i])) return parts.slice(above.length)
  }
  throw outside(given)
}

function split(path: string, given: string): string[] {
  if (path === '') throw invalid(given, 'is empty')
  if (path.includes('\0')) throw invalid(given, 'contains a NUL character')
  if (!path.isWellFormed()) throw invalid(given, 'is not valid Unicode')
  // At most three bytes per UTF-16 unit: short paths need no counting.
  if (path.length * 3 > MAX_PATH && pathByteLength(path) > MAX_PATH) throw invalid(given, 'is too long')
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part.length * 3 > MAX_NAME && pathByteLength(part) > MAX_NAME)
      throw invalid(given, 'has a file or folder name that is too long')
    parts.push(part)
  }
  if (parts.length > MAX_PATH_PARTS) throw invalid(given, 'has too many parts')
  return parts
}

const invalid = (given: string, why: string) =>
  new ToolError('INVALID_PATH', `${quotePath(given)} ${why}.`, { path: given.slice(0, 300) })

// One message for all paths that escape, so that the answer does not reveal what exists there.
const outside = (given: string) => invalid(given, 'is outside the workspace')

/** Returns the device of the deepest existing folder. With overlay file systems, a file's device is not reliable. */
export const deviceOf = ({ parentFd }: ResolvedEntry): bigint => fstatSync(parentFd, { bigint: true }).dev
