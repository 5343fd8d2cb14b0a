// Splits command lines that are so plain that every shell parses them alike.

/** A word without shell metacharacters. */
const PLAIN_WORD = /^[A-Za-z0-9_./:@%+,=-]+$/
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*\+?=/

/** Returns the argv of a plain literal command; undefined if any part could be interpreted otherwise. */
export function plainArgv(command: string): string[] | undefined {
  const words = command.split(/[ \t]+/)
  if (words[0] === '') words.shift()
  if (words.at(-1) === '') words.pop()
  if (words.length === 0) return undefined
  if (words.some(word => !PLAIN_WORD.test(word)) || ASSIGNMENT.test(words[0]!)) return undefined
  return words
}
