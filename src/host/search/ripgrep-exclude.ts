// Exclusions of searches, in two parts: names that ripgrep need not even open, and all names of secrets, which are filtered from its output:
// its globs cannot express exceptions (such as `.env.*`, but not `.env.example`), names of files only, back-ups, and other spellings.
import { foldPath, NamePatterns } from '../files/policy/name-patterns.ts'
import { isHarmlessName, SecretNames } from '../files/policy/secret-names.ts'
import { NON_SENSITIVE_NAMES } from '../files/policy/sensitive-names.ts'

const ANY_DEPTH_PREFIX = '**/'
const MAX_KNOWN_FOLDERS = 50_000

/** A folder, with the facts that all its files share. */
interface KnownFolder {
  /** Folded names of its path. */
  names: readonly string[]
  isSensitive: boolean
}

export class Excludes {
  readonly #names: readonly string[]
  readonly #all: NamePatterns
  /** Paths relative to the root. */
  readonly #rooted: readonly string[]
  readonly #foldedRooted: readonly string[]
  readonly #secrets: SecretNames
  /** Globs of `#names` that are no names of secrets. */
  readonly #structural: readonly string[]
  readonly #folders = new Map<string, KnownFolder>()

  /** `globs`: in ripgrep's syntax. `secrets`: names to filter from the output. */
  constructor(globs: readonly string[], secrets = new SecretNames()) {
    this.#secrets = secrets
    this.#rooted = globs.filter(isRooted).map(glob => glob.slice(1))
    this.#foldedRooted = this.#rooted.map(foldPath)
    this.#all = new NamePatterns(['.git', ...globs.filter(glob => !isRooted(glob)).map(stripAnyDepth)])
    this.#names = ['.git', ...globs.filter(glob => !isRooted(glob) && !hasExceptions(glob))]
    this.#structural = this.#names.filter(glob => !secrets.covers(stripAnyDepth(glob).split('/')))
  }

  /**
   * Returns the options that exclude names from a search that ripgrep begins in a folder. They come last, since the last glob takes
   * precedence.
   */
  argsIn(folder: string): string[] {
    return [...this.#names, ...this.#rootedIn(folder)].map(toExclusion)
  }

  /** Returns the same options but for names of secrets, which `isSensitive` finds among the listed files. */
  structuralArgsIn(folder: string): string[] {
    return [...this.#structural, ...this.#rootedIn(folder)].map(toExclusion)
  }

  /** Checks if a listed file is sensitive, by its name or that of a folder. */
  isSensitive(path: string): boolean {
    const slash = path.lastIndexOf('/')
    const folder = this.#knowFolder(slash < 0 ? '' : path.slice(0, slash))
    const name = foldPath(path.slice(slash + 1))
    const names = [...folder.names, ...name.split('/')]
    // Some file systems take other signs in a name for a slash.
    const isInSensitive = name.includes('/') ? this.#secrets.covers(names.slice(0, -1), true) : folder.isSensitive
    return isInSensitive || this.#secrets.coversLastName(names)
  }

  #knowFolder(path: string): KnownFolder {
    const known = this.#folders.get(path)
    if (known) return known
    const names = path === '' ? [] : foldPath(path).split('/')
    const folder = { names, isSensitive: names.length > 0 && this.#secrets.covers(names, true) }
    if (this.#folders.size >= MAX_KNOWN_FOLDERS) this.#folders.clear()
    this.#folders.set(path, folder)
    return folder
  }

  #rootedIn(folder: string): string[] {
    const prefix = folder === '.' ? '' : `${folder}/`
    return this.#rooted.filter(name => name.startsWith(prefix)).map(name => `/${name.slice(prefix.length)}`)
  }

  /** Checks if a reported path is excluded. */
  covers(path: string): boolean {
    return this.isRooted(path) || this.isSensitive(path)
  }

  /** Checks if a search root is excluded: a search that begins there would not meet the excluding name. */
  coversSearchRoot(path: string, isFolder = true): boolean {
    const folded = foldPath(path)
    return (
      this.#isRooted(folded) ||
      this.#all.covers(harmlessAside(folded)) ||
      this.#secrets.covers(folded.split('/'), isFolder)
    )
  }

  /** Checks if a reported path is excluded for its place. */
  isRooted(path: string): boolean {
    return this.#rooted.length > 0 && this.#isRooted(foldPath(path))
  }

  #isRooted(folded: string) {
    return this.#foldedRooted.some(each => folded === each || folded.startsWith(`${each}/`))
  }
}

const toExclusion = (glob: string) => `--iglob=!${glob}`

const harmlessAside = (folded: string) => folded.split('/').map(name => (isHarmlessName(name) ? '' : name))

const stripAnyDepth = (glob: string) =>
  foldPath(glob.startsWith(ANY_DEPTH_PREFIX) ? glob.slice(ANY_DEPTH_PREFIX.length) : glob)

// Such a glob is a path, not a pattern.
const isRooted = (glob: string) => glob.startsWith('/')

const EXCEPTIONS = NON_SENSITIVE_NAMES.map(name => foldPath(name).split('/'))

function hasExceptions(glob: string) {
  if (isRooted(glob)) return false
  const pattern = new NamePatterns([stripAnyDepth(glob)])
  return EXCEPTIONS.some(names => pattern.covers(names))
}
