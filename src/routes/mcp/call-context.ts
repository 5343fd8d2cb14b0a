// Who calls a tool over MCP: what the request says besides the tool and its arguments, and what can be told meanwhile.
import type { InputRequiredResult } from '@modelcontextprotocol/server'
import { Ajv, type ValidateFunction } from 'ajv'
import { type Static, Type } from 'typebox'
import type { CallWith } from '../../engine/call.ts'
import { ToolError } from '../../errors.ts'
import { faultWords } from '../../text/schema-errors.ts'
import type { Caller } from '../auth.ts'
import { CallRequest } from '../calls.ts'
import type { Said } from './progress.ts'

/** Keys of `_meta` that are ours begin so. */
export const META = 'toolgate/'

const { tool_call_id, session_id, workspace, agent, toolset, context, timeout_ms, if_match } = CallRequest.properties

/** What a request may carry in `_meta`, each field behind `toolgate/`. */
const CallMeta = Type.Object({ tool_call_id, session_id, workspace, agent, toolset, context, timeout_ms, if_match })
export type CallMeta = Static<typeof CallMeta>

/** Whoever sent a `tools/call`. */
export interface Asker {
  caller: Caller
  /** Aborts when the client cancels the request. */
  signal: AbortSignal
  /** Aborts when nobody here goes on waiting, such as when the server stops: the call stays as it is. */
  left: AbortSignal
  /** What `_meta` and the session say of the call. */
  meta: CallMeta
  /** It waits for a call that there is already, instead of making one. */
  joins?: boolean
  /** Where progress is wanted. */
  progress?: ((said: Said) => void) | undefined
  /** Where it is not, what a tool says goes to the client's log. */
  log(tool: string, message: string): void
  /** Puts the question to the person at the client; the signal withdraws it. Only who may approve is asked. */
  ask?: ((call: CallWith<'awaiting_approval'>, signal: AbortSignal) => Promise<Reply>) | undefined
}

/** Thrown by `ask` where the question travels as the answer to the request, which the client then sends again. */
export class AskedByAnswer extends Error {
  readonly answer: InputRequiredResult

  constructor(answer: InputRequiredResult) {
    super('The client is asked.')
    this.answer = answer
  }
}

/** What came back for a question. */
export interface Reply {
  action: 'accept' | 'decline' | 'cancel'
  content?: Record<string, unknown> | undefined
}

let check: ValidateFunction | undefined

/** The fields of ours in a request's `_meta`. */
export function callMeta(meta: Record<string, unknown> | undefined): CallMeta {
  const ours = Object.entries(meta ?? {}).filter(([key]) => key.startsWith(META))
  if (ours.length === 0) return {}
  const given = Object.fromEntries(ours.map(([key, value]) => [key.slice(META.length), value]))
  check ??= new Ajv({ strict: false, verbose: true }).compile({ ...CallMeta, additionalProperties: false })
  if (check(given)) return given as CallMeta
  const [fault] = check.errors!
  const name = fault!.params.additionalProperty ?? fault!.instancePath.slice(1)
  throw new ToolError('INVALID_PARAMS', `_meta["${META}${name}"] ${faultWords(fault!)}.`, {
    errors: [{ pointer: `/_meta/${META.replace('/', '~1')}${name}`, message: faultWords(fault!) }]
  })
}
