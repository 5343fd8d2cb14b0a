// Exclusions of searches, in two parts: names that ripgrep need not even open, and what its globs cannot express, which is filtered
// from its output: names with exceptions (such as `.env.*`, but not `.env.example`), names of files only, and back-ups.
import { mayContainBackup } from '../files/policy/backup-names.ts'
import { foldPath, NamePatterns } from '../files/policy/name-patterns.ts'
import { isHarmlessName, type SecretNames } from '../files/policy/secret-names.ts'
import { NON_SENSITIVE_NAMES, SENSITIVE_FILE_NAMES } from '../files/policy/sensitive-names.ts'

const ANY_DEPTH_PREFIX = '**/'

export class Excludes {
  /** Options that exclude names from ripgrep. They come last, since the last glob takes precedence. */
  readonly args: readonly string[]
  readonly #all: NamePatterns
  readonly #rooted: readonly string[]
  readonly #conditional: NamePatterns
  readonly #hints: readonly string[]

  readonly #secrets: SecretNames | undefined

  /** `globs`: in ripgrep's syntax. `secrets`: names to filter from the output. */
  constructor(globs: readonly string[], secrets?: SecretNames) {
    this.#secrets = secrets
    const judged = globs.filter(hasExceptions)
    this.#rooted = globs.filter(isRooted).map(glob => foldPath(glob.slice(1)))
    this.#all = new NamePatterns(['.git', ...globs.filter(glob => !isRooted(glob)).map(stripAnyDepth)])
    this.args = ['.git', ...globs.filter(glob => !judged.includes(glob))].map(glob => `--iglob=!${glob}`)
    const patterns = judged.map(stripAnyDepth)
    this.#conditional = new NamePatterns(patterns)
    this.#hints = patterns.map(longestLiteral)
  }

  /** Checks if a reported path is excluded. */
  covers(path: string): boolean {
    const folded = foldPath(path)
    if (this.#hints.some(hint => folded.includes(hint)) && this.#conditional.covers(this.#names(folded))) return true
    if (!this.#secrets) return false
    const mayBeSecret = mayContainBackup(folded) || FILE_HINTS.some(hint => folded.includes(hint))
    return mayBeSecret && this.#secrets.covers(folded.split('/'))
  }

  /** Checks if a search root is excluded: a search that begins there would not meet the excluding name. */
  coversSearchRoot(path: string, isFolder = true): boolean {
    const folded = foldPath(path)
    const rooted = this.#rooted.some(each => folded === each || folded.startsWith(`${each}/`))
    return (
      rooted || this.#all.covers(this.#names(folded)) || (this.#secrets?.covers(folded.split('/'), isFolder) ?? false)
    )
  }

  #names(folded: string) {
    return folded.split('/').map(name => (isHarmlessName(name) ? '' : name))
  }
}

const longestLiteral = (pattern: string) => pattern.split('*').reduce((a, b) => (b.length > a.length ? b : a))

const FILE_HINTS = SENSITIVE_FILE_NAMES.map(longestLiteral)

const stripAnyDepth = (glob: string) =>
  foldPath(glob.startsWith(ANY_DEPTH_PREFIX) ? glob.slice(ANY_DEPTH_PREFIX.length) : glob)

// Such a glob is a path, not a pattern.
const isRooted = (glob: string) => glob.startsWith('/')

function hasExceptions(glob: string) {
  if (isRooted(glob)) return false
  const pattern = new NamePatterns([stripAnyDepth(glob)])
  return NON_SENSITIVE_NAMES.some(name => pattern.covers(foldPath(name).split('/')))
}
