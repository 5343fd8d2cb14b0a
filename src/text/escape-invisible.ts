// Escapes control and invisible characters.

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\0-\x1f\x7f]/

export const hasControlCharacters = (text: string): boolean => CONTROL.test(text)

/** Replaces every control and invisible character by `\u{…}`, except line ends and tabs. */
export const escapeInvisible = (text: string): string =>
  text.replace(/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu, character => `\\u{${character.codePointAt(0)!.toString(16)}}`)
