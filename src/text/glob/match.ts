// Globs of rules and tool sets: always for the whole text, never for a name at any depth.
import { Glob } from './glob.ts'
import { buildNfa } from './nfa.ts'
import { parseGlob } from './parse.ts'

const compiled = new Map<string, Glob>()
const MAX_CACHED_GLOBS = 1_000

/** Whether the whole text matches the glob. Throws a SyntaxError where the glob is none. */
export function globMatches(glob: string, text: string): boolean {
  return compile(glob).matches(text)
}

/** The glob that matches this text and nothing else. */
export const literalGlob = (text: string): string => text.replaceAll(/[\\*?[\]{},!]/g, '\\$&')

function compile(glob: string): Glob {
  const known = compiled.get(glob)
  if (known) return known
  if (compiled.size >= MAX_CACHED_GLOBS) compiled.clear()
  const made = new Glob(buildNfa(parseGlob(glob).nodes), false)
  compiled.set(glob, made)
  return made
}
