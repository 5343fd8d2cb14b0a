// Parses params from the command line: name=value, converted to the type in the tool's schema, over a JSON base.

import { isExactNumber, spellsInexactNumber } from '../text/exact-number.ts'
import { findInexactNumbers } from '../text/json-numbers.ts'
import { parseObject } from '../text/json-object.ts'
import { toJsonPointer } from '../text/json-pointer.ts'
import type { CliContext } from './context.ts'
import { didYouMean, joinHints } from './did-you-mean.ts'
import { usageError } from './exit.ts'
import { readJsonArgument } from './json-argument.ts'
import { formatSchemaType, type JsonSchema, schemaAlternatives } from './ui/format-schema-type.ts'

/** The option for JSON params. */
export const ARGS_OPTION = [
  '--args <json>',
  'parameters as JSON, @file or - for stdin; name=value arguments take precedence'
] as const

/** Reads the params of that option; none if it is not given. */
export async function readJsonParams(
  given: string | undefined,
  { runtime }: CliContext
): Promise<Record<string, unknown>> {
  if (given === undefined) return {}
  const json = await readJsonArgument(given, runtime)
  const value = parseObject(json)
  const [inexact] = value ? findInexactNumbers(json) : []
  if (inexact)
    throw usageError(
      `Invalid --args: ${toJsonPointer(inexact.path)} cannot be represented exactly as a number.`,
      'Write the number as a quoted string.'
    )
  if (value) return value
  throw usageError('Invalid --args: expected a JSON object.', `Example: --args '{"path": "a.txt"}'`)
}

export function parseParams(given: readonly string[], input: Record<string, unknown>): Record<string, unknown> {
  const { properties = {} } = input as JsonSchema
  return Object.fromEntries(
    given.map(part => {
      const cut = part.indexOf('=')
      const names = Object.keys(properties)
      if (cut <= 0)
        throw usageError(`Invalid parameter ${part}: expected name=value.`, `Parameters: ${names.join(', ')}.`)
      const name = part.slice(0, cut)
      if (!Object.hasOwn(properties, name))
        throw usageError(
          `Unknown parameter ${name}.`,
          joinHints(didYouMean(name, names), `Parameters: ${names.join(', ')}.`)
        )
      return [name, parseValue(part.slice(cut + 1), name, properties[name]!)]
    })
  )
}

/** Converts to the first matching type. Invalid text does not change, so that the server reports the error. */
function parseValue(text: string, name: string, schema: JsonSchema): unknown {
  const types = schemaAlternatives(schema).flatMap(({ type }) => type ?? [])
  const value = types.map(type => PARSERS[type]?.(text)).find(each => each !== undefined)
  if (value === undefined && types.length > 0 && types.every(type => JSON_TYPES.includes(type)))
    throw usageError(`Invalid parameter ${name}: expected JSON.`, `Type: ${formatSchemaType(schema)}.`)
  return value ?? text
}

const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  // A number that cannot be kept exactly stays a text.
  integer: text => (/^-?\d+$/.test(text) && isExactNumber(text) ? Number(text) : undefined),
  number: text => (isNumber(text) ? Number(text) : undefined),
  boolean: text => ({ true: true, false: false })[text],
  array: parseJsonContainer,
  object: parseJsonContainer
}
const isNumber = (text: string) => text !== '' && Number.isFinite(Number(text)) && !spellsInexactNumber(text)
const JSON_TYPES: readonly string[] = ['array', 'object']

function parseJsonContainer(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && findInexactNumbers(text).length === 0 ? value : undefined
  } catch {
    return undefined
  }
}
