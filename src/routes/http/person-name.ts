// Names of people, as records of decisions show them.
import { ToolError } from '../../errors.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'

/** Names by which decisions show who or what made them, besides persons. */
const RESERVED_NAMES: readonly string[] = [
  'server',
  'toolgate',
  'system',
  'policy',
  'rule',
  'config',
  'configuration',
  'hook',
  'auto'
]

/** Returns the name of a person, without surrounding white space. Throws INVALID_PARAMS if it could be taken for something else. */
export function toPersonName(given: string): string {
  const name = given.trim()
  if (hasHiddenCharacter(name))
    throw invalidName(
      'must not contain control characters, invisible characters or characters that change the text direction'
    )
  // Looks like plain letters where it is written in full-width or styled ones.
  if (RESERVED_NAMES.includes(name.normalize('NFKC').toLowerCase()))
    throw invalidName(`must be the name of a person; ${name} is a reserved word`)
  return name
}

const hasHiddenCharacter = (text: string) => text !== escapeInvisible(text) || /[\n\t]/.test(text)

const invalidName = (message: string) =>
  new ToolError('INVALID_PARAMS', `/name ${message}.`, { errors: [{ pointer: '/name', message }] })
