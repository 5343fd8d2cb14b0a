// Patterns of rules: the syntax of RE2, held against a whole text, in time that grows with the text and not with what the
// pattern makes of it.
import type { RE2JS } from 're2js'

type Engine = typeof RE2JS

/** How `.` takes a line feed. To allow, a pattern must not reach past the line that its author had in mind; to ask or deny,
 * nobody must get around it by one. */
export type DotMode = 'line' | 'text'

/** A longer text is not held against patterns. */
export const MAX_PATTERN_TEXT_LENGTH = 65_536

let engine: Engine | undefined
const compiled = new Map<string, RE2JS>()
const MAX_CACHED_PATTERNS = 500

/** Loads what reads patterns; the functions below need it. Few servers have a rule with a pattern. */
export async function loadPatternEngine(): Promise<void> {
  engine ??= (await import('re2js')).RE2JS
}

/** Whether the whole text matches. Undefined where the text is too long to be tried. */
export function patternMatches(pattern: string, text: string, reach: DotMode): boolean | undefined {
  return text.length > MAX_PATTERN_TEXT_LENGTH ? undefined : compile(pattern, reach).testExact(text)
}

/** Why the pattern cannot be read, in one sentence. */
export function patternError(pattern: string): string | undefined {
  try {
    compile(pattern, 'line')
    return undefined
  } catch (error) {
    const what = (error as Error).message.replace(/^error parsing regexp: /, '')
    return `${what}. A pattern is written as RE2 has it: no look-around, no back-references`
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
