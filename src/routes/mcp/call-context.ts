// Who calls a tool over MCP: what the request says besides the tool and its arguments, and what can be told meanwhile.
import type { InputRequiredResult } from '@modelcontextprotocol/server'
import { Ajv, type ValidateFunction } from 'ajv'
import { type Static, Type } from 'typebox'
import type { CallWithStatus } from '../../engine/call.ts'
import { ToolError } from '../../errors.ts'
import { schemaErrorMessage } from '../../text/schema-errors.ts'
import type { RequestCaller } from '../auth.ts'
import { CallRequest } from '../calls.ts'
import type { ProgressUpdate } from './progress.ts'

/** Keys of `_meta` that are ours begin so. */
export const META_PREFIX = 'toolgate/'

const { tool_call_id, session_id, workspace, agent, toolset, context, timeout_ms, if_match } = CallRequest.properties

/** What a request may carry in `_meta`, each field behind `toolgate/`. */
const CallMeta = Type.Object({ tool_call_id, session_id, workspace, agent, toolset, context, timeout_ms, if_match })
export type CallMeta = Static<typeof CallMeta>

/** Whoever sent a `tools/call`. */
export interface McpCallContext {
  caller: RequestCaller
  /** Aborts when the client cancels the request. */
  signal: AbortSignal
  /** Aborts when nobody here goes on waiting, such as when the server stops: the call stays as it is. */
  disconnected: AbortSignal
  /** What `_meta` and the session say of the call. */
  meta: CallMeta
  /** It waits for a call that there is already, instead of making one. */
  joins?: boolean
  /** Where progress is wanted. */
  progress?: ((said: ProgressUpdate) => void) | undefined
  /** Where it is not, what a tool says goes to the client's log. */
  log(tool: string, message: string): void
  /** Puts the question to the person at the client; the signal withdraws it. Only who may approve is asked. */
  elicit?: ((call: CallWithStatus<'awaiting_approval'>, signal: AbortSignal) => Promise<ElicitationReply>) | undefined
}

/** Thrown by `elicit` where the question travels as the answer to the request, which the client then sends again. */
export class InputRequiredError extends Error {
  readonly result: InputRequiredResult

  constructor(answer: InputRequiredResult) {
    super('The client is asked.')
    this.result = answer
  }
}

/** What came back for a question. */
export interface ElicitationReply {
  action: 'accept' | 'decline' | 'cancel'
  content?: Record<string, unknown> | undefined
}

let validateMeta: ValidateFunction | undefined

/** The fields of ours in a request's `_meta`. */
export function parseCallMeta(meta: Record<string, unknown> | undefined): CallMeta {
  const ours = Object.entries(meta ?? {}).filter(([key]) => key.startsWith(META_PREFIX))
  if (ours.length === 0) return {}
  const given = Object.fromEntries(ours.map(([key, value]) => [key.slice(META_PREFIX.length), value]))
  validateMeta ??= new Ajv({ strict: false, verbose: true }).compile({ ...CallMeta, additionalProperties: false })
  if (validateMeta(given)) return given as CallMeta
  const [fault] = validateMeta.errors!
  const name = fault!.params.additionalProperty ?? fault!.instancePath.slice(1)
  throw new ToolError('INVALID_PARAMS', `_meta["${META_PREFIX}${name}"] ${schemaErrorMessage(fault!)}.`, {
    errors: [{ pointer: `/_meta/${META_PREFIX.replace('/', '~1')}${name}`, message: schemaErrorMessage(fault!) }]
  })
}
