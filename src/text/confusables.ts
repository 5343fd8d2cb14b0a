// Normalizes confusable characters to plain ones: curly quotes, dashes, no-break spaces, full-width letters, and invisible
// characters. Also composes letters with combining marks.

/** A normalized text with a mapping to the original. */
interface NormalizedText {
  text: string
  /** Maps a range of the normalized text to the original; undefined if it splits a character. */
  toOriginal(start: number, end: number): { start: number; end: number } | undefined
}

// Written as code points, since the characters are indistinguishable in source code too.
const CLASSES: readonly [plain: string, codes: readonly (number | readonly [from: number, to: number])[]][] = [
  ["'", [[0x2018, 0x201b], 0x2032, 0x02bc, 0x00b4, 0xff07]],
  ['"', [[0x201c, 0x201f], 0x2033, 0xff02]],
  ['-', [[0x2010, 0x2015], 0x2212, 0xfe58, 0xfe63]],
  [' ', [0x00a0, 0x1680, [0x2000, 0x200a], 0x202f, 0x205f, 0x3000]],
  ['...', [0x2026]],
  ['\u03a9', [0x2126]],
  ['K', [0x212a]],
  ['\u00c5', [0x212b]],
  ['', [[0x200b, 0x200d], 0x2060, 0x00ad, 0xfeff]]
]
const FULL_WIDTH = { from: 0xff01, to: 0xff5e, offset: 0xfee0 }

const CONFUSABLES = new Map<string, string>()
for (let code = FULL_WIDTH.from; code <= FULL_WIDTH.to; code++)
  CONFUSABLES.set(String.fromCharCode(code), String.fromCharCode(code - FULL_WIDTH.offset))
for (const [plain, codes] of CLASSES)
  for (const range of codes) {
    const [from, to] = typeof range === 'number' ? [range, range] : range
    for (let code = from; code <= to; code++) CONFUSABLES.set(String.fromCharCode(code), plain)
  }

/** Characters that may combine with the previous one: accents, Korean vowels and finals, kana voicing marks. */
const MARKS = '\u0300-\u036f\u1160-\u11ff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a'
const CONFUSABLE = new RegExp(`[${[...CONFUSABLES.keys()].join('')}${MARKS}]`)
const MARK = new RegExp(`[${MARKS}]`)
const FIRST_MARK = 0x0300

export const hasConfusables = (text: string): boolean => CONFUSABLE.test(text)

export function normalizeConfusables(text: string): NormalizedText {
  const parts: string[] = []
  /** By offset in the normalized text: start and end of the original character. */
  const starts: number[] = []
  const ends: number[] = []
  for (let at = 0, end: number; at < text.length; at = end) {
    end = skipCombiningMarks(text, at + 1)
    const part = end === at + 1 ? normalizeCharacter(text[at]!) : composeCharacters(text.slice(at, end))
    parts.push(part)
    for (let i = 0; i < part.length; i++) {
      starts.push(at)
      ends.push(end)
    }
  }
  return {
    text: parts.join(''),
    toOriginal(start, end) {
      const [first, last] = [starts[start], ends[end - 1]]
      if (first === undefined || last === undefined) return undefined
      if (first === starts[start - 1] || last === ends[end]) return undefined
      return { start: first, end: last }
    }
  }
}

function skipCombiningMarks(text: string, at: number) {
  let end = at
  while (text.charCodeAt(end) >= FIRST_MARK && MARK.test(text[end]!)) end++
  return end
}

const normalizeCharacter = (character: string) => CONFUSABLES.get(character) ?? character

const composeCharacters = (characters: string) => [...characters].map(normalizeCharacter).join('').normalize('NFC')
