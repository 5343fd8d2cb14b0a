/** Formats a number with what it counts: `1 item`, `2 items`. The plural is the word with an s, unless it is given. */
export const pluralize = (count: number, word: string, plural = `${word}s`): string =>
  `${count} ${count === 1 ? word : plural}`
