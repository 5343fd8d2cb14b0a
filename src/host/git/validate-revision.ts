// Validates revisions and references given by callers. Git takes some for options even after an end-of-options marker, so those
// that could be options are refused.
import { invalidParam } from '../../errors.ts'
import { hasControlCharacters } from '../../text/escape-invisible.ts'

const MAX_REVISION_CHARACTERS = 1_024

/** Returns the revision if git can take it only for a name; `param` is the parameter that holds it. */
export function validateRevision(word: string, param: string): string {
  if (word === '') throw invalidParam(param, 'is empty; use a revision such as HEAD, main~2, v1.0 or abc123.')
  if (word.startsWith('-'))
    throw invalidParam(param, 'begins with a dash like an option; use a revision such as HEAD or main~2.')
  if (hasControlCharacters(word)) throw invalidParam(param, 'has control characters.')
  if (!word.isWellFormed()) throw invalidParam(param, 'is not valid Unicode.')
  if (word.length > MAX_REVISION_CHARACTERS)
    throw invalidParam(param, `is longer than ${MAX_REVISION_CHARACTERS} characters.`)
  return word
}
