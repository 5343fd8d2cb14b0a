// Matches names of files and folders that may hold credentials, also those of their back-ups.
import { originalNames } from './backup-names.ts'
import { NamePatterns } from './name-patterns.ts'
import { NON_SENSITIVE_NAMES, SENSITIVE_FILE_NAMES, SENSITIVE_NAMES } from './sensitive-names.ts'

const ANY = new NamePatterns(SENSITIVE_NAMES)
const FILES = new NamePatterns(SENSITIVE_FILE_NAMES)
const EXCEPTIONS = new NamePatterns(NON_SENSITIVE_NAMES)

export class SecretNames {
  readonly #further: NamePatterns

  /** `further`: patterns beside the built-in ones. */
  constructor(further: readonly string[] = []) {
    this.#further = new NamePatterns(further)
  }

  /** The largest number of names in a pattern. */
  get maxNames(): number {
    return Math.max(ANY.maxNames, FILES.maxNames, this.#further.maxNames)
  }

  /** Checks if a path, given as folded names, is sensitive by any of them. A missing entry counts as a file. */
  covers(names: readonly string[], isFolder = false): boolean {
    return spellings(names).some(
      spelled =>
        ANY.covers(harmlessAside(spelled)) || this.#further.covers(spelled) || (!isFolder && isSensitiveFile(spelled))
    )
  }

  /** Checks if a path is sensitive by its last name: not only as a descendant of a sensitive folder. */
  coversLastName(names: readonly string[], isFolder = false): boolean {
    if (!this.#mayCoverLastName(names.at(-1) ?? '')) return false
    return spellings(names).some(
      spelled =>
        ANY.coversLastName(harmlessAside(spelled)) ||
        this.#further.coversLastName(spelled) ||
        (!isFolder && isSensitiveFile(spelled))
    )
  }

  #mayCoverLastName(name: string): boolean {
    return originalNames(name).some(one => [ANY, FILES, this.#further].some(patterns => patterns.mayCoverLastName(one)))
  }

  /** Checks if a descendant of the path may be sensitive only because of the path's name. */
  mayCoverDescendants(names: readonly string[]): boolean {
    return [ANY, this.#further].some(patterns => patterns.mayCoverDescendants(names))
  }
}

/** Checks if a name is that of an example or of source code, which is not sensitive. */
export const isHarmlessName = (name: string): boolean => originalNames(name).some(one => EXCEPTIONS.covers([one]))

const isSensitiveFile = (names: readonly string[]) => FILES.coversLastName(harmlessAside(names))

const harmlessAside = (names: readonly string[]) => names.map(name => (isHarmlessName(name) ? '' : name))

/** Returns the path as it is and as those of which it may hold back-ups. */
function spellings(names: readonly string[]): (readonly string[])[] {
  const originals = names.map(originalNames)
  const count = Math.max(...originals.map(({ length }) => length))
  if (count === 1) return [names]
  return Array.from({ length: count }, (_, i) => originals.map(each => each[Math.min(i, each.length - 1)]!))
}
