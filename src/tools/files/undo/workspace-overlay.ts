// The workspace as it would be: what is there, with what has been planned so far. Nothing is changed by planning.

import { createHash } from 'node:crypto'
import { dirname } from 'node:path/posix'
import { setImmediate } from 'node:timers/promises'
import type { Files, Found, KeptContent } from '../../../host/files/files.ts'
import { foldersAbove } from '../../../text/ancestors.ts'

export interface FileThing {
  kind: 'file'
  hash: string
  /** Permission bits; those of a new file where they are not known. */
  mode?: number
  /** Undefined where that is too much to hold. */
  bytes: Buffer | undefined
  /** Where it is kept, if it comes from there. */
  kept?: KeptContent
  /** Where on the disk this very file is. */
  origin?: string
  /** It holds what was changed later too. */
  merged?: true
}

/** What is at a path. */
export type Thing =
  | { kind: 'missing' | 'other' }
  | { kind: 'symlink'; target: string }
  /** `origin`: the folder is this one of the disk, moved with all it holds. */
  | { kind: 'directory'; mode?: number; origin?: string }
  | FileThing

export const MISSING: Thing = { kind: 'missing' }
const OTHER: Thing = { kind: 'other' }
const MODE = 0o777
/** After so many looks at the disk others get their turn. */
const LOOKS_AT_ONCE = 64

export class Draft {
  readonly #files: Files
  readonly #signal: AbortSignal
  readonly #disk = new Map<string, Thing>()
  readonly #found = new Map<string, Found>()
  readonly #drafted = new Map<string, Thing>()
  /** What shows whether a path is as it was when it was looked at; undefined where a change might not show. */
  readonly stamps = new Map<string, string | undefined>()
  /** How many bytes of what is there are held. */
  held = 0

  constructor(files: Files, signal: AbortSignal) {
    this.#files = files
    this.#signal = signal
  }

  /** What is there in the draft. */
  async at(path: string): Promise<Thing> {
    return this.#drafted.get(path) ?? this.onDisk(path)
  }

  async onDisk(path: string): Promise<Thing> {
    const thing = this.#disk.get(path) ?? (await this.#look(path))
    this.#disk.set(path, thing)
    return thing
  }

  /** What was found on the disk before. */
  known(path: string): Thing | undefined {
    return this.#disk.get(path)
  }

  /** The file that is there on the disk, for replacing exactly that. */
  found(path: string): Found | undefined {
    return this.#found.get(path)
  }

  put(path: string, thing: Thing) {
    this.#drafted.set(path, thing)
  }

  /** Puts something that is there, with the folders above it. Gives what is in the way, if something is. */
  async make(path: string, thing: Thing): Promise<string | undefined> {
    for (const folder of foldersAbove(path)) {
      const { kind } = await this.at(folder)
      if (kind === 'missing') this.put(folder, { kind: 'directory' })
      else if (kind !== 'directory') return folder
    }
    this.put(path, thing)
    return undefined
  }

  /** The paths of what a folder holds. `closed` ones may not be touched. */
  async inside(folder: string): Promise<{ path: string; closed: boolean }[]> {
    const { kind } = await this.onDisk(folder)
    const entries = kind === 'directory' ? this.#files.entries(folder) : []
    const paths = new Map(entries.map(({ path, closed }) => [path, closed]))
    for (const path of this.#drafted.keys()) if (dirname(path) === folder && !paths.has(path)) paths.set(path, false)
    const inside: { path: string; closed: boolean }[] = []
    for (const [path, closed] of paths) if ((await this.at(path)).kind !== 'missing') inside.push({ path, closed })
    return inside
  }

  /** Every path that was planned for. */
  get paths(): string[] {
    return [...this.#drafted.keys()].sort()
  }

  async #look(path: string): Promise<Thing> {
    if (this.#disk.size % LOOKS_AT_ONCE === LOOKS_AT_ONCE - 1) await setImmediate()
    this.#signal.throwIfAborted()
    this.stamps.set(path, this.#files.stampAt(path))
    const entry = this.#files.entry(path)
    if (!entry) return MISSING
    // Something above it has become a link: what is meant is elsewhere.
    if (entry.path !== path) return OTHER
    if (entry.type === 'symlink') return { kind: 'symlink', target: entry.target! }
    if (entry.type === 'directory') return { kind: 'directory', mode: entry.mode & MODE }
    if (entry.type === 'other') return OTHER
    const found = await this.#files.look(path)
    if (!found) return MISSING
    this.#found.set(path, found)
    this.held += found.bytes?.length ?? 0
    const hash = found.hash ?? (await this.#hashOf(path))
    return { kind: 'file', hash, mode: Number(found.stat.mode) & MODE, bytes: found.bytes, origin: path }
  }

  async #hashOf(path: string): Promise<string> {
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
