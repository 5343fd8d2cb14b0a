// Context of a tool call over MCP: the fields of the request besides the tool and its arguments, and channels for updates.
import type { InputRequiredResult } from '@modelcontextprotocol/server'
import { Ajv, type ValidateFunction } from 'ajv'
import { ToolError } from '../../errors.ts'
import type { CallWithStatus } from '../../protocol/calls.ts'
import { CallMeta } from '../../protocol/mcp.ts'
import { schemaErrorMessage } from '../../text/schema-errors.ts'
import type { RequestCaller } from '../auth.ts'
import type { ProgressUpdate } from './progress.ts'

/** Prefix of this server's keys in `_meta`. */
export const META_PREFIX = 'toolgate/'

/** The caller of a `tools/call`. */
export interface McpCallContext {
  caller: RequestCaller
  /** Aborts when the client cancels the request. */
  signal: AbortSignal
  /** Aborts when waiting here ends without cancelling the call, such as when the server stops. */
  disconnected: AbortSignal
  /** Fields of the call from `_meta` and the session. */
  meta: CallMeta
  /** Waits for an existing call instead of creating one. */
  joins?: boolean
  /** Set if the client wants progress. */
  progress?: ((update: ProgressUpdate) => void) | undefined
  /** Logs messages of the tool to the client if it wants no progress. */
  log(tool: string, message: string): void
  /** Asks the person at the client for a decision; the signal withdraws the question. Set only for callers that may approve. */
  elicit?: ((call: CallWithStatus<'awaiting_approval'>, signal: AbortSignal) => Promise<ElicitationReply>) | undefined
}

/** Thrown by `elicit` if the question is sent as the response to the request, which the client then repeats. */
export class InputRequiredError extends Error {
  readonly result: InputRequiredResult

  constructor(answer: InputRequiredResult) {
    super('The client is asked.')
    this.result = answer
  }
}

/** The answer to an elicitation. */
export interface ElicitationReply {
  action: 'accept' | 'decline' | 'cancel'
  content?: Record<string, unknown> | undefined
}

let validateMeta: ValidateFunction | undefined

/** Parses this server's fields in a request's `_meta`. */
export function parseCallMeta(meta: Record<string, unknown> | undefined): CallMeta {
  const ours = Object.entries(meta ?? {}).filter(([key]) => key.startsWith(META_PREFIX))
  if (ours.length === 0) return {}
  const given = Object.fromEntries(ours.map(([key, value]) => [key.slice(META_PREFIX.length), value]))
  validateMeta ??= new Ajv({ strict: false, verbose: true }).compile({ ...CallMeta, additionalProperties: false })
  if (validateMeta(given)) return given as CallMeta
  const [issue] = validateMeta.errors!
  const name = issue!.params.additionalProperty ?? issue!.instancePath.slice(1)
  throw new ToolError('INVALID_PARAMS', `_meta["${META_PREFIX}${name}"] ${schemaErrorMessage(issue!)}.`, {
    errors: [{ pointer: `/_meta/${META_PREFIX.replace('/', '~1')}${name}`, message: schemaErrorMessage(issue!) }]
  })
}
