// Scope of the snapshot before a command that runs unasked: all that it can change, ignored files too. Files and folders that do not
// fit are made read-only for the command.
import { ToolError } from '../../errors.ts'
import { globMatches } from '../../text/glob/match.ts'
import { regeneratedKind } from '../../text/regenerated-folders.ts'
import type { StatSnapshot } from '../watch/stat-snapshot.ts'
import { splitPath, type TreePlace, type WorkspaceTree } from '../watch/workspace-tree.ts'
import type { EntryVisitor, SnapshotLimits, SnapshotScope } from './snapshot.ts'

/** Maximum number of ignored files that are held. */
const MAX_IGNORED_FILES = 20_000
/** Maximum number of files and folders that are made read-only or hidden: each is a mount. */
const MAX_MOUNTS = 200
/** Maximum number of folders that are discarded: mounts too, but cheap ones. */
const MAX_DISCARDED = 1_000

export interface CoverageOptions {
  /** Globs of paths that the command may neither read nor change. */
  hides: readonly string[]
}

/** A folder that the command may change without any effect: what it writes there is discarded. */
export interface DiscardedFolder {
  /** Relative to the root. */
  path: string
  /** The command starts with a copy of its content if that is small; else with an empty folder. */
  isCopied: boolean
}

interface ScopeEntry {
  path: string
  stat: StatSnapshot
}

/** An ignored file or folder whose parent is not ignored: it is held whole, or read-only. */
interface IgnoredUnit {
  path: string
  entries: ScopeEntry[]
  files: number
  bytes: number
  tooLarge: boolean
}

export class CoverageScope implements SnapshotScope {
  readonly #tree: WorkspaceTree
  readonly #limits: SnapshotLimits
  readonly #hides: readonly string[]
  /** Mounted read-only. */
  readonly #readOnly = new Set<string>()
  /** Mounted unreadable. */
  readonly #hidden = new Set<string>()
  readonly #discarded: DiscardedFolder[] = []
  /**
   * Entries that are not looked into: the command cannot change them, or what it changes in them is discarded. It may move the folders above
   * them.
   */
  readonly #left = new Map<string, StatSnapshot | undefined>()
  readonly #leftIdentities = new Set<string>()
  #isPlanned = false

  constructor(tree: WorkspaceTree, limits: SnapshotLimits, { hides }: CoverageOptions) {
    this.#tree = tree
    this.#hides = hides
    this.#limits = limits
  }

