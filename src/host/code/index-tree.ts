// What of a workspace is to be indexed, as it is on the disk: what is not ignored, no secret, no link, and text for people.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type CodeChunk, splitIntoChunks } from '../../text/code/chunks.ts'
import { isExcluded, isMinified, relevanceWeight } from '../../text/code/file-kinds.ts'
import { decode } from '../../text/encoding.ts'
import type { PathGuard } from '../files/policy/path-policy.ts'
import { IGNORE_NAMES, IgnoreRules } from '../watch/ignore-rules.ts'
import type { StatSnapshot } from '../watch/stat-snapshot.ts'
import { isRacySnapshot } from '../watch/stat-snapshot.ts'
import type { WatchEvents } from '../watch/watcher.ts'
import { splitPath, WorkspaceTree } from '../watch/workspace-tree.ts'
import type { Workspace } from '../workspace.ts'

/** A file taken apart. */
export interface IndexableFile {
  weight: number
  pieces: readonly CodeChunk[]
}

/** Of a file that need not be known otherwise. */
const NOT_INDEXABLE: IndexableFile = { weight: 0, pieces: [] }
const FOLDER_STAT: StatSnapshot = { kind: 'directory', mode: 0, ino: 0, size: 0, ctime: 0, mtime: 0 }

/** Marks the stamp of a file that had been changed only just before: a further change may not show in it. */
const RACY_PREFIX = '~'

/** What tells that a file is no longer the one that was indexed. */
export const indexFingerprint = (seen: StatSnapshot): string =>
  (isRacySnapshot(seen) ? RACY_PREFIX : '') + exactFingerprint(seen)

export const isRacyFingerprint = (stamp: string): boolean => stamp.startsWith(RACY_PREFIX)

/** Whether a file with this exact stamp is the one indexed, as far as anybody can tell. */
export const matchesFingerprint = (indexed: string, exact: string): boolean =>
  indexed === exact || (isRacyFingerprint(indexed) && indexed.slice(RACY_PREFIX.length) === exact)

export const exactFingerprint = ({
  ino,
  size,
  mtime,
  ctime
}: Pick<StatSnapshot, 'ino' | 'size' | 'mtime' | 'ctime'>): string => `${ino}:${size}:${mtime}:${ctime}`

export class IndexTree {
  readonly #root: string
  readonly #tree: WorkspaceTree
  readonly #maxFileBytes: number

  constructor(workspace: Workspace, guard: PathGuard, max_file_bytes: number) {
    this.#root = workspace.root
    this.#tree = new WorkspaceTree(workspace, guard)
    this.#maxFileBytes = max_file_bytes
  }

  /** All files that belong in the index. */
  async listFiles(): Promise<Map<string, StatSnapshot>> {
    const found = new Map<string, StatSnapshot>()
    await this.#tree.walk((path, seen) => {
      if (this.#isIndexable(path, seen)) found.set(path, seen)
    })
    return found
  }

  /** What the watcher's news say of files: undefined where nothing is any more that belongs in the index. `beneath` gives
   * the files known in a folder, at any depth. */
  async resolveEvents(
    news: WatchEvents,
    beneath: (folder: string) => string[]
  ): Promise<Map<string, StatSnapshot | undefined>> {
    const paths = new Set(news.paths)
    for (const folder of news.folders) for (const path of await this.#tree.listFolder(folder)) paths.add(path)
    for (const folder of [...news.gone, ...news.paths]) for (const path of beneath(folder)) paths.add(path)
    const rules = new Map<string, IgnoreRules | undefined>()
    const found = new Map<string, StatSnapshot | undefined>()
    await this.#tree.visitPaths(paths, (path, seen) => {
      const within = this.#rulesFor(splitPath(path).folder, rules)
      const belongs = seen && within && this.#tree.isVisible(path, seen, within) && this.#isIndexable(path, seen)
      found.set(path, belongs ? seen : undefined)
    })
    // What may not be looked at is not there for us.
    for (const path of paths) if (!found.has(path)) found.set(path, undefined)
    return found
  }

  /** Undefined where it is not, or no longer, what was seen. */
  async load(path: string, seen: StatSnapshot): Promise<IndexableFile | undefined> {
    const bytes = await this.#tree.readIfUnchanged(path, seen)
    if (!bytes) return undefined
    const text = decode(bytes)?.text
    return text === undefined || isMinified(text)
      ? NOT_INDEXABLE
      : { weight: relevanceWeight(path, text), pieces: splitIntoChunks(path, text) }
  }

  /** The lines of a file that still is the one with this stamp. */
  async readLines(path: string, stamp: string): Promise<string[] | undefined> {
    let found: StatSnapshot | undefined
    await this.#tree.visitPaths([path], (_, seen) => {
      found = seen
    })
    if (!found || !matchesFingerprint(stamp, exactFingerprint(found)) || !this.#isIndexable(path, found))
      return undefined
    const bytes = await this.#tree.readIfUnchanged(path, found)
    return bytes && decode(bytes)?.text.split('\n')
  }

  #isIndexable(path: string, { kind, size }: StatSnapshot): boolean {
    return kind === 'file' && size <= this.#maxFileBytes && !isExcluded(path) && !this.#tree.isSensitive(path)
  }

  /** The ignore rules in a folder; undefined where it is left out itself, or one that it is in. */
  #rulesFor(folder: string, known: Map<string, IgnoreRules | undefined>): IgnoreRules | undefined {
    if (!known.has(folder)) known.set(folder, this.#computeRules(folder, known))
    return known.get(folder)
  }

  #computeRules(folder: string, known: Map<string, IgnoreRules | undefined>): IgnoreRules | undefined {
    const absolute = this.#tree.absolute(folder)
    const names = new Set([...IGNORE_NAMES].filter(name => existsSync(join(absolute, name))))
    if (folder === '.') return IgnoreRules.aboveRoot(this.#root).within(absolute, names)
    const above = this.#rulesFor(splitPath(folder).folder, known)
    return above && this.#tree.isVisible(folder, FOLDER_STAT, above) ? above.within(absolute, names) : undefined
  }
}
