// Attributes by which git leaves out files that may hold credentials when it prints changes: it takes them for binary.
import { BACKUP_WORDS } from '../files/policy/backup-names.ts'
import { FOLDED_RANGES } from '../files/policy/folded-ranges.ts'
import { foldPath } from '../files/policy/name-patterns.ts'
import { NON_SENSITIVE_NAMES, SENSITIVE_FILE_NAMES, SENSITIVE_NAMES } from '../files/policy/sensitive-names.ts'

/** Path of the file of attributes as a sandboxed program sees it, for the setting `core.attributesFile`. */
export const GIT_ATTRIBUTES_FILE = '/etc/toolgate-gitattributes'

/** Patterns for the names of back-ups and temporary copies, as in `backup-names.ts`. */
const BACKUPS = [
  ...['*~', '.#*', '#*#', '*___jb_*', '*,v', '*.[sS][wW][a-pA-P]', '* copy', '* copy [0-9]*', '* ([0-9]*)'],
  ...BACKUP_WORDS.map(toPattern).flatMap(ending => [`*[._-]${ending}`, `*[._-]${ending}[0-9]*`, `*.${ending}.[0-9]*`])
]

const NOT_AS_TEXT = '-diff'
const UNSPECIFIED = '!diff'

/** Returns the lines of the file; `names` are sensitive names besides the built-in ones. */
export function secretAttributes(names: readonly string[]): string[] {
  // Other tools compare folded names, in which one character may stand for several: `ß` for `ss`.
  const further = [...new Set(names.flatMap(name => [name, foldPath(name)]))]
  const within = (name: string) => `**/${toPattern(name)}/** ${NOT_AS_TEXT}`
  // Other systems ignore dots and spaces at the end of a name.
  const trailing = (name: string) => `"${anywhere(name)}[. ]" ${NOT_AS_TEXT}`
  const stream = (name: string) => `${anywhere(name)}:* ${NOT_AS_TEXT}`
  const own = (name: string) => `${anywhere(name)} ${NOT_AS_TEXT}`
  // The last line that matches applies.
  return [
    ...[...SENSITIVE_NAMES, ...SENSITIVE_FILE_NAMES].map(own),
    ...NON_SENSITIVE_NAMES.map(name => `${anywhere(name)} ${UNSPECIFIED}`),
    ...further.map(own),
    ...[...SENSITIVE_NAMES, ...further].flatMap(name => [within(name), trailing(name), stream(name)]),
    ...SENSITIVE_FILE_NAMES.flatMap(name => [trailing(name), stream(name)]),
    // Back-ups are taken for binary whatever they are of: they are seldom committed.
    ...BACKUPS.map(pattern => `"${pattern}" ${NOT_AS_TEXT}`),
    // Any name with such a character may be one of these in another spelling.
    ...foldedBytes().flatMap(bytes => [`"*${bytes}*" ${NOT_AS_TEXT}`, `"**/*${bytes}*/**" ${NOT_AS_TEXT}`])
  ]
}

/** Returns a pattern for the entries with that name in any folder. Git matches one without a slash with the last name, which is fast. */
function anywhere(name: string): string {
  const pattern = toPattern(name)
  return pattern.includes('/') ? `**/${pattern}` : pattern
}

/** Converts a name pattern to one of git that ignores case. Other characters than these match more than themselves. */
function toPattern(name: string): string {
  return [...name.replace(/^\/+|\/+$/g, '')]
    .map(character => {
      if (/[A-Za-z]/.test(character)) return `[${character.toLowerCase()}${character.toUpperCase()}]`
      if (/[\w./*-]/.test(character)) return character
      return character <= '~' ? '?' : '*'
    })
    .join('')
}

/** Returns patterns for the UTF-8 bytes of characters that fold to ASCII. Git unquotes as C does, and matches bytes. */
const foldedBytes = (): string[] => toBytePatterns(FOLDED_RANGES.flatMap(toSequences))

/** Number of bytes that may follow the first one of a character, at each place. */
const CONTINUATIONS = 64

/** Returns the bytes of the characters of a range, but without the last byte if all characters with the others are in it. */
function toSequences([first, last]: readonly [number, number]): number[][] {
  const sequences: number[][] = []
  for (let character = first; character <= last; ) {
    const bytes = [...Buffer.from(String.fromCodePoint(character))]
    const isBlock = character % CONTINUATIONS === 0 && character + CONTINUATIONS - 1 <= last
    sequences.push(isBlock ? bytes.slice(0, -1) : bytes)
    character += isBlock ? CONTINUATIONS : 1
  }
  return sequences
}

/** Returns patterns that match any of the sequences: bytes with the same continuation are merged. */
function toBytePatterns(sequences: readonly (readonly number[])[]): string[] {
  if (sequences[0]?.length === 0) return ['']
  const byContinuation = new Map<string, number[]>()
  for (const [byte, group] of Map.groupBy(sequences, ([first]) => first!))
    for (const pattern of toBytePatterns(group.map(sequence => sequence.slice(1))))
      byContinuation.set(pattern, [...(byContinuation.get(pattern) ?? []), byte])
  return [...byContinuation].map(([pattern, bytes]) =>
    bytes.length === CONTINUATIONS && pattern === '' ? '' : oneOf(bytes) + pattern
  )
}

function oneOf(bytes: readonly number[]): string {
  const escaped = bytes.map(byte => `\\${byte.toString(8)}`).join('')
  return bytes.length === 1 ? escaped : `[${escaped}]`
}
