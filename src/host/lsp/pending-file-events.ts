// What a server is told of files that it does not have open: those that came, changed and went since it was told last, of
// the ones that it wants to hear of. A file that it can be shown instead is opened.
import type { FileChangeType, FileSystemWatcher, WatchKind } from 'vscode-languageserver-protocol'
import { compileGlob, type Glob } from '../../text/glob/glob.ts'
import { pathOfUri, within } from './wire/file-uris.ts'

export type FileEvent = 'created' | 'changed' | 'deleted'

/** More at once are told as a change of the project as a whole, which is what they are. */
const MOST = 20_000

export const EVENT_TYPES: Record<FileEvent, FileChangeType> = { created: 1, changed: 2, deleted: 3 }

export class FilesToTell {
  readonly #root: string
  readonly #untold = new Map<string, FileEvent>()

  /** `root` of the workspace. */
  constructor(root: string) {
    this.#root = root
  }

  /** Several words about one file become one. */
  note(path: string, event: FileEvent) {
    const before = this.#untold.get(path)
    if (before === 'created' && event === 'deleted') this.#untold.delete(path)
    else this.#untold.set(path, before === 'created' || event === 'created' ? merged(before, event) : event)
    const [oldest] = this.#untold.keys()
    if (this.#untold.size > MOST && oldest !== undefined) this.#untold.delete(oldest)
  }

  take(): { path: string; event: FileEvent }[] {
    if (this.#untold.size === 0) return []
    const all = [...this.#untold].map(([path, event]) => ({ path, event }))
    this.#untold.clear()
    return all
  }

  /** Of these the ones that somebody watches. */
  wanted(changes: readonly { path: string; event: FileEvent }[], watches: readonly FileSystemWatcher[]) {
    if (changes.length === 0 || watches.length === 0) return []
    const patterns = watches.map(watch => matcherOf(watch, this.#root))
    return changes.filter(({ path, event }) => patterns.some(matches => matches(path, event)))
  }
}

/** What was gone and is there again has changed. */
const merged = (before: FileEvent | undefined, event: FileEvent): FileEvent =>
  before === 'deleted' ? 'changed' : before === 'created' ? 'created' : event

function matcherOf({ globPattern, kind = 7 }: FileSystemWatcher, root: string) {
  const { base, pattern } = partsOf(globPattern, root)
  const glob = globOf(pattern)
  return (path: string, event: FileEvent) => {
    if ((kind & KINDS[event]) === 0) return false
    if (base === undefined) return glob.matches(path) || glob.matches(`${root}/${path}`)
    const inner = within(base, `${root}/${path}`)
    return inner !== undefined && glob.matches(inner)
  }
}

const KINDS: Record<FileEvent, WatchKind> = { created: 1, changed: 2, deleted: 4 }

function partsOf(glob: FileSystemWatcher['globPattern'], root: string) {
  if (typeof glob !== 'string') {
    const uri = typeof glob.baseUri === 'string' ? glob.baseUri : glob.baseUri.uri
    return { base: pathOfUri(uri)?.replace(/(?<=.)\/$/, '') ?? root, pattern: glob.pattern }
  }
  return { base: undefined, pattern: glob }
}

const ALL = { matches: () => true }

/** What we cannot read is taken for all. */
function globOf(pattern: string): Pick<Glob, 'matches'> {
  try {
    return compileGlob(pattern)
  } catch {
    return ALL
  }
}
