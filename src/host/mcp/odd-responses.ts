// Responses that are not quite of the protocol. The library refuses a whole response for one odd field, and the call or the server
// with it. So it is given responses whose content it need not check, and what the server sent is read here, piece by piece.
import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { isObject } from '../../text/json-object.ts'

/** Key under which the library hands through the result of a call as it was sent. */
const RAW_RESULT = 'toolgate/result'
const INTERNAL_ERROR = -32_603
const MAX_ERROR_CHARACTERS = 2_000

type Response = Record<string, unknown> & { id: string | number }

/** Returns the result of a call as the server sent it. */
export const rawResultOf = (result: { _meta?: Record<string, unknown> | undefined }): Record<string, unknown> =>
  result._meta![RAW_RESULT] as Record<string, unknown>

/** Options for reading a response. */
interface ReadingOptions {
  /** The method of the request. */
  method: string | undefined
  /** The session speaks a revision of the protocol whose results name their type. */
  namesResultTypes: boolean
  /** Receives each page of the list of tools. */
  onTools(tools: readonly unknown[]): void
}

/** Returns a response that the library accepts. A response that cannot be read becomes an error response. */
export function toReadableResponse(response: Response, options: ReadingOptions): JSONRPCMessage {
  const { id, result, error } = response
  const failed = (code: unknown, message: string): JSONRPCMessage => ({
    jsonrpc: '2.0',
    id,
    error: {
      code: Number.isInteger(code) ? (code as number) : INTERNAL_ERROR,
      message: message.slice(0, MAX_ERROR_CHARACTERS)
    }
  })
  if (error !== undefined && error !== null) {
    if (!isObject(error)) return failed(undefined, textOf(error))
    if (Number.isInteger(error.code) && typeof error.message === 'string') return response as JSONRPCMessage
    return failed(error.code, textOf(error.message ?? error))
  }
  if (result === undefined)
    return failed(undefined, 'The response of the MCP server has neither a result nor an error.')
  const read = READERS[options.method ?? '']
  if (!read) return response as JSONRPCMessage
  if (!isObject(result))
    return failed(undefined, `The result of the MCP server is ${kindOf(result)} instead of an object.`)
  const readable = read(result, options)
  return typeof readable === 'string'
    ? failed(undefined, readable)
    : ({ jsonrpc: '2.0', id, result: readable } as JSONRPCMessage)
}

type Result = Record<string, unknown>

/** Readers by method: return a result, or the reason why there is none. */
const READERS: Readonly<Record<string, (result: Result, options: ReadingOptions) => Result | string>> = {
  'tools/call'(result, { namesResultTypes }) {
    const { resultType = 'complete' } = result
    // The library asks what such a result requires.
    if (namesResultTypes && resultType !== 'complete' && typeof resultType === 'string') return result
    return { ...(namesResultTypes && { resultType: 'complete' }), content: [], _meta: { [RAW_RESULT]: result } }
  },
  'tools/list'(result, { namesResultTypes, onTools }) {
    const { tools, nextCursor, _meta, ...rest } = result
    if (!Array.isArray(tools)) return 'The response of the MCP server has no list of tools.'
    onTools(tools)
    return {
      ...(namesResultTypes && { resultType: 'complete' }),
      ...rest,
      ...(typeof nextCursor === 'string' && { nextCursor }),
      ...(isObject(_meta) && { _meta }),
      tools: []
    }
  }
}

export const kindOf = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'an array'
      : typeof value === 'object'
        ? 'an object'
        : `a ${typeof value}`

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
