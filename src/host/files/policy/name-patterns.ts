// Matches paths against a list of names.
//
// A pattern is one name, or several joined by '/': it covers a path that has those names adjacent anywhere in it, and all
// descendants. '*' matches any run of characters inside one name. Paths and patterns are folded first (see `foldPath`), so that
// alternative spellings of a name match too.

/** Signs of other globs, which mean nothing here. */
const FOREIGN_SIGNS = /[?[\]{}\\\0]|\*\*|^!/

/**
 * Returns a written pattern without the signs that change nothing: a leading double star for any folder, a trailing one for all in it, a
 * trailing slash. Undefined if it would not be compared as it reads: absolute, with `.` or `..`, or with other signs of globs than one star.
 */
export function parseNamePattern(written: string): string | undefined {
  const pattern = written.replace(/^(?:\*\*\/)+/, '').replace(/(?:\/\*\*)?\/?$/, '')
  const isUsable = !FOREIGN_SIGNS.test(pattern) && pattern.split('/').every(name => !/^(?:\.{0,2}|\s+)$/.test(name))
  return isUsable ? pattern : undefined
}

/** A compiled list of patterns for matching many paths: indexed, so that most names are compared with few patterns. */
export class NamePatterns {
  #exact = new Set<string>()
  /** The others, by their first names. */
  readonly #sequences = new SequenceIndex()
  /** The last names of these. */
  readonly #lastNames = new SequenceIndex()
  #maxLength = 1

  constructor(patterns: readonly string[]) {
    for (const pattern of patterns) {
      const names = foldPath(pattern).split('/').filter(Boolean)
      if (names.length === 1 && !names[0]!.includes('*')) this.#exact.add(names[0]!)
      else if (names.length > 0) this.#addSequence(names.map(compile))
    }
  }

  #addSequence(sequence: NamePattern[]) {
    this.#maxLength = Math.max(this.#maxLength, sequence.length)
    this.#sequences.add(sequence)
    this.#lastNames.add(sequence.slice(-1))
  }

  /** The largest number of names in a pattern. */
  get maxNames(): number {
    return this.#maxLength
  }

  /** Checks if the path, given as folded names, is covered. */
  covers(names: readonly string[]): boolean {
    for (let at = 0; at < names.length; at++) {
      if (this.#exact.has(names[at]!)) return true
      if (this.#sequences.some(names[at]!, sequence => matchesAt(sequence, names, at))) return true
    }
    return false
  }

  /** Checks if the path is covered by its last name: not only as a descendant of a covered path. */
  coversLastName(names: readonly string[]): boolean {
    const last = names.at(-1)
    if (last === undefined) return false
    if (this.#exact.has(last)) return true
    return (
      this.mayCoverLastName(last) &&
      this.#someSequenceNearEnd(
        names,
        (sequence, at) => at + sequence.length === names.length && matchesAt(sequence, names, at)
      )
    )
  }

  /** Checks if a path that ends with a name may be covered by that: quicker than for the whole path, and false for most. */
  mayCoverLastName(name: string): boolean {
    return this.#exact.has(name) || this.#lastNames.some(name, sequence => matches(sequence[0]!, name))
  }

  /**
   * Checks if a descendant of the path may be covered only because of the path's name: the path ends as a pattern of several
   * names begins.
   */
  mayCoverDescendants(names: readonly string[]): boolean {
    return this.#someSequenceNearEnd(names, (sequence, at) => {
      const count = names.length - at
      return count < sequence.length && matchesAt(sequence.slice(0, count), names, at)
    })
  }

  #someSequenceNearEnd(names: readonly string[], check: (sequence: readonly NamePattern[], at: number) => boolean) {
    for (let at = Math.max(0, names.length - this.#maxLength); at < names.length; at++)
      if (this.#sequences.some(names[at]!, sequence => check(sequence, at))) return true
    return false
  }
}

/** Sequences of patterns by their first one. */
class SequenceIndex {
  /** Those that begin with a name without stars. */
  readonly #byFirstName = new Map<string, NamePattern[][]>()
  /** Those whose first name has a star, by the first character before it; without one, by the last character after it. */
  readonly #byFirstCharacter = new Map<string, NamePattern[][]>()
  readonly #byLastCharacter = new Map<string, NamePattern[][]>()
  /** Those whose first name begins and ends with a star. */
  readonly #unindexed: NamePattern[][] = []

  add(sequence: NamePattern[]) {
    const { head, rest } = sequence[0]!
    const last = rest?.at(-1)?.at(-1)
    if (!rest) append(this.#byFirstName, head, sequence)
    else if (head !== '') append(this.#byFirstCharacter, head[0]!, sequence)
    else if (last !== undefined) append(this.#byLastCharacter, last, sequence)
    else this.#unindexed.push(sequence)
  }

  /** Checks the sequences whose first pattern may match a name. */
  some(name: string, check: (sequence: readonly NamePattern[]) => boolean): boolean {
    const isAny = (sequences: readonly NamePattern[][] | undefined) => sequences?.some(check) ?? false
    return (
      isAny(this.#byFirstName.get(name)) ||
      isAny(this.#byFirstCharacter.get(name[0]!)) ||
      isAny(this.#byLastCharacter.get(name[name.length - 1]!)) ||
      isAny(this.#unindexed)
    )
  }
}

function append<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value) {
  const values = map.get(key)
  if (values) values.push(value)
  else map.set(key, [value])
}

interface NamePattern {
  head: string
  /** Parts that must follow the head, in order; undefined if the pattern has no star. */
  rest: string[] | undefined
}

function compile(name: string): NamePattern {
  const [head, ...rest] = name.split('*')
  return { head: head!, rest: rest.length > 0 ? rest : undefined }
}

function matchesAt(sequence: readonly NamePattern[], names: readonly string[], at: number) {
  if (at < 0 || at + sequence.length > names.length) return false
  for (let i = 0; i < sequence.length; i++) if (!matches(sequence[i]!, names[at + i]!)) return false
  return true
}

// Taking the earliest match for each middle part is enough, so this never backtracks.
function matches({ head, rest }: NamePattern, name: string) {
  if (!rest) return name === head
  if (!name.startsWith(head)) return false
  const tail = rest.at(-1)!
  const end = name.length - tail.length
  if (end < head.length || !name.endsWith(tail)) return false
  let from = head.length
  for (const part of rest.slice(0, -1)) {
    const found = name.indexOf(part, from)
    if (found < 0 || found + part.length > end) return false
    from = found + part.length
  }
  return from <= end
}

// Characters that some file systems drop from names before they compare them.
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|[\u202a-\u202e\u206a-\u206f\ufeff]/gu
const ASCII = /^[ -~]*$/

/** Normalizes all spellings that a case-folding, normalizing or Windows file system takes for the same path. */
export function foldPath(path: string): string {
  if (!ASCII.test(path)) path = path.replace(INVISIBLE, '').normalize('NFKC').toUpperCase()
  path = path.toLowerCase()
  // Windows drops trailing dots and spaces of a name, and takes what follows a colon for a stream.
  return /[ .:](?:\/|$)|:/.test(path) ? path.split('/').map(stripIgnoredTail).join('/') : path
}

function stripIgnoredTail(name: string) {
  const cut = name.replace(/:.*$/su, '')
  let end = cut.length
  while (end > 0 && (cut[end - 1] === '.' || cut[end - 1] === ' ')) end--
  return end > 0 ? cut.slice(0, end) : name
}
