// What a screen would obey or hide instead of showing it, written out.

/** The text with every control and invisible character as `\u{…}`. Line ends and tabs are plain enough. */
export const visible = (text: string): string =>
  text.replace(/[^\P{C}\n\t]|[\p{Zl}\p{Zp}]/gu, character => `\\u{${character.codePointAt(0)!.toString(16)}}`)
