// How a path is held against a list of names.
//
// A pattern is one name, or several joined by '/': it covers a path when those names stand next to each other anywhere
// in it, and with them everything beneath. '*' stands for any run of characters inside one name. Paths and patterns are
// folded first (see `foldPath`), so that no other spelling of a name gets past.

/** One list of patterns, ready for many paths. */
export class NamePatterns {
  #exact = new Set<string>()
  #sequences: NamePattern[][] = []

  constructor(patterns: readonly string[]) {
    for (const pattern of patterns) {
      const names = foldPath(pattern).split('/').filter(Boolean)
      if (names.length === 1 && !names[0]!.includes('*')) this.#exact.add(names[0]!)
      else if (names.length > 0) this.#sequences.push(names.map(compile))
    }
  }

  /** Whether the path, given as folded names, is covered. */
  covers(names: readonly string[]): boolean {
    for (let at = 0; at < names.length; at++) {
      if (this.#exact.has(names[at]!)) return true
      for (const sequence of this.#sequences) if (matchesAt(sequence, names, at)) return true
    }
    return false
  }

  /** Whether the path is covered by where it ends: not only as what lies beneath something that is. */
  coversLastName(names: readonly string[]): boolean {
    const last = names.at(-1)
    if (last === undefined) return false
    return (
      this.#exact.has(last) ||
      this.#sequences.some(sequence => matchesAt(sequence, names, names.length - sequence.length))
    )
  }

  /** Whether something beneath a path may be covered that would not be beneath another: the path ends as a pattern of
   * several names begins. */
  mayCoverDescendants(names: readonly string[]): boolean {
    return this.#sequences.some(sequence =>
      sequence.some((_, i) => i > 0 && i <= names.length && matchesAt(sequence.slice(0, i), names, names.length - i))
    )
  }
}

interface NamePattern {
  head: string
  /** What must follow the head, in order; undefined where the pattern has no star. */
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

// Taking the earliest place for each middle part is enough, so this never backtracks.
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

/** One spelling for all that a case-folding, normalising or Windows file system takes for the same path. */
export function foldPath(path: string): string {
  if (!ASCII.test(path)) path = path.replace(INVISIBLE, '').normalize('NFKC').toUpperCase()
  path = path.toLowerCase()
  // Windows drops dots and spaces at the end of a name, and takes what follows a colon for a stream.
  return /[ .:](?:\/|$)|:/.test(path) ? path.split('/').map(stripIgnoredTail).join('/') : path
}

function stripIgnoredTail(name: string) {
  const cut = name.replace(/:.*$/su, '')
  let end = cut.length
  while (end > 0 && (cut[end - 1] === '.' || cut[end - 1] === ' ')) end--
  return end > 0 ? cut.slice(0, end) : name
}
