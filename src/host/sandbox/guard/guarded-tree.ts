// Scans a workspace for entries that a sandboxed command may not change or see. A folder's entries are cached until the folder
// changes, so that a repeated scan costs one stat for each folder that is not watched.

import type { BigIntStats } from 'node:fs'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { lstatSync, readlinkSync } from '../../files/byte-path-fs.ts'
import { errnoOf } from '../../files/errno.ts'
import { MAX_PATH_PARTS } from '../../files/paths.ts'
import type { ServerEntries } from '../../files/policy/server-entries.ts'
import { TimeSlicer } from '../../files/time-slicing.ts'
import type { Watcher } from '../../watch/watcher.ts'
import { isReachable } from './deep-folders.ts'
import type { GuardedNames, NameProtection } from './guarded-names.ts'
import { type ScannedEntry, scanFolder } from './scan-folder.ts'
import { WatchedFolders } from './watched-folders.ts'

export interface GuardedEntry extends NameProtection {
  /** Relative to the root. */
  path: string
  /** `other` is a pipe or a device, for which programs that open it may wait. */
  kind: 'file' | 'folder' | 'link' | 'socket' | 'other'
  /** Distinguishes the entry from any replacement. */
  identity: string
  /** Birth time in milliseconds; writes and moves do not alter it. 0 if unknown. */
  born: number
  /** Target of a symbolic link. */
  target?: string
  /** It belongs to a server: no setting makes it visible. */
  isServerEntry?: true
  /** It is hidden only since it is a socket or a pipe, by which a program outside may be reached. */
  hiddenByKind?: true
  /** It is write-protected only from commands that run unasked. */
  isSelfStarting?: true
}

/** Meaning of a server's file or folder. Commands see nothing of it, so they can change nothing in it either. */
export const SERVER_ENTRY = { writeProtected: false, sensitive: true, isServerEntry: true } as const

/** Meaning of a folder that the server cannot read: it may hold secrets. */
const UNREADABLE: NameProtection = { writeProtected: false, sensitive: true }

const SELF_STARTING_ENTRY = { writeProtected: true, sensitive: false, isSelfStarting: true } as const

const HIDDEN_BY_KIND = { hiddenByKind: true } as const

/** Result of one scan. */
export interface TreeScan {
  /** Number of folders. */
  folders: number
  guarded: GuardedEntry[]
  /** Entries that programs execute automatically though approved commands may write them: as write-protected. */
  selfStarting: GuardedEntry[]
  /** Folders, relative to the root, that the server cannot read although a command may: they are hidden from commands. */
  unreadable: string[]
}

interface ScannedFolder {
  stat: BigIntStats
  /** The last scan that found it. */
  scan: number
  /** It may have changed again within the timestamp granularity of the file system. */
  isRacy: boolean
  folders: string[]
  guarded: GuardedEntry[]
  selfStarting: GuardedEntry[]
  unreadable: string[]
}

/** Timestamp granularity of file systems, at worst. */
const TIMESTAMP_GRANULARITY_NS = 20_000_000n
/** Other work of the server runs between slices. */
const SLICE_MS = 5

interface GuardedTreeOptions {
  root: string
  names: GuardedNames
  servers: ServerEntries
  watcher: Watcher | undefined
  maxFolders: number
}

export class GuardedTree {
  readonly #root: string
  readonly #names: GuardedNames
  readonly #servers: ServerEntries
  readonly #maxFolders: number
  readonly #watched: WatchedFolders
  /** The file system of the root. */
  #device: bigint | undefined
  readonly #folders = new Map<string, ScannedFolder>()
  #scans = 0
  /** Scans are serialized, so that any number of requests blocks the server for no longer than a slice. */
  #running: Promise<unknown> = Promise.resolve()
  /** A scan that has not begun: it is shared by all requests until then. */
  #next: Promise<TreeScan | undefined> | undefined

  constructor({ root, names, servers, watcher, maxFolders }: GuardedTreeOptions) {
    this.#root = root
    this.#names = names
    this.#servers = servers
    this.#watched = new WatchedFolders(root, watcher)
    this.#maxFolders = maxFolders
  }

