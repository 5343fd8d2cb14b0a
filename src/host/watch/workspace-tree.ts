// The visible tree of a workspace on disk: everything that is not ignored, without git's and the server's own files. Folders are
// opened one component at a time and entries are reached through them, so that no link escapes the workspace.

import { closeSync, constants, fchmodSync, fstatSync, read, readSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ToolError } from '../../errors.ts'
import { openSync, readdirSync } from '../files/byte-path-fs.ts'
import { errnoOf } from '../files/errno.ts'
import { openFolder } from '../files/open-folder.ts'
import { openWorkspaceFolder } from '../files/owner-rights.ts'
import { foldPath, NamePatterns } from '../files/policy/name-patterns.ts'
import { classifyPath, type PathGuard, serverEntriesOf } from '../files/policy/path-policy.ts'
import { PROTECTED_NAMES } from '../files/policy/sensitive-names.ts'
import { statIfReachable } from '../files/policy/server-entries.ts'
import { TimeSlicer } from '../files/time-slicing.ts'
import type { Workspace } from '../workspace.ts'
import { IgnoreRules } from './ignore-rules.ts'
import { type StatSnapshot, snapshotEntry } from './stat-snapshot.ts'

const GIT = new NamePatterns(PROTECTED_NAMES)
const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY

const SYNC_LIMIT = 256 * 1024
const CHUNK = 1024 * 1024

/** Receives each entry; `seen` is undefined if there is none. */
type EntryVisitor = (path: string, seen: StatSnapshot | undefined) => void

/** Position of an entry among others. */
export interface TreePlace {
  /** Git, or a search, ignores it. */
  isIgnored: boolean
  /** Returns true if it is a folder that contains a file of that name. */
  contains(name: string): boolean
}

export class WorkspaceTree {
  readonly #workspace: Workspace
  readonly #guard: PathGuard

  constructor(workspace: Workspace, guard: PathGuard) {
    this.#workspace = workspace
    this.#guard = guard
  }

