// Paths of one call, resolved and classified for policy. The classification must still hold when the call acts: it acts
// on that result or fails. Every path is walked and classified again each time (see `paths.ts`).
import nodePath from 'node:path'
import type { UnsavedFiles } from '../editors/unsaved-files.ts'
import type { Workspace } from '../workspace.ts'
import type { EntryImages } from './entry-images.ts'
import { staleFileError } from './errno.ts'
import { describeLookAlike, findLookAlike, findNoLookAlike, withAskedNames } from './look-alike-names.ts'
import { assertNotMisread, mayBeMisread } from './misread-paths.ts'
import { type ResolvedEntry, resolveLiteralEntry, resolveWorkspaceEntry, resolveWorkspacePath } from './paths.ts'
import { isNamedByGitConfig } from './policy/git-programs.ts'
import { isGitRepositoryFile } from './policy/git-repository-files.ts'
import { classifyPath, type PathClassification, type PathGuard } from './policy/path-policy.ts'

export class ResolvedPaths {
  readonly #workspace: Workspace
  readonly #guard: PathGuard
  readonly #images: EntryImages
  readonly #unsaved: UnsavedFiles
  /** The classification of each path reported to policy. */
  readonly #classifications = new Map<string, PathClassification>()
  /** Those of the paths that mean the entry itself, without following a link. */
  readonly #entries = new Set<string>()
  /** Those that a caller wrote: they may mean an entry whose name looks the same. */
  readonly #written = new Set<string>()
  /** Answers for canonical paths: true if git's configuration names them. */
  readonly #namedByGit = new Map<string, boolean>()
  /** Notes on entries that stand for a name which looks the same. */
  readonly #lookAlikes = new Set<string>()

  /** A decision is bound to images of entries and to editors' buffers as they are when the path is resolved. */
  constructor(workspace: Workspace, guard: PathGuard, images: EntryImages, unsaved: UnsavedFiles) {
    this.#workspace = workspace
    this.#guard = guard
    this.#images = images
    this.#unsaved = unsaved
  }

  /**
   * Accepts a path as a caller wrote it, and returns it. From here on it means the entry that looks the same, if none has its name. Throws
   * INVALID_PATH if it means something else.
   */
  accept(path: string): string {
    this.#written.add(path)
    if (mayBeMisread(path)) this.#assertNotMisread(path)
    return path
  }

