// Detects UTF-16 without a byte order mark: text in it has the zero bytes of its spaces and line feeds all on one side.

const SAMPLE_BYTES = 8000
/** Minimum share of ASCII characters; ideographs have only line ends and some punctuation. */
const MIN_ASCII_SHARE = 0.02

export function guessUtf16(bytes: Buffer): 'utf-16le-no-bom' | 'utf-16be-no-bom' | undefined {
  if (bytes.length % 2 === 1) return undefined
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  let [even, odd] = [0, 0]
  for (const [at, byte] of sample.entries()) {
    if (byte !== 0) continue
    if (at % 2 === 0) even++
    else odd++
  }
  if (even > 0 === odd > 0) return undefined
  const text = (odd > 0 ? bytes : Buffer.from(bytes).swap16()).toString('utf16le')
  if (!isPlausible(text)) return undefined
  return odd > 0 ? 'utf-16le-no-bom' : 'utf-16be-no-bom'
}

function isPlausible(text: string): boolean {
  if (!text.isWellFormed() || IMPLAUSIBLE.test(text)) return false
  const ascii = text.match(/[\t\n\r -~]/g)?.length ?? 0
  const others = OTHER_SCRIPTS.filter(script => script.test(text)).length
  return ascii >= text.length * MIN_ASCII_SHARE && others <= 1 && !UNUSUAL_LETTER.test(text)
}

/** Controls, private use, unassigned code points, and the replacement character. */
const IMPLAUSIBLE = /[\p{Co}\p{Cn}\ufffd]|(?![\t\n\f\r])\p{Cc}/u

/** A text is in Latin and one other script; numbers read as text are in many. */
const OTHER_SCRIPTS = [
  /\p{Script=Greek}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
  /\p{Script=Devanagari}/u,
  /\p{Script=Thai}/u,
  /\p{Script=Georgian}/u,
  /\p{Script=Hangul}/u,
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
]
const UNUSUAL_LETTER =
  /(?![\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Thai}\p{Script=Georgian}\p{Script=Hangul}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])\p{L}/u