  /**
   * Visits all visible entries but pipes, sockets and devices, folders before their contents. Returns the folders that may not be read.
   */
  walk(visit: (path: string, seen: StatSnapshot) => void): Promise<string[]> {
    return this.#traverse((path, seen, { rules }) => {
      if (!rules || seen.kind === 'other' || !this.isVisible(path, seen, rules)) return undefined
      visit(path, seen)
      return rules
    })
  }

  /**
   * Visits all entries that are neither git's nor the server's, ignored ones, pipes, sockets and devices too; enters the folders for which the visitor returns
   * true. Returns the folders that may not be read.
   */
  walkAll(visit: (path: string, seen: StatSnapshot, place: TreePlace) => boolean): Promise<string[]> {
    return this.#traverse((path, seen, { rules, contains }) => {
      if (!this.#isOwn(path)) return undefined
      const isIgnored = !rules || this.#isIgnored(path, seen, rules)
      if (!visit(path, seen, { isIgnored, contains })) return undefined
      return isIgnored ? null : rules
    })
  }

  /**
   * Visits entries, folders before their contents; enters a folder with the rules that the visitor returns, or null where all is
   * ignored.
   */
  async #traverse(
    enter: (
      path: string,
      seen: StatSnapshot,
      place: Pick<TreePlace, 'contains'> & { rules: IgnoreRules | null }
    ) => IgnoreRules | null | undefined
  ): Promise<string[]> {
    const slices = new TimeSlicer()
    const closed: string[] = []
    const todo: { folder: string; above: IgnoreRules | null }[] = [
      { folder: '.', above: IgnoreRules.aboveRoot(this.#workspace.root) }
    ]
    for (let next = todo.pop(); next; next = todo.pop()) {
      const { folder, above } = next
      const looked = await this.#inFolder(folder, async prefix => {
        const names = readdirSync(prefix)
        const rules = above?.within(this.absolute(folder), new Set(names)) ?? null
        for (const name of names) {
          const path = joinPath(folder, name)
          const seen = this.#snapshot(prefix + name)
          const contains = (file: string) => statIfReachable(`${prefix}${name}/${file}`)?.isFile() ?? false
          const below = seen && enter(path, seen, { rules, contains })
          if (below !== undefined && seen?.kind === 'directory') todo.push({ folder: path, above: below })
          await slices.yieldIfDue()
        }
      })
      if (looked === 'closed') closed.push(folder)
    }
    return closed
  }

  /** Visits these paths, ignored or not; omits those that may not be inspected. A pipe, a socket or a device counts as missing. */
  async visitPaths(paths: Iterable<string>, visit: EntryVisitor): Promise<void> {
    const slices = new TimeSlicer()
    for (const [folder, names] of groupByFolder(paths)) {
      const looked = await this.#inFolder(folder, async prefix => {
        for (const name of names) {
          const seen = this.#snapshot(prefix + name)
          visit(joinPath(folder, name), seen?.kind === 'other' ? undefined : seen)
          await slices.yieldIfDue()
        }
      })
      if (looked === 'missing') for (const name of names) visit(joinPath(folder, name), undefined)
    }
  }

  /** Returns the paths of a folder's direct children, ignored or not; none if there is no such folder. */
  async listFolder(folder: string): Promise<string[]> {
    let names: string[] = []
    await this.#inFolder(folder, async prefix => {
      names = readdirSync(prefix)
    })
    return names.map(name => joinPath(folder, name))
  }

  /** Reads a file if it still matches its snapshot and may be read. Large files are read off the main thread. */
  async readIfUnchanged(path: string, seen: StatSnapshot): Promise<Buffer | undefined> {
    const { folder, name } = splitPath(path)
    let bytes: Buffer | undefined
    await this.#inFolder(folder, async prefix => {
      bytes = await this.#read(prefix + name, seen)
    })
    return bytes
  }

  /** Checks if an entry is visible, by the rules of its folder, which is. */
  isVisible(path: string, seen: StatSnapshot, rules: IgnoreRules): boolean {
    return !this.#isIgnored(path, seen, rules) && this.#isOwn(path)
  }

  #isIgnored(path: string, { kind }: StatSnapshot, rules: IgnoreRules): boolean {
    const absolute = this.absolute(path)
    return kind === 'directory' ? rules.ignores(absolute) : rules.ignoresFile(absolute)
  }

  /** Checks if an entry belongs to the workspace: it is neither git's nor the server's. */
  #isOwn(path: string): boolean {
    const { protected: protection } = classifyPath(this.#workspace, this.#guard, { path, stat: undefined })
    // A folder that contains the server's state among other entries is visible too.
    return protection === undefined || (protection === 'write' && !GIT.covers(foldPath(path).split('/')))
  }

  /** Checks if the content may be a secret. */
  isSensitive(path: string): boolean {
    return classifyPath(this.#workspace, this.#guard, { path, stat: undefined }).sensitive
  }

  /** Returns a function that gives the root the permission bits that it has now: no change of them is reported. */
  keepRootMode(): () => void {
    const { fd } = this.#workspace
    const mode = fstatSync(fd).mode & 0o7777
    return () => {
      if ((fstatSync(fd).mode & 0o7777) !== mode) fchmodSync(fd, mode)
    }
  }

  /** Lets the owner of a folder read and change it. Returns false if that is not possible. */
  makeReadable(path: string): boolean {
    return openWorkspaceFolder(this.#workspace, path)
  }

  absolute(path: string): string {
    return path === '.' ? this.#workspace.root : join(this.#workspace.root, path)
  }

  /** A folder of a server counts as missing, whatever its name. */
  #snapshot(door: string): StatSnapshot | undefined {
    const seen = snapshotEntry(door)
    if (seen?.kind !== 'directory') return seen
    const stat = statIfReachable(door)
    return stat && serverEntriesOf(this.#guard).has(stat) ? undefined : seen
  }

  async #read(door: string, seen: StatSnapshot): Promise<Buffer | undefined> {
    const stat = statIfReachable(door)
    if (!stat || serverEntriesOf(this.#guard).has(stat)) return undefined
    return readFile(door, this.#workspace.dirAccess.noFollowFlags, seen)
  }

  async #inFolder(folder: string, work: (prefix: string) => Promise<void>): Promise<'looked' | 'missing' | 'closed'> {
    try {
      const opened = openFolder(this.#workspace, folder)
      try {
        await work(`${opened.path}/`)
        return 'looked'
      } finally {
        opened.close()
      }
    } catch (error) {
      const code = error instanceof ToolError ? error.code : errnoOf(error)
      if (code === undefined) throw error
      return MISSING_CODES.has(code) ? 'missing' : 'closed'
    }
  }
}

const MISSING_CODES: ReadonlySet<string> = new Set(['FILE_NOT_FOUND', 'NOT_A_DIRECTORY', 'ENOENT', 'ENOTDIR'])

const readAsync = promisify(read)

async function readFile(door: string, noLinks: number, was: StatSnapshot): Promise<Buffer | undefined> {
  let fd: number | undefined
  try {
    fd = openSync(door, READ | noLinks)
    if (!isSnapshotOf(fstatSync(fd), was)) return undefined
    const bytes = Buffer.allocUnsafeSlow(was.size)
    for (let at = 0; at < was.size; ) {
      // A trip to the thread pool takes longer than reading a small file.
      const count =
        was.size <= SYNC_LIMIT
          ? readSync(fd, bytes, at, was.size - at, null)
          : (await readAsync(fd, bytes, at, Math.min(CHUNK, was.size - at), null)).bytesRead
      if (count === 0) return undefined
      at += count
    }
    return isSnapshotOf(fstatSync(fd), was) ? bytes : undefined
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

const isSnapshotOf = (stat: Stats, { ino, size, mtime, ctime }: StatSnapshot) =>
  stat.isFile() && stat.ino === ino && stat.size === size && stat.mtimeMs === mtime && stat.ctimeMs === ctime

function groupByFolder(paths: Iterable<string>): Map<string, string[]> {
  const folders = new Map<string, string[]>()
  for (const path of paths) {
    const { folder, name } = splitPath(path)
    const names = folders.get(folder)
    if (names) names.push(name)
    else folders.set(folder, [name])
  }
  return folders
}

/** Splits a path into its folder and its name. */
export function splitPath(path: string): { folder: string; name: string } {
  const slash = path.lastIndexOf('/')
  return slash < 0 ? { folder: '.', name: path } : { folder: path.slice(0, slash), name: path.slice(slash + 1) }
}

/** Joins a folder and a name; '.' is the root. */
export const joinPath = (folder: string, name: string): string => (folder === '.' ? name : `${folder}/${name}`)
