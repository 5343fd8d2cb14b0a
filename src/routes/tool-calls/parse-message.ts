// Reads the calls of a model's message. What the API made is checked strictly; what the model wrote may be wrong in any way.
import type { ModelCall } from '../../engine/message-calls.ts'
import { ToolError } from '../../errors.ts'
import { MAX_BATCH_SIZE } from '../../protocol/call-requests.ts'
import type { FieldError } from '../../protocol/problem.ts'
import type { ToolCallFormat } from '../../protocol/tool-calls.ts'
import { isObject } from '../../text/json-object.ts'
import { parseUnambiguousJson } from '../http/json-body.ts'
import { compileRequestValidator } from '../http/validator-compiler.ts'
import { MESSAGE_FORMATS, type MessageFormat, type WrittenCall } from './message-formats.ts'

const MAX_LISTED_NUMBERS = 20

/** A call whose arguments are not params. */
export interface RefusedCall {
  id: string
  error: ToolError
}

/** Returns the calls of a message in its order. Throws INVALID_PARAMS if it is not in the format. */
export function parseMessage(
  format: ToolCallFormat,
  body: unknown,
  inexactNumbers: readonly FieldError[] = []
): (ModelCall | RefusedCall)[] {
  const { message, list, call, read }: MessageFormat = MESSAGE_FORMATS[format]
  assertMatches(message(body), body, '')
  const { pointer, items, type } = list(body as never)
  const places = items.flatMap((item, index) => (type === undefined || item.type === type ? [{ item, index }] : []))
  if (places.length > MAX_BATCH_SIZE)
    throw invalidField(pointer, `must have at most ${MAX_BATCH_SIZE} calls: it has ${places.length}`)
  const depth = pointer.split('/').length + 1
  const inexactByPlace = Map.groupBy(inexactNumbers, error => error.pointer.split('/', depth).join('/'))
  const seen = new Set<string>()
  return places.map(({ item, index }) => {
    const place = `${pointer}/${index}`
    assertMatches(call, item, place)
    const written = read(item as never)
    if (seen.has(written.id)) throw invalidField(place, 'repeats the id of an earlier call')
    seen.add(written.id)
    const inexact = inexactByPlace.get(place)
    return inexact ? refuseNumbers(written, place, inexact) : toModelCall(written)
  })
}

function assertMatches(schema: object, value: unknown, pointer: string) {
  const check = compileRequestValidator({ schema, httpPart: 'body', method: 'POST', url: '/tool-calls' })
  if (check(value)) return
  const validation = check.errors!.map(error => ({ ...error, instancePath: `${pointer}${error.instancePath}` }))
  // The error handler describes it as it describes other bodies that do not match their schemas.
  throw Object.assign(new Error('The message is invalid.'), { validation, validationContext: 'body' })
}

const invalidField = (pointer: string, message: string) =>
  new ToolError('INVALID_PARAMS', `${pointer || 'The body'} ${message}.`, { errors: [{ pointer, message }] })

function toModelCall({ id, name, args }: WrittenCall): ModelCall | RefusedCall {
  try {
    return { id, tool: name, params: parseArguments(args) }
  } catch (error) {
    if (error instanceof ToolError) return { id, error }
    throw error
  }
}

/** Refuses a call whose arguments are an object with numbers that were rounded. */
function refuseNumbers({ id }: WrittenCall, place: string, inexact: readonly FieldError[]): RefusedCall {
  const errors = inexact
    .slice(0, MAX_LISTED_NUMBERS)
    .map(({ pointer, message }) => ({ pointer: pointer.slice(place.length), message }))
  const [{ pointer, message }] = errors as [FieldError]
  return { id, error: new ToolError('INVALID_PARAMS', `${pointer} ${message}.`, { errors }) }
}

/** Returns the params. Models write nothing for a tool without params. */
function parseArguments(args: unknown): Record<string, unknown> {
  const value = typeof args !== 'string' ? args : args.trim() === '' ? {} : parseText(args)
  if (isObject(value)) return value
  throw new ToolError(
    'INVALID_PARAMS',
    'The arguments of the call are not a JSON object. Repeat the call with a JSON object.'
  )
}

const parseText = (text: string) => parseUnambiguousJson(Buffer.from(text), 'The text of the arguments')
