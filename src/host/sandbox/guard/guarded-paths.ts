// Files and folders of a workspace that rules deny or ask about: hidden from sandboxed programs that run without a person's approval.
import path from 'node:path'
import { ToolError } from '../../../errors.ts'
import { globMatches } from '../../../text/glob/match.ts'
import { mayMatchWithin } from '../../../text/glob/may-match-within.ts'
import { listReadable } from '../../files/byte-path-fs.ts'
import { TimeSlicer } from '../../files/time-slicing.ts'

/** Maximum number of files and folders to hide: each is a mount or a grant that is left out. */
const MAX_HIDDEN = 200

/** Returns the globs of the paths of a workspace that rules deny or ask about, whatever the tool. */
type FindGuardedGlobs = (root: string) => readonly string[]

/** The guarded globs of a workspace, and the programs that see what they leave. */
export class GuardedView {
  readonly key: string
  readonly #changed = new AbortController()
  readonly #programs = new Set<Promise<unknown>>()

  constructor(key: string) {
    this.key = key
  }

  /** Aborts when the rules have changed. */
  get outdated(): AbortSignal {
    return this.#changed.signal
  }

  /** Records a program that ends when the view is outdated. */
  track(ended: Promise<unknown>) {
    this.#programs.add(ended)
    void ended.finally(() => this.#programs.delete(ended))
  }

  /** Ends its programs; resolves when they have ended. */
  async end() {
    this.#changed.abort()
    await Promise.all(this.#programs)
  }
}

export class GuardedPaths {
  #findGlobs: FindGuardedGlobs = () => []
  readonly #current = new Map<string, GuardedView>()

  /** Sets the source of the rules, which is known only after the sandbox. */
  setSource(findGlobs: FindGuardedGlobs) {
    this.#findGlobs = findGlobs
  }

  /**
   * Returns what is hidden now, relative to the root, by the rules of the workspace and by further globs. Throws SANDBOX_UNAVAILABLE if there is too much to hide.
   */
  async find(root: string, further: readonly string[]): Promise<{ hides: string[]; view: GuardedView }> {
    const { globs, view } = this.#readGlobs(root)
    return { hides: await findMatchingEntries(root, [...globs, ...further]), view }
  }

  /** Ends programs that stay, where the rules have changed; resolves when they have ended. */
  async refresh(): Promise<void> {
    await Promise.all([...this.#current].map(([root, before]) => this.#readGlobs(root).view !== before && before.end()))
  }

  #readGlobs(root: string): { globs: readonly string[]; view: GuardedView } {
    const globs = this.#findGlobs(root)
    const key = JSON.stringify(globs)
    const known = this.#current.get(root)
    if (known?.key === key) return { globs, view: known }
    const view = new GuardedView(key)
    this.#current.set(root, view)
    void known?.end()
    return { globs, view }
  }
}

/** Returns the uppermost entries that a glob matches. Links are left out: they lead to what has a path, too. */
async function findMatchingEntries(root: string, globs: readonly string[]): Promise<string[]> {
  if (globs.length === 0) return []
  const found: string[] = []
  const folders = ['.']
  const slices = new TimeSlicer()
  for (const folder of folders) {
    for (const entry of listReadable(path.join(root, folder))) {
      const name = folder === '.' ? entry.name : `${folder}/${entry.name}`
      if (entry.isSymbolicLink() || entry.name === '.git') continue
      if (globs.some(glob => globMatches(glob, name))) found.push(name)
      else if (entry.isDirectory() && globs.some(glob => mayMatchWithin(name, glob))) folders.push(name)
    }
    if (found.length > MAX_HIDDEN) throw tooManyHiddenError()
    await slices.yieldIfDue()
  }
  return found
}

const tooManyHiddenError = () =>
  new ToolError(
    'SANDBOX_UNAVAILABLE',
    `Rules deny or ask about more than ${MAX_HIDDEN} files and folders of this workspace, which is too many to hide from ` +
      'programs that run without approval. Use rules for whole folders instead.'
  )
