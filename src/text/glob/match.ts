// Globs of rules and tool sets: always matched against the whole text, never against a name at any depth.
import { Glob } from './glob.ts'
import { buildNfa } from './nfa.ts'
import { parseGlob } from './parse.ts'

const compiled = new Map<string, Glob>()
const MAX_CACHED_GLOBS = 1_000

/** Checks if the whole text matches the glob. Throws a SyntaxError for an invalid glob. */
export function globMatches(glob: string, text: string): boolean {
  return compile(glob).matches(text)
}

/** Returns the glob that matches only this text. */
export const literalGlob = (text: string): string => text.replaceAll(/[\\*?[\]{},!]/g, '\\$&')

function compile(glob: string): Glob {
  const known = compiled.get(glob)
  if (known) return known
  if (compiled.size >= MAX_CACHED_GLOBS) compiled.clear()
  const made = new Glob(buildNfa(parseGlob(glob).nodes), false)
  compiled.set(glob, made)
  return made
}
