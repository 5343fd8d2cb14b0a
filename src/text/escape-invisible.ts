// What a screen would obey or hide instead of showing it, written out.

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\0-\x1f\x7f]/

export const hasControlCharacters = (text: string): boolean => CONTROL.test(text)

/** The text with every control and invisible character as `\u{…}`. Line ends and tabs are plain enough. */
export const escapeInvisible = (text: string): string =>
  text.replace(/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu, character => `\\u{${character.codePointAt(0)!.toString(16)}}`)
