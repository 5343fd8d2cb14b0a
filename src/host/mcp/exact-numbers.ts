// Numbers that JavaScript cannot hold, on their way to and from MCP servers. Ids of 19 digits are common. They travel as texts here, and
// as numbers between us and the server.
import type { ErrorObject } from 'ajv'
import { spellsInexactNumber } from '../../text/exact-number.ts'
import { findInexactNumbers, quoteNumbers } from '../../text/json-numbers.ts'
import { parseJsonPointer, toJsonPointer } from '../../text/json-pointer.ts'
import type { SchemaValidator } from './schema-validator.ts'

/** Begins a text that was a number. */
const MARK = '\u0000number:'

/** Makes texts of those numbers in the structured content of a response that parsing would change. Takes and returns JSON. */
export function markInexactNumbers(message: string): string {
  if (!message.includes('"structuredContent"')) return message
  const inResult = findInexactNumbers(message).filter(
    ({ path: [top, member] }) => top === 'result' && member === 'structuredContent'
  )
  return quoteNumbers(message, inResult, source => JSON.stringify(`${MARK}${source}`))
}

/** Structured content with numbers that were marked. */
interface MarkedContent {
  /** With the digits of such numbers as texts. */
  exact: unknown
  /** With such numbers as numbers, as a schema expects them. */
  rounded: unknown
  /** Pointers to such numbers. */
  pointers: string[]
}

export function readMarkedNumbers(content: unknown): MarkedContent {
  const pointers: string[] = []
  const convert = (
    value: unknown,
    path: readonly string[],
    make: (source: string, path: readonly string[]) => unknown
  ): unknown => {
    if (typeof value === 'string') return value.startsWith(MARK) ? make(value.slice(MARK.length), path) : value
    if (Array.isArray(value)) return value.map((item, i) => convert(item, [...path, String(i)], make))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, convert(item, [...path, name], make)]))
  }
  const exact = convert(content, [], (source, path) => {
    pointers.push(toJsonPointer(path))
    return source
  })
  return { exact, rounded: pointers.length === 0 ? exact : convert(content, [], Number), pointers }
}

/** Validates arguments in which a text may spell a number that only a text can hold. */
export function validateArguments(validator: SchemaValidator, args: unknown): ErrorObject[] {
  const errors = validator.validate(args) ?? []
  const spelled = findSpelledNumbers(errors, args)
  return spelled.length === 0 ? errors : (validator.validate(replaceTexts(args, spelled, Number)) ?? [])
}

/** Returns arguments that are written as JSON with the exact digits, where the schema wants a number and a text spells one. */
export function toExactArguments<T>(validator: SchemaValidator, args: T): T {
  const spelled = findSpelledNumbers(validator.validate(args) ?? [], args)
  return spelled.length === 0 ? args : (replaceTexts(args, spelled, rawJson) as T)
}

const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): object }

/** Spellings of the numbers of a type. */
const SPELLINGS: Readonly<Record<string, RegExp>> = { integer: /^-?\d+$/, number: /./ }

/** Finds the pointers to texts where a number is wanted. */
function findSpelledNumbers(errors: readonly ErrorObject[], args: unknown): string[] {
  return errors.flatMap(({ keyword, params, instancePath }) => {
    const wanted = keyword === 'type' ? [params.type].flat().join().split(',') : []
    const value = wanted.length > 0 ? valueAt(args, instancePath) : undefined
    if (typeof value !== 'string' || !spellsInexactNumber(value)) return []
    return wanted.some(type => SPELLINGS[type]?.test(value)) ? [instancePath] : []
  })
}

const valueAt = (value: unknown, pointer: string): unknown =>
  parseJsonPointer(pointer).reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], value)

function replaceTexts(args: unknown, pointers: readonly string[], make: (text: string) => unknown): unknown {
  const copy = structuredClone(args)
  for (const pointer of pointers) {
    const names = parseJsonPointer(pointer)
    const parent = names.slice(0, -1).reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], copy)
    const holder = parent as Record<string, unknown>
    const name = names.at(-1)!
    // An alternative of a schema may report the same place again.
    if (typeof holder[name] === 'string') holder[name] = make(holder[name])
  }
  return copy
}
