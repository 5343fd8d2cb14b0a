// The words of a command line so plain that no shell could read them otherwise.

/** A word without any character that a shell gives a meaning to. */
const PLAIN_WORD = /^[A-Za-z0-9_./:@%+,=-]+$/
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*\+?=/

/** The argv of a plainly literal command; undefined where anything in it could mean more than it says. */
export function plainArgv(command: string): string[] | undefined {
  const words = command.split(/[ \t]+/)
  if (words[0] === '') words.shift()
  if (words.at(-1) === '') words.pop()
  if (words.length === 0) return undefined
  if (words.some(word => !PLAIN_WORD.test(word)) || ASSIGNMENT.test(words[0]!)) return undefined
  return words
}
