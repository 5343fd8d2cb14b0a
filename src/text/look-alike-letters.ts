// Finds letters that look like Latin ones but are other characters, as in a copied name that means something else.
import { escapeCharacter } from './escape-invisible.ts'

/** Letters of other scripts, and variants of Latin letters, that are drawn like Latin letters in common fonts. */
const LOOK_ALIKES =
  // Cyrillic
  '\\u0405\\u0406\\u0408\\u0410\\u0412\\u0415\\u041a\\u041c-\\u041e\\u0420-\\u0423\\u0425\\u0430\\u0435\\u043e\\u0440\\u0441' +
  '\\u0443\\u0445\\u0455\\u0456\\u0458\\u04ae\\u04af\\u04bb\\u04c0\\u04cf\\u0501\\u050c\\u051a-\\u051d' +
  // Greek
  '\\u0391\\u0392\\u0395-\\u0397\\u0399\\u039a\\u039c\\u039d\\u039f\\u03a1\\u03a4\\u03a5\\u03a7\\u03b1\\u03b9\\u03ba\\u03bd' +
  '\\u03bf\\u03c1\\u03c5\\u03f2\\u03f3\\u03f9' +
  // Armenian
  '\\u054d\\u0555\\u0570\\u0578\\u057d\\u0581\\u0585' +
  // Cherokee
  '\\u13a0-\\u13ff\\uab70-\\uabbf' +
  // Latin variants: phonetic letters, Roman numerals, full-width letters and letters of formulas
  '\\u0251\\u0261\\u2160-\\u217f\\uff21-\\uff3a\\uff41-\\uff5a\\u{1d400}-\\u{1d7ff}'

const LOOK_ALIKE = new RegExp(`[${LOOK_ALIKES}]`, 'u')
const EACH_LOOK_ALIKE = new RegExp(LOOK_ALIKE, 'gu')
const ONLY_LOOK_ALIKES = new RegExp(`^[${LOOK_ALIKES}\\p{M}\\p{N}_]+$`, 'u')
const WORD = /[\p{L}\p{M}\p{N}_]+/gu
const LATIN = /[A-Za-z]/

/** Returns the words of a text that mix Latin letters with their look-alikes, each once. */
export const findMixedWords = (text: string): Set<string> =>
  findWords(text, word => LOOK_ALIKE.test(word) && LATIN.test(word))

/** Returns the words of a path that mix them, or consist of look-alikes only: a copied name need not keep a Latin letter. */
export const findLookAlikeNames = (path: string): Set<string> =>
  findWords(path, word => LOOK_ALIKE.test(word) && (LATIN.test(word) || ONLY_LOOK_ALIKES.test(word)))

/** Replaces each look-alike of a word by its code point. */
export const escapeLookAlikes = (word: string): string => word.replace(EACH_LOOK_ALIKE, escapeCharacter)

const findWords = (text: string, isFound: (word: string) => boolean): Set<string> =>
  new Set(LOOK_ALIKE.test(text) ? text.match(WORD)?.filter(isFound) : [])
