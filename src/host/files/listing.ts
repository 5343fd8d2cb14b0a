// Breadth-first listing of a folder: a truncated listing still shows the top levels completely. Ignored and hidden entries are
// left out by default, and counted.

import type { Dirent } from 'node:fs'
import { ToolError } from '../../errors.ts'
import { IgnoreRules } from '../watch/ignore-rules.ts'
import type { Workspace } from '../workspace.ts'
import { lstatSync, readdirSync } from './byte-path-fs.ts'
import { type DirectoryEntry, entryTypeOf } from './file-snapshot.ts'
import { openFolder } from './open-folder.ts'
import { getProtection, type PathGuard } from './policy/path-policy.ts'
import { TimeSlicer } from './time-slicing.ts'

export interface ListingQuery {
  /** Maximum number of levels. */
  depth: number
  /** Includes names that begin with a dot. */
  hidden: boolean
  /** Includes entries excluded by .gitignore and similar files. */
  ignored: boolean
  limit: number
  signal: AbortSignal
}

export interface Listing {
  entries: DirectoryEntry[]
  /** There are more entries than the limit. */
  truncated: boolean
  /** Number of omitted entries in the listed folders, not counting their descendants. */
  left_out: OmittedCounts
}

interface OmittedCounts {
  ignored: number
  hidden: number
  /** Number of folders that may not be read. */
  unreadable: number
}

interface PendingFolder {
  path: string
  /** Ignore rules inherited from the ancestors. */
  rules: IgnoreRules
}

/** Lists the folder at a canonical path. Links are not followed; the server's own files are omitted. */
export async function listFolder(
  workspace: Workspace,
  guard: PathGuard,
  path: string,
  query: ListingQuery
): Promise<Listing> {
  const walk = new ListingWalk(workspace, guard, query)
  let level: readonly PendingFolder[] = [{ path, rules: IgnoreRules.aboveFolder(workspace.root, path) }]
  for (let depth = 1; depth <= query.depth && level.length > 0; depth++) level = await walk.list(level)
  return walk.listing
}

class ListingWalk {
  readonly listing: Listing = { entries: [], truncated: false, left_out: { ignored: 0, hidden: 0, unreadable: 0 } }
  readonly #workspace: Workspace
  readonly #guard: PathGuard
  readonly #query: ListingQuery
  readonly #slicer = new TimeSlicer()

  constructor(workspace: Workspace, guard: PathGuard, query: ListingQuery) {
    this.#workspace = workspace
    this.#guard = guard
    this.#query = query
  }

  /** Lists folders and returns their subfolders; none once the limit is reached. */
  async list(folders: readonly PendingFolder[]): Promise<PendingFolder[]> {
    const inside: PendingFolder[] = []
    for (const folder of folders) {
      const open = this.#open(folder.path)
      if (!open) continue
      try {
        await this.#listOpen(folder, `${open.path}/`, inside)
      } finally {
        open.close()
      }
      if (this.listing.truncated) return []
    }
    return inside
  }

  /** Opens a folder. Errors are reported for the requested folder and skipped for its descendants. */
  #open(path: string) {
    try {
      return openFolder(this.#workspace, path)
    } catch (error) {
      if (this.listing.entries.length === 0 || !(error instanceof ToolError)) throw error
      if (error.code === 'PERMISSION_DENIED') this.listing.left_out.unreadable++
      return undefined
    }
  }

  async #listOpen({ path, rules: above }: PendingFolder, prefix: string, inside: PendingFolder[]) {
    const dirents = readdirSync(prefix, { withFileTypes: true }).sort(byName)
    const folder = path === '.' ? '' : `${path}/`
    const { root } = this.#workspace
    const rules = above.within(path === '.' ? root : `${root}/${path}`, new Set(dirents.map(({ name }) => name)))
    for (const dirent of dirents) {
      if (!this.#isShown(dirent, `${root}/${folder}${dirent.name}`, rules)) continue
      const entry = this.#entry(prefix, folder + dirent.name, dirent.name)
      if (!entry) continue
      this.listing.truncated = this.listing.entries.length === this.#query.limit
      if (this.listing.truncated) return
      this.listing.entries.push(entry)
      if (entry.type === 'directory' && !entry.closed) inside.push({ path: entry.path, rules })
      await this.#slicer.yieldIfDue()
      this.#query.signal.throwIfAborted()
    }
  }

  #isShown(dirent: Dirent, absolute: string, rules: IgnoreRules): boolean {
    const { ignored, hidden } = this.#query
    if (!ignored && (dirent.isDirectory() ? rules.ignores(absolute) : rules.ignoresFile(absolute)))
      this.listing.left_out.ignored++
    else if (!hidden && dirent.name.startsWith('.')) this.listing.left_out.hidden++
    else return true
    return false
  }

  #entry(prefix: string, path: string, name: string): DirectoryEntry | undefined {
    const stat = lstatSync(prefix + name, { bigint: true, throwIfNoEntry: false })
    // Removed concurrently, or a name that is not UTF-8 and therefore unreachable.
    if (!stat) return undefined
    const protection = getProtection(this.#workspace, this.#guard, path, stat)
    if (protection === 'all') return undefined
    const modified = stat.mtime.toISOString()
    return { name, path, type: entryTypeOf(stat), size: Number(stat.size), modified, closed: protection !== undefined }
  }
}

const byName = (a: Dirent, b: Dirent) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
