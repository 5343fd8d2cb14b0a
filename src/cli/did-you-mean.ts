// The name that was meant, perhaps: by how few letters it differs.
import { distance } from 'fastest-levenshtein'

/** Of these the one that is like it, if one is: a letter in three is another, or all are there in another order. */
export function closestMatch(meant: string, names: readonly string[]): string | undefined {
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
/** What all flags begin with makes none like another. */
const stripDashes = (name: string) => name.replace(/^-+/, '')

/** As a question; nothing where nothing is like it. */
export function didYouMean(meant: string, names: readonly string[]): string | undefined {
  const name = closestMatch(meant, names)
  return name === undefined ? undefined : `Did you mean ${name}?`
}

/** What is told after a cause, as far as there is something to tell. */
export const joinHints = (...parts: readonly (string | undefined)[]) => parts.filter(Boolean).join(' ')
