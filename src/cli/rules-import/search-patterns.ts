// Converts regular expressions that are searched for in a command to patterns for its whole text.
import { toCommandPattern } from './matches.ts'
import { becomesNothing, type Conversion, type PolicyEffect } from './policy-entry.ts'

/** Look-around, back-references and named groups, which RE2 has not or writes otherwise. */
const UNSUPPORTED = /\(\?(?![:i]|i:)|\\[1-9kpPuxc]|\\$/

/** Repetitions within a repetition, for which some programs ignore a rule. */
const NESTED_REPETITION = /\([^)]*[*+?{].*\)[*+?{]/

/** `pattern` may begin with ^ and end with $, but not have either elsewhere. */
export function toSearchPattern(effect: PolicyEffect, pattern: string, flags = ''): Conversion {
  const start = pattern.startsWith('^') ? '' : '.*'
  const isEnded = /(?<!\\)(?:\\\\)*\$$/.test(pattern)
  const inner = pattern.slice(start === '' ? 1 : 0, isEnded ? -1 : undefined)
  const bare = inner.replaceAll(/\\[\s\S]|\[(?:\\.|[^\]])*\]/g, '')
  if (UNSUPPORTED.test(inner) || /[$^]/.test(bare) || /[^i]/.test(flags))
    return becomesNothing('has a regular expression that has no equivalent in Toolgate')
  if ((start === '' || isEnded) && hasTopLevelAlternative(bare))
    return becomesNothing('has ^ or $ in one alternative of a regular expression')
  if (effect === 'allow' && NESTED_REPETITION.test(inner))
    return becomesNothing('has a regular expression with nested repetitions')
  if (effect === 'allow' && (inner === '' || /^(?:\(\?:)?\.[*+]/.test(inner) || start !== ''))
    return becomesNothing('allows commands that begin with any text')
  const whole = `${start}(?:${inner})${isEnded ? '' : '.*'}`
  const match = toCommandPattern(flags === 'i' ? `(?i)${whole}` : whole)
  return { rules: [effect === 'allow' ? { tool: 'shell_exec', ...match } : match] }
}

function hasTopLevelAlternative(bare: string): boolean {
  let depth = 0
  for (const sign of bare) {
    if (sign === '(') depth += 1
    else if (sign === ')') depth -= 1
    else if (sign === '|' && depth === 0) return true
  }
  return false
}
