// The workspace as it would be: what is there, with what has been planned so far. Nothing is changed by planning.

import { createHash } from 'node:crypto'
import { dirname } from 'node:path/posix'
import { setImmediate } from 'node:timers/promises'
import type { FileSnapshot, Files, StoredBlob } from '../../../host/files/files.ts'
import { listAncestors } from '../../../text/ancestors.ts'

export interface FileState {
  kind: 'file'
  hash: string
  /** Permission bits; those of a new file where they are not known. */
  mode?: number
  /** Undefined where that is too much to hold. */
  bytes: Buffer | undefined
  /** Where it is kept, if it comes from there. */
  kept?: StoredBlob
  /** Where on the disk this very file is. */
  origin?: string
  /** It holds what was changed later too. */
  merged?: true
}

/** What is at a path. */
export type EntryState =
  | { kind: 'missing' | 'other' }
  | { kind: 'symlink'; target: string }
  /** `origin`: the folder is this one of the disk, moved with all it holds. */
  | { kind: 'directory'; mode?: number; origin?: string }
  | FileState

export const MISSING: EntryState = { kind: 'missing' }
const OTHER: EntryState = { kind: 'other' }
const MODE = 0o777
/** After so many looks at the disk others get their turn. */
const LOOKS_PER_TURN = 64

export class WorkspaceOverlay {
  readonly #files: Files
  readonly #signal: AbortSignal
  readonly #disk = new Map<string, EntryState>()
  readonly #snapshots = new Map<string, FileSnapshot>()
  readonly #planned = new Map<string, EntryState>()
  /** What shows whether a path is as it was when it was looked at; undefined where a change might not show. */
  readonly fingerprints = new Map<string, string | undefined>()
  /** How many bytes of what is there are held. */
  heldBytes = 0

  constructor(files: Files, signal: AbortSignal) {
    this.#files = files
    this.#signal = signal
  }

  /** What is there in the draft. */
  async at(path: string): Promise<EntryState> {
    return this.#planned.get(path) ?? this.onDisk(path)
  }

  async onDisk(path: string): Promise<EntryState> {
    const thing = this.#disk.get(path) ?? (await this.#inspect(path))
    this.#disk.set(path, thing)
    return thing
  }

  /** What was found on the disk before. */
  knownOnDisk(path: string): EntryState | undefined {
    return this.#disk.get(path)
  }

  /** The file that is there on the disk, for replacing exactly that. */
  snapshotOf(path: string): FileSnapshot | undefined {
    return this.#snapshots.get(path)
  }

  put(path: string, thing: EntryState) {
    this.#planned.set(path, thing)
  }

  /** Puts something that is there, with the folders above it. Gives what is in the way, if something is. */
  async create(path: string, thing: EntryState): Promise<string | undefined> {
    for (const folder of listAncestors(path)) {
      const { kind } = await this.at(folder)
      if (kind === 'missing') this.put(folder, { kind: 'directory' })
      else if (kind !== 'directory') return folder
    }
    this.put(path, thing)
    return undefined
  }

  /** The paths of what a folder holds. `closed` ones may not be touched. */
  async childrenOf(folder: string): Promise<{ path: string; closed: boolean }[]> {
    const { kind } = await this.onDisk(folder)
    const entries = kind === 'directory' ? this.#files.entries(folder) : []
    const paths = new Map(entries.map(({ path, closed }) => [path, closed]))
    for (const path of this.#planned.keys()) if (dirname(path) === folder && !paths.has(path)) paths.set(path, false)
    const inside: { path: string; closed: boolean }[] = []
    for (const [path, closed] of paths) if ((await this.at(path)).kind !== 'missing') inside.push({ path, closed })
    return inside
  }

  /** Every path that was planned for. */
  get paths(): string[] {
    return [...this.#planned.keys()].sort()
  }

  async #inspect(path: string): Promise<EntryState> {
    if (this.#disk.size % LOOKS_PER_TURN === LOOKS_PER_TURN - 1) await setImmediate()
    this.#signal.throwIfAborted()
    this.fingerprints.set(path, this.#files.fingerprintAt(path))
    const entry = this.#files.inspectEntry(path)
    if (!entry) return MISSING
    // Something above it has become a link: what is meant is elsewhere.
    if (entry.path !== path) return OTHER
    if (entry.type === 'symlink') return { kind: 'symlink', target: entry.target! }
    if (entry.type === 'directory') return { kind: 'directory', mode: entry.mode & MODE }
    if (entry.type === 'other') return OTHER
    const found = await this.#files.snapshot(path)
    if (!found) return MISSING
    this.#snapshots.set(path, found)
    this.heldBytes += found.bytes?.length ?? 0
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