  /** Returns sentences about the entries that stand for names which look the same. */
  lookAlikeNotes(): string[] {
    return [...this.#lookAlikes]
  }

  /** Resolves and classifies a path for policy. From here on the call acts on that result or fails. */
  resolve(path: string): PathClassification {
    return this.#remember(path, resolveWorkspacePath(this.#workspace, path, this.#finderOf(path)))
  }

  /** Resolves and classifies an entry itself: a link there is not followed, neither now nor later. */
  resolveEntry(path: string): PathClassification {
    this.#entries.add(path)
    return this.#remember(path, resolveWorkspaceEntry(this.#workspace, path, this.#finderOf(path)))
  }

  /** Resolves and classifies an entry itself, as its path is written: no link is followed, neither now nor later. */
  resolveLiteral(path: string): PathClassification {
    this.#entries.add(path)
    return this.#remember(path, resolveLiteralEntry(this.#workspace, path))
  }

  /** Classifies a path for tools, which act on the earlier classification: binds nothing. */
  peek(path: string): PathClassification {
    return this.#peekAt(this.walk(path))
  }

  /** Classifies an entry itself, without following a link; binds nothing. */
  peekEntry(path: string): PathClassification {
    return this.#peekAt(this.walkEntry(path))
  }

  /** Classifies an entry itself, without following any link; binds nothing. */
  peekLiteral(path: string): PathClassification {
    return this.#peekAt(this.walkLiteral(path))
  }

  /** Walks a path and verifies the result against its classification. The caller closes the result, as of the walks below. */
  walk(path: string): ResolvedEntry {
    return this.#assertSame(path, resolveWorkspacePath(this.#workspace, path, this.#finderOf(path)))
  }

  /** Walks to an entry itself, without following a final link. */
  walkEntry(path: string): ResolvedEntry {
    return this.#assertSame(path, resolveWorkspaceEntry(this.#workspace, path, this.#finderOf(path)))
  }

  /** Walks to an entry itself, without following any link. */
  walkLiteral(path: string): ResolvedEntry {
    return this.#assertSame(path, resolveLiteralEntry(this.#workspace, path))
  }

  /** Walks to the entry to change: of a path that policy classified with a final link followed, that link itself. */
  walkToEntry(path: string): ResolvedEntry {
    if (this.#entries.has(path)) return this.walkEntry(path)
    this.walk(path).close()
    const entry = resolveWorkspaceEntry(this.#workspace, path, this.#finderOf(path))
    return entry.stat?.isSymbolicLink() ? entry : this.#assertSame(path, entry)
  }

  /** Returns the classification of a path that was reported to policy. */
  find(path: string): PathClassification | undefined {
    return this.#classifications.get(path)
  }

  /**
   * Checks if programs execute or interpret a resolved file automatically, also because git's configuration names it. That takes several system
   * calls, and reads do not depend on it.
   */
  isSelfStarting({ path, self_starting }: Pick<PathClassification, 'path' | 'self_starting'>): boolean {
    if (self_starting) return true
    const known = this.#namedByGit.get(path)
    if (known !== undefined) return known
    const isNamed = isNamedByGitConfig(nodePath.join(this.#workspace.root, path), this.#guard.gitUser)
    this.#namedByGit.set(path, isNamed)
    return isNamed
  }

  /** Forgets where a path led: the call has changed it. */
  forget(path: string) {
    this.#classifications.delete(path)
    this.#namedByGit.clear()
  }

  /** Forgets where all paths led, for an evaluation of the call as it is now: a link may lead elsewhere. */
  forgetAll() {
    this.#classifications.clear()
    this.#entries.clear()
    this.#written.clear()
    this.#namedByGit.clear()
    this.#lookAlikes.clear()
    this.#images.release()
  }

  #finderOf(path: string) {
    return this.#written.has(path) ? findLookAlike : findNoLookAlike
  }

  #assertNotMisread(given: string) {
    const { spellings: roots } = this.#workspace
    try {
      const { path, stat, missingFolders, close } = resolveWorkspaceEntry(this.#workspace, given, findLookAlike)
      close()
      if (stat) return
      const names = path.split('/')
      const depth = names.length - 1 - missingFolders.length
      const folder = names.slice(0, depth).join('/')
      assertNotMisread({ given, folder, missing: names.slice(depth).join('/'), roots })
    } catch (error) {
      // What makes it invalid may be a slip, too.
      const start = roots.find(each => given.startsWith(`${each}/`))?.length ?? -1
      const missing = given.slice(start + 1)
      if (!/^(?:\/|\.\.(?:\/|$))/.test(missing)) assertNotMisread({ given, folder: '', missing, roots })
      throw error
    }
  }

  #remember(path: string, place: ResolvedEntry): PathClassification {
    place.close()
    for (const each of place.lookAlikes) this.#lookAlikes.add(describeLookAlike(each))
    const asked = place.lookAlikes.length > 0 && { asked: withAskedNames(place) }
    const resolved = { ...this.#classify(place), ...asked }
    this.#classifications.set(path, resolved)
    this.#namedByGit.delete(resolved.path)
    this.#images.release()
    this.#unsaved.markResolved(resolved.path)
    return resolved
  }

  #peekAt(place: ResolvedEntry): PathClassification {
    place.close()
    return this.#classify(place)
  }

  #classify(place: ResolvedEntry): PathClassification {
    const judged = classifyPath(this.#workspace, this.#guard, place)
    const { path, kind, self_starting } = judged
    if (self_starting || !isGitRepositoryFile(this.#workspace, path, kind === 'directory')) return judged
    return { ...judged, self_starting: true }
  }

  #assertSame(path: string, place: ResolvedEntry): ResolvedEntry {
    const judged = this.#classifications.get(path)
    if (!judged || judged.path === place.path) return place
    place.close()
    throw staleFileError(path)
  }
}
