// Unambiguous JSON of bodies and of what models write: UTF-8, no duplicate keys, no keys that reach a prototype, no numbers that would be
// rounded, bounded depth and width. Costs about a microsecond for a small body, since nearly every request passes here.
import { isUtf8 } from 'node:buffer'
import { ToolError } from '../../errors.ts'
import type { FieldError } from '../../protocol/problem.ts'
import { findInexactNumbers } from '../../text/json-numbers.ts'
import { toJsonPointer } from '../../text/json-pointer.ts'

const MAX_DEPTH = 64
const MAX_KEYS = 10_000
const MAX_LISTED_NUMBERS = 20
const MAX_SHOWN_DIGITS = 40

/** Receives the places of all numbers that would be rounded. */
type OnInexact = (errors: FieldError[]) => void

/** Parses a body; an empty one is undefined. Numbers that would be rounded are refused, unless `onInexact` takes them. */
export const parseJsonBody = (bytes: Buffer, onInexact?: OnInexact): unknown =>
  bytes.length === 0 ? undefined : parseUnambiguousJson(bytes, 'The body', onInexact)

/** Parses JSON; errors begin with the subject, such as `The body`. */
export function parseUnambiguousJson(bytes: Buffer, subject: string, onInexact: OnInexact = refuseInexact): unknown {
  try {
    return parseChecked(bytes, onInexact)
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error
    const { message, errors, cause } = error
    const where = errors?.[0]?.pointer || subject
    throw new ToolError('INVALID_PARAMS', `${where} ${message}.`, errors && { errors }, { cause })
  }
}

/** A fault as the end of a sentence about the JSON, or about the first field of `errors`. */
class JsonFault extends Error {
  readonly errors: FieldError[] | undefined

  constructor(problem: string, { errors, ...options }: ErrorOptions & { errors?: FieldError[] } = {}) {
    super(problem, options)
    this.errors = errors
  }
}

function parseChecked(bytes: Buffer, onInexact: OnInexact): unknown {
  if (!isUtf8(bytes)) throw new JsonFault('is not UTF-8')
  // Check the depth first: parsing and walking may then recurse.
  const written = countWrittenKeys(bytes)
  if (written > MAX_KEYS) throw new JsonFault(`has more than ${MAX_KEYS} keys`)
  const text = bytes.toString('utf8')
  const value = parseJson(text)
  // An object keeps one value per key, so a lower count after parsing means duplicates.
  if (countParsedKeys(value) !== written) throw new JsonFault('has an object with a duplicate key')
  const inexact = findInexactNumbers(text).map(({ path, source }) => ({
    pointer: toJsonPointer(path),
    message: `cannot be represented exactly as a number: ${shorten(source)}. Send the number as a string`
  }))
  if (inexact.length > 0) onInexact(inexact)
  return value
}

/** Refuses a text whose call would run with another number than was sent. */
function refuseInexact(errors: FieldError[]) {
  throw new JsonFault(errors[0]!.message, { errors: errors.slice(0, MAX_LISTED_NUMBERS) })
}

const shorten = (source: string) =>
  source.length > MAX_SHOWN_DIGITS ? `${source.slice(0, MAX_SHOWN_DIGITS)}…` : source

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a

/** Counts keys by their colons outside strings, and rejects excessive nesting. Correct only for valid JSON. */
function countWrittenKeys(bytes: Buffer): number {
  let keys = 0
  let depth = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!
    if (byte === QUOTE) i = endOfString(bytes, i + 1)
    else if (byte === COLON) keys++
    else if ((byte | 0x20) === 0x7b) {
      if (++depth > MAX_DEPTH) throw new JsonFault(`is nested more than ${MAX_DEPTH} levels deep`)
    } else if ((byte | 0x20) === 0x7d) depth--
  }
  return keys
}

function endOfString(bytes: Buffer, start: number): number {
  for (let i = start; i < bytes.length; i++) {
    const byte = bytes[i]!
    if (byte === BACKSLASH) i++
    else if (byte === QUOTE) return i
  }
  return bytes.length
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new JsonFault(`is not valid JSON: ${describePosition(cause)}`, { cause })
  }
}

/** The parser's message quotes the text; only the position is passed on. */
const describePosition = (cause: unknown) =>
  /at position \d+ \(line \d+ column \d+\)/.exec(String(cause))?.[0].replace(/^at/, 'see') ?? 'unexpected end'

function countParsedKeys(value: unknown): number {
  if (typeof value === 'string' && !value.isWellFormed()) throw new JsonFault('has an unpaired surrogate in a string')
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countParsedKeys(item), 0)
  let keys = 0
  for (const [key, item] of Object.entries(value)) {
    if (reachesPrototype(key, item)) throw new JsonFault(`has the key ${key}, which is not allowed`)
    if (!key.isWellFormed()) throw new JsonFault('has an unpaired surrogate in a key')
    keys += 1 + countParsedKeys(item)
  }
  return keys
}

const reachesPrototype = (key: string, value: unknown) =>
  key === '__proto__' ||
  (key === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype'))
