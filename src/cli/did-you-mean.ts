// Suggestions for misspelled names, by edit distance.
import { distance } from 'fastest-levenshtein'

/** Returns the most similar name, if any: at most one letter in three differs, or all letters are there in another order. */
function closestMatch(meant: string, names: readonly string[]): string | undefined {
  const [best] = names
    .map(name => ({ name, differs: distance(stripDashes(meant), stripDashes(name)) }))
    .filter(
      ({ name, differs }) => differs <= maxDistance(stripDashes(name)) || sortLetters(meant) === sortLetters(name)
    )
    .sort((a, b) => a.differs - b.differs)
  return best?.name
}

const maxDistance = ({ length }: string) => Math.min(3, Math.max(1, Math.floor(length / 3)))
const sortLetters = (text: string) => [...text].sort().join('')
/** Strips the dashes of flags, which must not count as similarity. */
const stripDashes = (name: string) => name.replace(/^-+/, '')

/** Formats the suggestion as a question; undefined if no name is similar. */
export function didYouMean(meant: string, names: readonly string[]): string | undefined {
  const name = closestMatch(meant, names)
  return name === undefined ? undefined : `Did you mean ${name}?`
}

/** Joins the hints that follow an error message. */
export const joinHints = (...parts: readonly (string | undefined)[]) => parts.filter(Boolean).join(' ')
