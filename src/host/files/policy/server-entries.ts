// Recognizes files and folders of servers by device and inode number, whatever their names: after a folder above them was renamed,
// through a hard link, or below another mount.

import type { BigIntStats } from 'node:fs'
import path from 'node:path'
import { isInFolder } from '../../../text/ancestors.ts'
import { lstatSync, readdirSync } from '../byte-path-fs.ts'

/** Identifies an inode; the birth time distinguishes it from a later one with the same number. */
type InodeId = string

interface IndexedFolder {
  id: InodeId
  changed: bigint
  /** It may have changed again within the timestamp granularity of the file system. */
  isRacy: boolean
  folders: readonly string[]
  files: readonly string[]
  /** Ids of its files, once they are needed. */
  fileIds?: ReadonlySet<InodeId>
}

/** Minimum time between two refreshes for folders, in milliseconds. */
const FOLDER_REFRESH_MS = 250
/** Refreshes take at most this part of the time. */
const MAX_REFRESH_SHARE = 1 / 20
const TIMESTAMP_GRANULARITY_NS = 20_000_000n

export class ServerEntries {
  readonly paths: readonly string[]
  /** Ids of what was at the paths, ever: it may have been moved. */
  readonly #ownIds = new Set<InodeId>()
  readonly #ownFolderIds = new Set<InodeId>()
  /** Ids of the folders above them, ever. */
  readonly #aboveIds = new Set<InodeId>()
  /** By absolute path. */
  #folders = new Map<string, IndexedFolder>()
  #folderIds: ReadonlySet<InodeId> = new Set()
  #refreshedAt = 0
  #refreshTook = 0

  /** `paths`: absolute paths of files, and of folders with all in them; they need not exist yet. */
  constructor(paths: readonly string[]) {
    this.paths = paths
    this.#refresh()
  }

  /** Checks if an entry is one of them. */
  has(stat: BigIntStats): boolean {
    const id = inodeId(stat)
    if (stat.isDirectory()) {
      this.#refreshAfter(FOLDER_REFRESH_MS)
      return this.#ownIds.has(id) || this.#folderIds.has(id)
    }
    // Their folders are recognized on the way to a file, unless another name of the file leads there.
    return this.#ownIds.has(id) || (stat.nlink > 1n && this.#hasFile(id))
  }

  /** Checks if a folder of theirs is, or was, somewhere else than at its path. */
  haveMovedFolders(): boolean {
    const there = this.paths.map(statIfReachable)
    return !isSubset(this.#ownFolderIds, new Set(there.flatMap(stat => (stat ? [inodeId(stat)] : []))))
  }

  /** Checks if a folder contains some of them. */
  isAbove(stat: BigIntStats): boolean {
    return stat.isDirectory() && this.#aboveIds.has(inodeId(stat))
  }

  /** Finds a file with several names among those that hold tokens, calls or logs; not among the many with former contents. */
  findLinked(): string | undefined {
    this.#refresh()
    for (const [folder, { files }] of this.#folders) {
      if (!this.paths.includes(folder) && !this.paths.includes(path.dirname(folder))) continue
      const linked = files.find(name => (statIfReachable(path.join(folder, name))?.nlink ?? 0n) > 1n)
      if (linked !== undefined) return path.join(folder, linked)
    }
    return this.paths.find(file => {
      const stat = statIfReachable(file)
      return stat?.isFile() && stat.nlink > 1n
    })
  }

  #hasFile(id: InodeId): boolean {
    this.#refreshAfter(0)
    for (const [folder, indexed] of this.#folders) {
      indexed.fileIds ??= new Set(indexed.files.flatMap(name => idAt(path.join(folder, name)) ?? []))
      if (indexed.fileIds.has(id)) return true
    }
    return false
  }

  #refreshAfter(ms: number) {
    const since = performance.now() - this.#refreshedAt
    if (since >= Math.max(ms, this.#refreshTook / MAX_REFRESH_SHARE)) this.#refresh()
  }

  #refresh() {
    const began = performance.now()
    const folders = new Map<string, IndexedFolder>()
    for (const file of this.paths) {
      const stat = statIfReachable(file)
      if (!stat) {
        for (const [folder, indexed] of this.#folders) if (isInFolder(folder, file)) folders.set(folder, indexed)
        continue
      }
      this.#ownIds.add(inodeId(stat))
      if (stat.isDirectory()) this.#ownFolderIds.add(inodeId(stat))
      for (const folder of foldersAbove(file)) {
        const id = idAt(folder)
        if (id !== undefined) this.#aboveIds.add(id)
      }
      this.#index(file, folders)
    }
    this.#folders = folders
    this.#folderIds = new Set([...folders.values()].map(({ id }) => id))
    this.#refreshedAt = performance.now()
    this.#refreshTook = this.#refreshedAt - began
  }

  #index(folder: string, into: Map<string, IndexedFolder>) {
    const stat = into.has(folder) ? undefined : statIfReachable(folder)
    if (!stat?.isDirectory()) return
    const known = this.#folders.get(folder)
    const isSame = known && !known.isRacy && known.changed === stat.ctimeNs && known.id === inodeId(stat)
    const indexed = isSame ? known : indexFolder(folder, stat)
    into.set(folder, indexed)
    for (const name of indexed.folders) this.#index(path.join(folder, name), into)
  }
}

function indexFolder(folder: string, stat: BigIntStats): IndexedFolder {
  const readAt = BigInt(Date.now()) * 1_000_000n
  const entries = listIfReadable(folder)
  return {
    id: inodeId(stat),
    changed: stat.ctimeNs,
    isRacy: readAt - stat.ctimeNs < TIMESTAMP_GRANULARITY_NS,
    folders: entries.filter(entry => entry.isDirectory()).map(({ name }) => name),
    files: entries.filter(entry => entry.isFile()).map(({ name }) => name)
  }
}

function listIfReadable(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

function foldersAbove(file: string): string[] {
  const folder = path.dirname(file)
  return folder === file ? [] : [folder, ...foldersAbove(folder)]
}

const isSubset = (ids: ReadonlySet<InodeId>, of: ReadonlySet<InodeId>) => [...ids].every(id => of.has(id))

const inodeId = (stat: BigIntStats): InodeId => `${stat.dev}:${stat.ino}:${stat.birthtimeNs}`

function idAt(file: string): InodeId | undefined {
  const stat = statIfReachable(file)
  return stat && inodeId(stat)
}

/** Returns undefined for an entry that may not be inspected either: no call reaches it. */
export function statIfReachable(file: string): BigIntStats | undefined {
  try {
    return lstatSync(file, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
