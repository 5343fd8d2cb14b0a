// Numbers as JavaScript holds them: doubles, with 15 to 17 significant digits.

/** Checks if a JSON number has the same value after it was parsed and written again. */
export function isExactNumber(source: string): boolean {
  const value = Number(source)
  return Number.isFinite(value) && decimalOf(String(value)) === decimalOf(source)
}

/** Numbers with a longer exponent are zero or out of range. */
const MAX_EXPONENT_LENGTH = 20

/** Returns one spelling for all spellings of a value: its significant digits, and the power of ten of the last of them. */
function decimalOf(source: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  if (exponent.length > MAX_EXPONENT_LENGTH) return source
  return `${sign}${significant}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length)}`
}

/** A number as JSON spells it. */
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Checks if a text spells a number that only a text can hold exactly. */
export const spellsInexactNumber = (text: string): boolean =>
  text.length <= MAX_NUMBER_CHARACTERS && JSON_NUMBER.test(text) && !isExactNumber(text)

/** Longer spellings of numbers are texts. */
const MAX_NUMBER_CHARACTERS = 1_000
