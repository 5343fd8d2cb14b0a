// What of a workspace is to be indexed, as it is on the disk: what is not ignored, no secret, no link, and text for people.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Piece, piecesOf } from '../../text/code/chunks.ts'
import { isDense, isLeftOut, weightOf } from '../../text/code/file-kinds.ts'
import { decode } from '../../text/encoding.ts'
import type { Guard } from '../files/policy/path-policy.ts'
import type { Workspace } from '../host.ts'
import { IGNORE_NAMES, IgnoreRules } from '../watch/ignore-rules.ts'
import type { Seen } from '../watch/stat-snapshot.ts'
import { isFresh } from '../watch/stat-snapshot.ts'
import type { News } from '../watch/watcher.ts'
import { split, Tree } from '../watch/workspace-tree.ts'

/** A file taken apart. */
export interface Taken {
  weight: number
  pieces: readonly Piece[]
}

/** Of a file that need not be known otherwise. */
const NOTHING: Taken = { weight: 0, pieces: [] }
const FOLDER: Seen = { kind: 'directory', mode: 0, ino: 0, size: 0, ctime: 0, mtime: 0 }

/** Marks the stamp of a file that had been changed only just before: a further change may not show in it. */
const UNSURE = '~'

/** What tells that a file is no longer the one that was indexed. */
export const stampOf = (seen: Seen): string => (isFresh(seen) ? UNSURE : '') + exactStamp(seen)

export const isUnsure = (stamp: string): boolean => stamp.startsWith(UNSURE)

/** Whether a file with this exact stamp is the one indexed, as far as anybody can tell. */
export const isStamp = (indexed: string, exact: string): boolean =>
  indexed === exact || (isUnsure(indexed) && indexed.slice(UNSURE.length) === exact)

export const exactStamp = ({ ino, size, mtime, ctime }: Pick<Seen, 'ino' | 'size' | 'mtime' | 'ctime'>): string =>
  `${ino}:${size}:${mtime}:${ctime}`

export class IndexTree {
  readonly #root: string
  readonly #tree: Tree
  readonly #max_file_bytes: number

  constructor(workspace: Workspace, guard: Guard, max_file_bytes: number) {
    this.#root = workspace.root
    this.#tree = new Tree(workspace, guard)
    this.#max_file_bytes = max_file_bytes
  }

  /** All files that belong in the index. */
  async all(): Promise<Map<string, Seen>> {
    const found = new Map<string, Seen>()
    await this.#tree.walk((path, seen) => {
      if (this.#belongs(path, seen)) found.set(path, seen)
    })
    return found
  }

  /** What the watcher's news say of files: undefined where nothing is any more that belongs in the index. `beneath` gives
   * the files known in a folder, at any depth. */
  async changed(news: News, beneath: (folder: string) => string[]): Promise<Map<string, Seen | undefined>> {
    const paths = new Set(news.paths)
    for (const folder of news.folders) for (const path of await this.#tree.namesIn(folder)) paths.add(path)
    for (const folder of [...news.gone, ...news.paths]) for (const path of beneath(folder)) paths.add(path)
    const rules = new Map<string, IgnoreRules | undefined>()
    const found = new Map<string, Seen | undefined>()
    await this.#tree.look(paths, (path, seen) => {
      const within = this.#rulesIn(split(path).folder, rules)
      const belongs = seen && within && this.#tree.shows(path, seen, within) && this.#belongs(path, seen)
      found.set(path, belongs ? seen : undefined)
    })
    // What may not be looked at is not there for us.
    for (const path of paths) if (!found.has(path)) found.set(path, undefined)
    return found
  }

  /** Undefined where it is not, or no longer, what was seen. */
  async take(path: string, seen: Seen): Promise<Taken | undefined> {
    const bytes = await this.#tree.read(path, seen)
    if (!bytes) return undefined
    const text = decode(bytes)?.text
    return text === undefined || isDense(text)
      ? NOTHING
      : { weight: weightOf(path, text), pieces: piecesOf(path, text) }
  }

  /** The lines of a file that still is the one with this stamp. */
  async linesOf(path: string, stamp: string): Promise<string[] | undefined> {
    let found: Seen | undefined
    await this.#tree.look([path], (_, seen) => {
      found = seen
    })
    if (!found || !isStamp(stamp, exactStamp(found)) || !this.#belongs(path, found)) return undefined
    const bytes = await this.#tree.read(path, found)
    return bytes && decode(bytes)?.text.split('\n')
  }

  #belongs(path: string, { kind, size }: Seen): boolean {
    return kind === 'file' && size <= this.#max_file_bytes && !isLeftOut(path) && !this.#tree.isSensitive(path)
  }

  /** The ignore rules in a folder; undefined where it is left out itself, or one that it is in. */
  #rulesIn(folder: string, known: Map<string, IgnoreRules | undefined>): IgnoreRules | undefined {
    if (!known.has(folder)) known.set(folder, this.#foundRulesIn(folder, known))
    return known.get(folder)
  }

  #foundRulesIn(folder: string, known: Map<string, IgnoreRules | undefined>): IgnoreRules | undefined {
    const absolute = this.#tree.absolute(folder)
    const names = new Set([...IGNORE_NAMES].filter(name => existsSync(join(absolute, name))))
    if (folder === '.') return IgnoreRules.around(this.#root).within(absolute, names)
    const above = this.#rulesIn(split(folder).folder, known)
    return above && this.#tree.shows(folder, FOLDER, above) ? above.within(absolute, names) : undefined
  }
}
