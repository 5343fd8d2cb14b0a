// Quotes a program's arguments for a shell.

/** Characters without a meaning in any shell, at any position. */
const PLAIN = /^[A-Za-z0-9_./:@%+,=-]+$/

/** Formats a command line for display, and for matching by command rules. */
export const quoteArgv = (argv: readonly string[]): string =>
  argv.map((word, at) => (isPlain(word, at) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ')

/** In the first position a word with `=` would be an assignment. */
const isPlain = (word: string, at: number) => PLAIN.test(word) && !(at === 0 && word.includes('='))
