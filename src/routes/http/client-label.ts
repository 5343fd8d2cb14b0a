// Sanitizes a client's name for itself for display: short, and of plain characters.

/** Returns an empty string if nothing remains. */
export const toClientLabel = (text: string): string =>
  text
    .replace(/[^\x20-\x7e]/g, '')
    .trim()
    .slice(0, 64)
