// Escapes control characters and characters that render as nothing or reorder text. The front ends use the same table; the console
// uses this file.
import { INVISIBLE_RANGES, PICTOGRAPH_RANGES } from './invisible-ranges.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\0-\x1f\x7f]/

export const hasControlCharacters = (text: string): boolean => CONTROL.test(text)

const EMOJI_SELECTOR = 0xfe0f
const toClass = (ranges: readonly (readonly [number, number])[]) =>
  ranges.map(([first, last]) => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`).join('')
const INVISIBLE = `(?:(?!\\u{${EMOJI_SELECTOR.toString(16)}})[${toClass(INVISIBLE_RANGES)}]|(?<![${toClass(PICTOGRAPH_RANGES)}])\\u{${EMOJI_SELECTOR.toString(16)}})`

/** Source of a regular expression with the flag `u` for one such character, except line feeds and tabs. */
export const HIDDEN_CHARACTER = `(?:(?![\\n\\t])[\\p{Cc}\\p{Cs}]|${INVISIBLE})`

const HIDDEN_CHARACTERS = new RegExp(HIDDEN_CHARACTER, 'gu')

/** Replaces every control and invisible character by `\u{…}`, except line feeds and tabs. */
export const escapeInvisible = (text: string): string => text.replace(HIDDEN_CHARACTERS, escapeCharacter)

/** Replaces line feeds, too, so that a name stays on its line. */
export const escapeLine = (text: string): string => escapeInvisible(text).replaceAll('\n', escapeCharacter)

/** Formats a character by its code point. */
export const escapeCharacter = (character: string): string => `\\u{${character.codePointAt(0)!.toString(16)}}`