  /** Returns all guarded entries; undefined if there are too many folders. */
  scan(): Promise<TreeScan | undefined> {
    this.#next ??= this.#running.then(() => {
      this.#next = undefined
      return this.#scan()
    })
    this.#running = this.#next.catch(() => {})
    return this.#next
  }

  /** Returns the uppermost folders that were made since a time in milliseconds, however many folders there are. */
  async findNewFolders(since: number): Promise<string[]> {
    await this.#running
    const found: string[] = []
    const waiting = ['']
    const slices = new TimeSlicer()
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      await slices.yieldIfDue()
      for (const child of this.#folder(name)?.folders ?? []) {
        const stat = statIfExists(`${this.#root}/${child}`)
        if (stat && statFacts(stat).born >= since) found.push(child)
        else waiting.push(child)
      }
    }
    return found
  }

  async #scan(): Promise<TreeScan | undefined> {
    await this.#watched.settle()
    const scan = ++this.#scans
    const found: TreeScan = { folders: 0, guarded: [], selfStarting: [], unreadable: [] }
    const waiting = ['']
    let since = performance.now()
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (found.folders >= this.#maxFolders) return undefined
      const folder = this.#folder(name)
      if (!folder) continue
      folder.scan = scan
      found.folders += 1
      for (const entry of folder.guarded) found.guarded.push(entry)
      for (const entry of folder.selfStarting) found.selfStarting.push(entry)
      for (const entry of folder.unreadable) found.unreadable.push(entry)
      for (const child of folder.folders) waiting.push(child)
      if (performance.now() - since > SLICE_MS) {
        await setImmediate()
        since = performance.now()
      }
    }
    if (this.#folders.size > found.folders)
      for (const [name, folder] of this.#folders) if (folder.scan !== scan) this.#folders.delete(name)
    return found
  }

  /** Returns a folder as it is now. A large workspace has many: this is the cost of a scan. */
  #folder(name: string): ScannedFolder | undefined {
    const known = this.#folders.get(name)
    if (known && this.#watched.isUnchanged(name)) return known
    this.#watched.note(name)
    const stat = statIfExists(name === '' ? this.#root : `${this.#root}/${name}`)
    if (!stat?.isDirectory()) {
      this.#folders.delete(name)
      return undefined
    }
    if (name === '') this.#device = stat.dev
    // Another file system may be one that is changed from elsewhere.
    else if (stat.dev !== this.#device) this.#watched.forget(name)
    if (name !== '' && this.#servers.has(stat)) return this.#serverFolder(name, stat)
    if (known && !known.isRacy && isUnchanged(known.stat, stat)) return known
    const folder = this.#scanFolder(name, stat)
    this.#folders.set(name, folder)
    return folder
  }

  #serverFolder(name: string, stat: BigIntStats): ScannedFolder {
    const guarded = [{ path: name, ...SERVER_ENTRY, ...statFacts(stat) }]
    return { stat, scan: this.#scans, isRacy: true, folders: [], guarded, selfStarting: [], unreadable: [] }
  }

  #scanFolder(name: string, stat: BigIntStats): ScannedFolder {
    const readAt = BigInt(Date.now()) * 1_000_000n
    const { entries, isUnreadable } = scanFolder(path.join(this.#root, name), stat)
    const meanings = this.#names.classify(name, entries)
    const at = (entry: string) => (name === '' ? entry : `${name}/${entry}`)
    const within = entries.filter(one => one.isFolder && this.#names.shouldDescend(name, one.name))
    const canLook = (one: ScannedEntry) => this.#hasAddressableChildren(at(one.name))
    const unreachable = within.filter(one => !canLook(one))
    const special = entries.filter(one => one.isSpecialFile)
    const byKind = new Set(
      special.filter(one => one.isConnection && !meanings.get(one.name)?.sensitive).map(one => one.name)
    )
    for (const { name: door } of [...special, ...unreachable])
      meanings.set(door, { writeProtected: false, selfStarting: false, ...meanings.get(door), sensitive: true })
    const isGuarded = ([, { writeProtected, sensitive }]: [string, NameProtection]) => writeProtected || sensitive
    return {
      stat,
      scan: this.#scans,
      // Also true if the clock has been set back since.
      isRacy: readAt - stat.ctimeNs < TIMESTAMP_GRANULARITY_NS,
      folders: within.filter(canLook).map(one => at(one.name)),
      guarded: [
        ...(isUnreadable && name !== '' ? [{ path: name, ...UNREADABLE, ...statFacts(stat) }] : []),
        ...[...meanings]
          .filter(isGuarded)
          .flatMap(([entry, { writeProtected, sensitive }]) =>
            this.#toGuardedEntry(at(entry), { writeProtected, sensitive, ...(byKind.has(entry) && HIDDEN_BY_KIND) })
          )
      ],
      selfStarting: [...meanings]
        .filter(([, { selfStarting }]) => selfStarting)
        .flatMap(([entry]) => this.#toGuardedEntry(at(entry), SELF_STARTING_ENTRY)),
      unreadable: [...(isUnreadable ? [name === '' ? '.' : name] : []), ...unreachable.map(one => at(one.name))]
    }
  }

  /** Checks if the paths of a folder's direct children are accepted by the system, and by undo. */
  #hasAddressableChildren(folder: string) {
    return isReachable(path.join(this.#root, folder)) && folder.split('/').length < MAX_PATH_PARTS
  }

  #toGuardedEntry(
    name: string,
    meaning: NameProtection & Pick<GuardedEntry, 'isSelfStarting' | 'hiddenByKind'>
  ): GuardedEntry[] {
    const file = path.join(this.#root, name)
    const stat = statIfExists(file)
    if (!stat) return []
    const entry = { ...meaning, path: name, ...statFacts(stat) }
    return [stat.isSymbolicLink() ? { ...entry, target: readLinkOrEmpty(file) } : entry]
  }
}

export const statFacts = (stat: BigIntStats): Pick<GuardedEntry, 'identity' | 'born' | 'kind'> => ({
  identity: inodeIdentity(stat),
  born: Number(stat.birthtimeNs / 1_000_000n),
  kind: kindOf(stat)
})

/** The birth time distinguishes a file from a later one with the same inode number, which may be reused at once. */
export const inodeIdentity = (stat: BigIntStats) => `${stat.dev}:${stat.ino}:${stat.birthtimeNs}:${kindOf(stat)}`

const isUnchanged = (one: BigIntStats, other: BigIntStats) =>
  one.ctimeNs === other.ctimeNs &&
  one.ino === other.ino &&
  one.dev === other.dev &&
  one.birthtimeNs === other.birthtimeNs

function kindOf(stat: BigIntStats): GuardedEntry['kind'] {
  if (stat.isSymbolicLink()) return 'link'
  if (stat.isSocket()) return 'socket'
  return stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other'
}

// An entry that is gone or inaccessible has nothing to guard.
function statIfExists(file: string): BigIntStats | undefined {
  try {
    return lstatSync(file, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return undefined
  }
}

function readLinkOrEmpty(link: string): string {
  try {
    return readlinkSync(link)
  } catch {
    return ''
  }
}
