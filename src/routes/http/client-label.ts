// What a client calls itself, as people are told it: short, and of plain characters.

/** Empty where nothing is left of it. */
export const toClientLabel = (text: string): string =>
  text
    .replace(/[^\x20-\x7e]/g, '')
    .trim()
    .slice(0, 64)
