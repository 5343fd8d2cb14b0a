// Patterns of rules: RE2 syntax, matched against a whole text, in time linear in the text for any pattern.
import type { RE2JS } from 're2js'

type Engine = typeof RE2JS

/**
 * Handling of line feeds by `.`. In an allow rule, a pattern must not match beyond the line that its author had in mind; in an
 * ask or deny rule, it must not be possible to evade it by a line feed.
 */
type DotMode = 'line' | 'text'

/** Longer texts are not matched. */
export const MAX_PATTERN_TEXT_LENGTH = 65_536

let engine: Engine | undefined
const compiled = new Map<string, RE2JS>()
const MAX_CACHED_PATTERNS = 500

/** Loads the pattern engine, which the functions below require. Few servers have a rule with a pattern. */
export async function loadPatternEngine(): Promise<void> {
  engine ??= (await import('re2js')).RE2JS
}

/** Checks if the whole text matches. Returns undefined if the text is too long. */
export function patternMatches(pattern: string, text: string, reach: DotMode): boolean | undefined {
  return text.length > MAX_PATTERN_TEXT_LENGTH ? undefined : compile(pattern, reach).testExact(text)
}

/** Returns the syntax error of a pattern, in one sentence. */
export function patternError(pattern: string): string | undefined {
  try {
    compile(pattern, 'line')
    return undefined
  } catch (error) {
    const what = (error as Error).message.replace(/^error parsing regexp: /, '')
    return `${what}. Patterns use RE2 syntax: no look-around, no back-references`
  }
}

function compile(pattern: string, reach: DotMode): RE2JS {
  const key = `${reach} ${pattern}`
  const known = compiled.get(key)
  if (known) return known
  if (compiled.size >= MAX_CACHED_PATTERNS) compiled.clear()
  const made = engine!.compile(pattern, reach === 'text' ? engine!.DOTALL : 0)
  compiled.set(key, made)
  return made
}
