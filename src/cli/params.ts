// Params from a command line: name=value, read by the type that the tool's schema wants, on top of JSON.
import { text } from 'node:stream/consumers'
import { readUserFile } from '../host/user-file.ts'
import type { Context } from './context.ts'
import { didYouMean, hinted } from './did-you-mean.ts'
import { usage } from './exit.ts'
import { alternatives, type Schema, typeOf } from './ui/format-schema-type.ts'

/** The option that takes JSON. */
export const ARGS = ['--args <json>', 'parameters as JSON, @file or - for stdin; name=value overrides them'] as const

/** What that option says; none where it is not given. */
export async function paramsIn(given: string | undefined, { world }: Context): Promise<Record<string, unknown>> {
  if (given === undefined) return {}
  const json = given === '-' ? await text(world.stdin) : given.startsWith('@') ? readUserFile(given.slice(1)) : given
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {}
  throw usage('Invalid --args: expected a JSON object.', `Example: --args '{"path": "a.txt"}'`)
}

export function paramsFrom(given: readonly string[], input: Record<string, unknown>): Record<string, unknown> {
  const { properties = {} } = input as Schema
  return Object.fromEntries(
    given.map(part => {
      const cut = part.indexOf('=')
      const names = Object.keys(properties)
      if (cut <= 0) throw usage(`Invalid parameter ${part}: expected name=value.`, `Parameters: ${names.join(', ')}.`)
      const name = part.slice(0, cut)
      if (!Object.hasOwn(properties, name))
        throw usage(`Unknown parameter ${name}.`, hinted(didYouMean(name, names), `Parameters: ${names.join(', ')}.`))
      return [name, readAs(part.slice(cut + 1), name, properties[name]!)]
    })
  )
}

/** As the first of its types that it can be. Text is left as it is: the server says what is wrong with it. */
function readAs(text: string, name: string, schema: Schema): unknown {
  const types = alternatives(schema).flatMap(({ type }) => type ?? [])
  const value = types.map(type => READERS[type]?.(text)).find(each => each !== undefined)
  if (value === undefined && types.length > 0 && types.every(type => AS_JSON.includes(type)))
    throw usage(`Invalid parameter ${name}: expected JSON.`, `Type: ${typeOf(schema)}.`)
  return value ?? text
}

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  integer: text => (/^-?\d+$/.test(text) ? Number(text) : undefined),
  number: text => (text !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined),
  boolean: text => ({ true: true, false: false })[text],
  array: json,
  object: json
}
const AS_JSON: readonly string[] = ['array', 'object']

function json(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
