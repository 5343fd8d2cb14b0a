// Selects the files of a workspace to index: not ignored, no secrets, no links, and human-readable text.
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

/** A file split into pieces. */
interface IndexableFile {
  weight: number
  pieces: readonly CodeChunk[]
}

/** For files that are not indexed. */
const NOT_INDEXABLE: IndexableFile = { weight: 0, pieces: [] }
const FOLDER_STAT: StatSnapshot = { kind: 'directory', mode: 0, ino: 0, size: 0, ctime: 0, mtime: 0 }

/** Marks the fingerprint of a file that changed just before: a further change may go unnoticed. */
const RACY_PREFIX = '~'

/** Returns the fingerprint of an indexed file version. */
export const indexFingerprint = (seen: StatSnapshot): string =>
  (isRacySnapshot(seen) ? RACY_PREFIX : '') + exactFingerprint(seen)

export const isRacyFingerprint = (stamp: string): boolean => stamp.startsWith(RACY_PREFIX)

/** Checks if a file with this exact fingerprint is the indexed one, as far as that can be determined. */
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

  /** Returns all files that belong in the index. */
  async listFiles(): Promise<Map<string, StatSnapshot>> {
    const found = new Map<string, StatSnapshot>()
    await this.#tree.walk((path, seen) => {
      if (this.#isIndexable(path, seen)) found.set(path, seen)
    })
    return found
  }

  /**
   * Resolves watcher events to files: undefined if the file no longer belongs in the index. The last parameter returns the known
   * files in a folder, at any depth.
   */
  async resolveEvents(
    news: WatchEvents,
    listUnder: (folder: string) => string[]
  ): Promise<Map<string, StatSnapshot | undefined>> {
    const paths = new Set(news.paths)
    for (const folder of news.folders) for (const path of await this.#tree.listFolder(folder)) paths.add(path)
    for (const folder of [...news.gone, ...news.paths]) for (const path of listUnder(folder)) paths.add(path)
    const rules = new Map<string, IgnoreRules | undefined>()
    const found = new Map<string, StatSnapshot | undefined>()
    await this.#tree.visitPaths(paths, (path, seen) => {
      const within = this.#rulesFor(splitPath(path).folder, rules)
      const belongs = seen && within && this.#tree.isVisible(path, seen, within) && this.#isIndexable(path, seen)
      found.set(path, belongs ? seen : undefined)
    })
    // Inaccessible files count as missing.
    for (const path of paths) if (!found.has(path)) found.set(path, undefined)
    return found
  }

  /** Loads a file; undefined if it does not match the snapshot, or no longer. */
  async load(path: string, seen: StatSnapshot): Promise<IndexableFile | undefined> {
    const bytes = await this.#tree.readIfUnchanged(path, seen)
    if (!bytes) return undefined
    const text = decode(bytes)?.text
    return text === undefined || isMinified(text)
      ? NOT_INDEXABLE
      : { weight: relevanceWeight(path, text), pieces: splitIntoChunks(path, text) }
  }

  /** Reads the lines of a file if it still has this fingerprint. */
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

  /** Returns the ignore rules in a folder; undefined if it or an ancestor is ignored. */
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
