// Detects control characters and characters that render as nothing or reorder text.
import { HIDDEN_CHARACTER } from '../../src/text/escape-invisible.ts'

/** Matches one character, as a group, that the server and the command line escape. */
export const INVISIBLE_CHARACTER = new RegExp(`(${HIDDEN_CHARACTER})`, 'u')

/** The same, and line breaks and tabs. */
export const INVISIBLE_IN_NAMES = new RegExp(`(${HIDDEN_CHARACTER}|[\\n\\t])`, 'u')

/** Returns whether any text in a value contains such characters. CR LF line endings do not count. */
export function hasInvisible(value: unknown): boolean {
  if (typeof value === 'string') return INVISIBLE_CHARACTER.test(value.replaceAll('\r\n', '\n'))
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).some(([name, each]) => hasInvisible(name) || hasInvisible(each))
  )
}
