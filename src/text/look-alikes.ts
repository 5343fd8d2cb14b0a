// Characters that are taken for plain ones of a keyboard: curly quotes, dashes, spaces that do not break, letters of full
// width, and some that cannot be seen at all.

/** A text with plain characters, and where each of them comes from. */
export interface Plain {
  text: string
  /** The stretch of the original that a stretch of the plain text stands for; undefined where it cuts a character in two. */
  original(start: number, end: number): { start: number; end: number } | undefined
}

// Written as numbers, for whoever reads this could not tell them apart either.
const CLASSES: readonly [plain: string, codes: readonly (number | readonly [from: number, to: number])[]][] = [
  ["'", [[0x2018, 0x201b], 0x2032, 0x02bc, 0x00b4, 0xff07]],
  ['"', [[0x201c, 0x201f], 0x2033, 0xff02]],
  ['-', [[0x2010, 0x2015], 0x2212, 0xfe58, 0xfe63]],
  [' ', [0x00a0, 0x1680, [0x2000, 0x200a], 0x202f, 0x205f, 0x3000]],
  ['...', [0x2026]],
  ['', [[0x200b, 0x200d], 0x2060, 0x00ad, 0xfeff]]
]
const FULL_WIDTH = { from: 0xff01, to: 0xff5e, offset: 0xfee0 }

const PLAIN = new Map<string, string>()
for (let code = FULL_WIDTH.from; code <= FULL_WIDTH.to; code++)
  PLAIN.set(String.fromCharCode(code), String.fromCharCode(code - FULL_WIDTH.offset))
for (const [plain, codes] of CLASSES)
  for (const range of codes) {
    const [from, to] = typeof range === 'number' ? [range, range] : range
    for (let code = from; code <= to; code++) PLAIN.set(String.fromCharCode(code), plain)
  }

const LOOK_ALIKE = new RegExp(`[${[...PLAIN.keys()].join('')}]`)

export const hasLookAlikes = (text: string): boolean => LOOK_ALIKE.test(text)

export function plain(text: string): Plain {
  const parts: string[] = []
  /** By place in the plain text: the character that it comes from. */
  const sources: number[] = []
  for (let at = 0; at < text.length; at++) {
    const part = PLAIN.get(text[at]!) ?? text[at]!
    parts.push(part)
    for (let i = 0; i < part.length; i++) sources.push(at)
  }
  return {
    text: parts.join(''),
    original(start, end) {
      const [first, last] = [sources[start], sources[end - 1]]
      if (first === undefined || last === undefined) return undefined
      if (first === sources[start - 1] || last === sources[end]) return undefined
      return { start: first, end: last + 1 }
    }
  }
}