  /** Files and folders that the command may not change, relative to the root. */
  get readOnly(): string[] {
    return [...this.#readOnly]
  }

  /** Files and folders that the command may not read, relative to the root. */
  get hidden(): string[] {
    return [...this.#hidden]
  }

  /** Folders whose changes are discarded. */
  get discarded(): DiscardedFolder[] {
    return this.#discarded.filter(({ path }) => ![...this.#readOnly].some(folder => path.startsWith(`${folder}/`)))
  }

  /** Makes files read-only that are compared, but whose content could not be stored. Throws SANDBOX_UNAVAILABLE if these are too many. */
  restrict(paths: readonly string[]) {
    for (const path of paths) this.#readOnly.add(path)
    this.#assertMountable()
  }

  #assertMountable() {
    const mounts = this.#readOnly.size + this.#hidden.size
    if (mounts > MAX_MOUNTS) throw tooManyMountsError(mounts)
    if (this.#discarded.length > MAX_DISCARDED) throw tooManyCachesError(this.#discarded.length)
  }

  /**
   * Visits the entries that are held; from the second time on, also those that are new, and those in folders that the command has made
   * unreadable: their owner gets the right to read them. Throws like `restrict`.
   */
  async walk(visit: EntryVisitor): Promise<string[]> {
    if (!this.#isPlanned) {
      this.#isPlanned = true
      for (const { path, stat } of await this.#plan()) visit(path, stat)
      for (const [path, stat] of this.#left) if (stat) visit(path, stat, 'left')
      return []
    }
    const again = () =>
      this.#tree.walkAll((path, seen) => {
        if (this.#left.has(path) && !this.#left.get(path)) return false
        visit(path, seen)
        return !this.#leftIdentities.has(identify(seen))
      })
    for (let closed = await again(); ; closed = await again()) {
      const opened = closed.filter(folder => !this.#left.has(folder) && this.#tree.makeReadable(folder))
      if (opened.length === 0) return closed
    }
  }

  /** Selects what is held. */
  async #plan(): Promise<ScopeEntry[]> {
    const visible: ScopeEntry[] = []
    const units = new Map<string, IgnoredUnit>()
    const closed = await this.#tree.walkAll((path, stat, place) => {
      // A link leads to a file that has a path, too.
      if (stat.kind !== 'symlink' && this.#hides.some(glob => globMatches(glob, path))) {
        this.#hidden.add(path)
        this.#leave(path, stat)
        return false
      }
      const kind = kindOf(path, stat, place)
      if (kind === 'dependencies') this.#leaveReadOnly(path, stat)
      else if (kind) this.#discard({ path, isCopied: kind === 'output' }, stat)
      if (kind) return false
      if (!place.isIgnored) {
        visible.push({ path, stat })
        return true
      }
      const unit = units.get(splitPath(path).folder) ?? { path, entries: [], files: 0, bytes: 0, tooLarge: false }
      this.#addToUnit(unit, { path, stat })
      units.set(path, unit)
      return !unit.tooLarge
    })
    for (const folder of closed) this.#leaveReadOnly(folder, undefined)
    const kept = this.#selectVisible(visible)
    const ignored = this.#selectIgnored(kept, [...new Set(units.values())])
    this.#assertMountable()
    return [...kept, ...ignored]
  }

  #addToUnit(unit: IgnoredUnit, entry: ScopeEntry) {
    unit.entries.push(entry)
    if (entry.stat.kind !== 'file') return
    const { size } = entry.stat
    unit.files += 1
    unit.bytes += size
    if (size > this.#limits.max_file_bytes || unit.bytes > this.#limits.max_bytes || unit.files > MAX_IGNORED_FILES)
      unit.tooLarge = true
  }

  /** Returns what is not ignored, without the largest files that do not fit. */
  #selectVisible(entries: readonly ScopeEntry[]): ScopeEntry[] {
    const { max_file_bytes, max_bytes } = this.#limits
    let bytes = bytesOf(entries)
    const bySize = entries.filter(({ stat }) => stat.kind === 'file').sort((a, b) => b.stat.size - a.stat.size)
    for (const { path, stat } of bySize) {
      if (stat.size <= max_file_bytes && bytes <= max_bytes) break
      bytes -= stat.size
      this.#leaveReadOnly(path, stat)
    }
    return entries.filter(({ path }) => !this.#left.has(path))
  }

  /** Returns the ignored entries that fit as well: the smallest first. */
  #selectIgnored(kept: readonly ScopeEntry[], units: readonly IgnoredUnit[]): ScopeEntry[] {
    let bytes = bytesOf(kept)
    let files = 0
    return units
      .toSorted((a, b) => a.bytes - b.bytes)
      .flatMap(unit => {
        const fits =
          !unit.tooLarge && bytes + unit.bytes <= this.#limits.max_bytes && files + unit.files <= MAX_IGNORED_FILES
        if (!fits) {
          this.#leaveReadOnly(unit.path, unit.entries[0]?.stat)
          return []
        }
        bytes += unit.bytes
        files += unit.files
        return unit.entries
      })
  }

  #leaveReadOnly(path: string, stat: StatSnapshot | undefined) {
    this.#readOnly.add(path)
    this.#leave(path, stat)
  }

  #discard(folder: DiscardedFolder, stat: StatSnapshot) {
    this.#discarded.push(folder)
    this.#leave(folder.path, stat)
  }

  #leave(path: string, stat: StatSnapshot | undefined) {
    this.#left.set(path, stat)
    if (stat) this.#leftIdentities.add(identify(stat))
  }
}

/** Distinguishes an entry from all others, wherever it is moved. */
const identify = ({ kind, ino, size, mtime }: StatSnapshot) => [kind, ino, size, mtime].join(':')

const kindOf = (path: string, { kind }: StatSnapshot, place: TreePlace) =>
  kind === 'directory' ? regeneratedKind(splitPath(path).name, place) : undefined

const bytesOf = (entries: readonly ScopeEntry[]) =>
  entries.reduce((sum, { stat }) => sum + (stat.kind === 'file' ? stat.size : 0), 0)

const tooManyMountsError = (count: number) =>
  new ToolError(
    'SANDBOX_UNAVAILABLE',
    `Commands cannot run without approval in this workspace: ${count} of its files and folders (limit: ${MAX_MOUNTS}) ` +
      'are too large for undo, cannot be read, or have rules that deny or ask about access. To request approval, call with ' +
      `\`track_changes: false\`.`
  )

const tooManyCachesError = (count: number) =>
  new ToolError(
    'SANDBOX_UNAVAILABLE',
    `Commands cannot run without approval in this workspace: ${count} of its folders are caches; the limit is ${MAX_DISCARDED}. Remove caches that are not needed. To request approval, call with \`track_changes: false\`.`
  )
