// Overlay of the workspace: the state on disk with the planned changes so far. Planning changes nothing.

import { createHash } from 'node:crypto'
import { dirname } from 'node:path/posix'
import { setImmediate } from 'node:timers/promises'
import type { FileSnapshot } from '../../../host/files/file-snapshot.ts'
import type { StoredBlob } from '../../../host/undo-store/stored-blob.ts'
import { listAncestors } from '../../../text/ancestors.ts'
import type { ReadFiles } from '../../../tool/contexts.ts'

export interface FileState {
  kind: 'file'
  hash: string
  /** Permission bits; those of a new file if unknown. */
  mode?: number
  /** Undefined if too large for memory. */
  bytes: Buffer | undefined
  /** Extended attributes that it had, if it was removed. */
  attributes?: Buffer
  /** Its blob, if it comes from the store. */
  blob?: StoredBlob
  /** Path of this file on disk. */
  origin?: string
  /** Includes later changes. */
  merged?: true
}

/** State of a path. */
export type EntryState =
  | { kind: 'missing' | 'other' }
  | { kind: 'symlink'; target: string }
  /** `origin`: the folder on disk that moves with all its contents. */
  | { kind: 'directory'; mode?: number; origin?: string }
  | FileState

export const MISSING: EntryState = { kind: 'missing' }
const OTHER: EntryState = { kind: 'other' }
const MODE = 0o777
/** With the bits by which a folder hands its group down, and keeps others from removing what is in it. */
const FOLDER_MODE = 0o7777
/** Number of disk accesses before yielding to the event loop. */
const LOOKS_PER_TURN = 64

export class WorkspaceOverlay {
  readonly #files: ReadFiles
  readonly #signal: AbortSignal
  readonly #disk = new Map<string, EntryState>()
  readonly #snapshots = new Map<string, FileSnapshot>()
  readonly #planned = new Map<string, EntryState>()

  constructor(files: ReadFiles, signal: AbortSignal) {
    this.#files = files
    this.#signal = signal
  }

  /** Checks if a path has a file of this identity, whose content is not read then: it can only be removed. */
  hasUnread(path: string, identity: string): boolean {
    if (this.#planned.has(path) || this.#files.inspectLiteral(path)?.identity !== identity) return false
    this.#disk.set(path, OTHER)
    return true
  }

  /** Returns the planned state of a path. */
  async at(path: string): Promise<EntryState> {
    return this.#planned.get(path) ?? this.onDisk(path)
  }

  async onDisk(path: string): Promise<EntryState> {
    const thing = this.#disk.get(path) ?? (await this.#inspect(path))
    this.#disk.set(path, thing)
    return thing
  }

  /** Returns the state on disk, if it was inspected before. */
  knownOnDisk(path: string): EntryState | undefined {
    return this.#disk.get(path)
  }

  /** Returns the snapshot of the file on disk, as the precondition for replacing it. */
  snapshotOf(path: string): FileSnapshot | undefined {
    return this.#snapshots.get(path)
  }

  put(path: string, thing: EntryState) {
    this.#planned.set(path, thing)
  }

  /** Creates an entry and its parent folders. Returns the conflicting path, if any. */
  async create(path: string, thing: EntryState): Promise<string | undefined> {
    for (const folder of listAncestors(path)) {
      const { kind } = await this.at(folder)
      if (kind === 'missing') this.put(folder, { kind: 'directory' })
      else if (kind !== 'directory') return folder
    }
    this.put(path, thing)
    return undefined
  }

  /** Returns the paths of a folder's entries. `closed` ones must not be changed. */
  async childrenOf(folder: string): Promise<{ path: string; closed: boolean }[]> {
    const { kind } = await this.onDisk(folder)
    const entries = kind === 'directory' ? this.#files.entries(folder) : []
    const paths = new Map(entries.map(({ path, closed }) => [path, closed]))
    for (const path of this.#planned.keys()) if (dirname(path) === folder && !paths.has(path)) paths.set(path, false)
    const inside: { path: string; closed: boolean }[] = []
    for (const [path, closed] of paths) if ((await this.at(path)).kind !== 'missing') inside.push({ path, closed })
    return inside
  }

  /** Describes every entry on disk that was inspected, as plain JSON. */
  describeDisk(): [path: string, ...state: unknown[]][] {
    return [...this.#disk].map(([path, state]) => {
      if (state.kind === 'symlink') return [path, state.kind, state.target]
      if (state.kind === 'directory') return [path, state.kind, state.mode]
      return state.kind === 'file' ? [path, state.kind, state.mode, state.hash] : [path, state.kind]
    })
  }

  /** Every planned path. */
  get paths(): string[] {
    return [...this.#planned.keys()].sort()
  }

  async #inspect(path: string): Promise<EntryState> {
    if (this.#disk.size % LOOKS_PER_TURN === LOOKS_PER_TURN - 1) await setImmediate()
    this.#signal.throwIfAborted()
    const entry = this.#files.inspectLiteral(path)
    if (!entry) return MISSING
    if (entry.type === 'symlink') return { kind: 'symlink', target: entry.target! }
    if (entry.type === 'directory') return { kind: 'directory', mode: entry.mode & FOLDER_MODE }
    if (entry.type === 'other') return OTHER
    const found = await this.#files.snapshot(path)
    if (!found) return MISSING
    this.#snapshots.set(path, found)
    const hash = found.hash ?? (await this.#hashFile(path))
    return { kind: 'file', hash, mode: Number(found.stat.mode) & MODE, bytes: found.bytes, origin: path }
  }

  async #hashFile(path: string): Promise<string> {
    const file = this.#files.open(path)
    try {
      const digest = createHash('sha256')
      for await (const chunk of file.chunks(this.#signal)) digest.update(chunk)
      return `sha256:${digest.digest('hex')}`
    } finally {
      file.close()
    }
  }
}
