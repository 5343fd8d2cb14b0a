// Text with one level of escaping too many or too few: a newline for `\n` or the reverse, a quote for `\"`, a character for its
// code, `<` for `&lt;`.

/** A transformation of escapes. It is applied to the old and the new text alike: both have the same origin. */
type EscapeTransform = (text: string) => string

/** In the order of attempts. Quotes alone come after all escapes, for code with its own escapes. */
export const ESCAPE_TRANSFORMS: readonly EscapeTransform[] = [
  unescapeText,
  unescapeQuotes,
  escapeText,
  escapeQuotes,
  decodeEntities
]

const MEANINGS: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', '0': '\0' }
const ESCAPES = new Map(Object.entries(MEANINGS).map(([letter, meaning]) => [meaning, `\\${letter}`]))
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: '\u00a0' }

function unescapeText(text: string) {
  return text.replace(
    /\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|x([0-9a-fA-F]{2})|([ntrbfv0\\"'`/]))/g,
    (all, unit, point, byte, letter) => {
      if (letter !== undefined) return MEANINGS[letter] ?? letter
      return fromCodePoint(Number.parseInt(unit ?? point ?? byte, 16)) ?? all
    }
  )
}

function escapeText(text: string) {
  return text.replace(/[\\"\n\t\r\b\f\v\0]/g, char => ESCAPES.get(char) ?? `\\${char}`)
}

function unescapeQuotes(text: string) {
  return text.replace(/\\(["'`])/g, '$1')
}

function escapeQuotes(text: string) {
  return text.replace(/"/g, '\\"')
}

function decodeEntities(text: string) {
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(lt|gt|amp|quot|apos|nbsp));/g,
    (all, decimal, hex, name) => {
      if (name !== undefined) return ENTITIES[name] ?? all
      return fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)) ?? all
    }
  )
}

/** Returns undefined for an invalid code point. Surrogates are left for later joining. */
const fromCodePoint = (point: number) => (point <= 0x10ffff ? String.fromCodePoint(point) : undefined)
