// A program with its words, written so that a shell would read the same words again.

/** Characters that no shell gives a meaning to, wherever they stand. */
const PLAIN = /^[A-Za-z0-9_./:@%+,=-]+$/

/** One line for a person to read, and for rules on commands to be held against. */
export const quoteArgv = (argv: readonly string[]): string =>
  argv.map((word, at) => (isPlain(word, at) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ')

/** In the first place a word with `=` would be an assignment. */
const isPlain = (word: string, at: number) => PLAIN.test(word) && !(at === 0 && word.includes('='))
