// Outcomes of calls in words for the model that made them.
import type { SerializedCall } from '../../engine/calls.ts'
import type { MessageOutcome } from '../../engine/message-calls.ts'
import { describeError } from '../../errors.ts'
import { type Call, type CallResult, isSettled, type SettledCall } from '../../protocol/calls.ts'
import type { ToolMessages } from '../../protocol/tool-calls.ts'
import { describeCallEnd, describeCallError } from '../call-failure.ts'
import type { ProblemRedactor } from '../http/problem.ts'

export interface ToolAnswer {
  /** Given by the model's API. */
  id: string
  text: string
  attachments: CallResult['attachments']
  /** It is not the result that the model wanted. */
  failed: boolean
  /** The call can be waited for. */
  pending: boolean
  state: ToolMessages['calls'][number]
}

export function toToolAnswer(outcome: MessageOutcome<SerializedCall>, masking: ProblemRedactor): ToolAnswer {
  const { id } = outcome
  if ('error' in outcome) {
    const error = masking.maskValue(describeError(outcome.error))
    const state = { id, status: 'refused' as const, code: error.code }
    return { ...failure(id, describeCallError(error)), pending: false, state }
  }
  if ('waits_for' in outcome)
    return {
      ...failure(id, `This call has not run: it waits for ${outcome.waits_for}, which has not ended. ${ADVICE}`),
      pending: true,
      state: { id, status: 'not_started' }
    }
  const call = JSON.parse(outcome.json) as Call
  return isSettled(call) ? toFinalAnswer(id, call) : toInterimAnswer(id, call)
}

const SHORTENED =
  '[This result is shortened, and large attachments are omitted, because the results of all calls together are too ' +
  'large. Repeat this call without other calls.]'
const ADVICE = 'Do not repeat the call.'

const failure = (id: string, text: string) => ({ id, text, attachments: [], failed: true })

function toFinalAnswer(id: string, call: SettledCall): ToolAnswer {
  const { tool_call_id, status } = call
  const base = { pending: false, state: { id, tool_call_id, status } }
  if (status === 'success') {
    const { content, attachments } = call.result
    const text = call.truncated ? `${content}\n${SHORTENED}` : content
    return { ...base, id, text, attachments, failed: false }
  }
  if (status !== 'error') return { ...base, ...failure(id, describeCallEnd(call)) }
  return { ...base, ...failure(id, describeCallError(call.error)), state: { ...base.state, code: call.error.code } }
}

function toInterimAnswer(id: string, call: Exclude<Call, SettledCall>): ToolAnswer {
  const { tool_call_id, status, background } = call
  const state = { id, tool_call_id, status }
  if (background) {
    const text = `The call continues in the background as task ${tool_call_id}. This message does not include its result.`
    return { id, text, attachments: [], failed: false, pending: false, state }
  }
  const text =
    status === 'awaiting_approval'
      ? `This call has not run: it waits for approval (${tool_call_id}). ${call.approval.reason} ${ADVICE}`
      : `This call has not ended: it is ${status} (${tool_call_id}). ${ADVICE}`
  return { ...failure(id, text), pending: true, state }
}
