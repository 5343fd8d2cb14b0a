// Ranks file paths for a few typed characters. Lower is better; the kinds below never mix: any prefix beats any substring, and so
// on. Within a kind the shorter path is better.

/** From best to worst. */
const KINDS = ['name', 'stem', 'prefix', 'word', 'inside', 'path', 'letters in name', 'letters in path'] as const
const MAX_PATH_LENGTH = 8_192

export const NO_MATCH = Number.POSITIVE_INFINITY

/**
 * Ranks a path that contains the query literally. Both are lower-case except `path`, whose case marks the beginnings of words.
 */
export function rankLiteral(query: string, lower: string, path: string): number {
  const at = lower.lastIndexOf(query)
  if (at < 0) return NO_MATCH
  const slash = lower.lastIndexOf('/')
  // A query with a slash matches the end of a path.
  const start = query.includes('/') ? (lower.startsWith(query) ? 0 : lower.indexOf(`/${query}`) + 1) : slash + 1
  return score(literalKind(query, lower, path, start, at), path, 0)
}

/** Ranks a path that contains the query's characters in order. */
export function rankLetters(query: string, lower: string, path: string): number {
  const start = lower.lastIndexOf('/') + 1
  const inName = spread(query, lower, start)
  if (inName !== undefined) return score('letters in name', path, inName)
  const inPath = spread(query, lower, 0)
  return inPath === undefined ? NO_MATCH : score('letters in path', path, inPath)
}

function literalKind(query: string, lower: string, path: string, start: number, last: number) {
  if (last < start) return 'path'
  const end = start + query.length
  if (lower.startsWith(query, start)) {
    if (end === lower.length) return 'name'
    return end === lower.lastIndexOf('.') ? 'stem' : 'prefix'
  }
  for (let at = lower.indexOf(query, start); at >= 0; at = lower.indexOf(query, at + 1))
    if (startsWord(path, at)) return 'word'
  return 'inside'
}

// After a separator, or at a capital in camelCase.
function startsWord(path: string, at: number) {
  const before = path[at - 1] ?? '/'
  const first = path[at]!
  if (!isLetterOrDigit(before)) return true
  return first !== first.toLowerCase() && before === before.toLowerCase()
}

const isLetterOrDigit = (character: string) =>
  character.toLowerCase() !== character.toUpperCase() || (character >= '0' && character <= '9')

/** Returns the number of characters between those of the query, matched from the left; undefined if some are missing. */
function spread(query: string, lower: string, from: number): number | undefined {
  let first = -1
  let at = from - 1
  for (const character of query) {
    at = lower.indexOf(character, at + 1)
    if (at < 0) return undefined
    if (first < 0) first = at
  }
  return at - first + 1 - query.length
}

const score = (kind: (typeof KINDS)[number], path: string, gaps: number) =>
  (KINDS.indexOf(kind) * MAX_PATH_LENGTH + gaps) * MAX_PATH_LENGTH + path.length
