// Formats characters that look the same, or are invisible, by their code points.

const MAX_SHOWN_CHARACTERS = 5

/** Formats characters as in the charts of Unicode; of many, only the first. */
export const formatCodePoints = (characters: readonly string[]): string =>
  characters
    .slice(0, MAX_SHOWN_CHARACTERS)
    .map(character => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`)
    .join(' ')
