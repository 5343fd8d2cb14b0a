// Calls of an agent that runs beside the server: submits them, and waits until they have ended.

import { setTimeout as pause } from 'node:timers/promises'
import { type Call, type CallOptions, type Client, ToolgateError } from '../client/client.ts'
import { randomCallId } from '../node-client/call-id.ts'
import { formatRejectionMessage } from '../text/rejection-message.ts'
import { type EndedCall, hasEnded } from './ended-call.ts'
import { isDisconnected } from './reconnect.ts'

/** A session of an agent. */
export interface AgentSession {
  /** Session of the calls at the server. */
  session_id: string
  agent?: string | undefined
  /** Submits calls, without the right to approve them. */
  calls: Client
}

const WAIT_MS = 30_000
const RETRY_MS = 500

/** A call that the agent asks for. */
export interface AgentCall extends Pick<CallOptions, 'executor' | 'tool_call_id'> {
  tool: string
  params: Record<string, unknown>
}

/** Submits a call of the session. `wait_ms` as in `Client.call`. */
export function submitAgentCall(
  { calls, session_id, agent }: AgentSession,
  { tool, params, ...more }: AgentCall,
  wait: Pick<CallOptions, 'wait_ms'> = {}
): Promise<Call> {
  return calls.call(tool, params, { session_id, ...(agent !== undefined && { agent }), ...more, ...wait })
}

/** Submits a call and waits until it has ended, through its approval and restarts of the server. `signal` cancels it. */
export async function runAgentCall(session: AgentSession, call: AgentCall, signal: AbortSignal): Promise<EndedCall> {
  const { calls } = session
  const { tool_call_id = randomCallId() } = call
  const cancel = cancelOn(signal, calls, tool_call_id)
  try {
    const submitted = await submitAgentCall(session, { ...call, tool_call_id })
    if (signal.aborted) cancel()
    return await waitForCallEnd(calls, submitted)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/**
 * Decides on a call that the agent executes. Returns undefined if the server cannot evaluate it, such as a read outside the workspace or
 * an edit that does not apply here: the agent may execute it all the same, so it has to be decided in another way.
 */
export async function decideOnEquivalent(
  session: AgentSession,
  call: AgentCall,
  signal: AbortSignal
): Promise<EndedCall | undefined> {
  try {
    const decided = await runAgentCall(session, { ...call, executor: 'client' }, signal)
    return decided.status === 'error' && NOT_EVALUATED.has(decided.error.code) ? undefined : decided
  } catch (error) {
    if (error instanceof ToolgateError && NOT_EVALUATED.has(error.code)) return undefined
    throw error
  }
}

/** Codes of errors in a call. All other errors, such as PERMISSION_DENIED, prevent that the agent executes it. */
const NOT_EVALUATED: ReadonlySet<string> = new Set([
  'INVALID_PARAMS',
  'INVALID_PATH',
  'FILE_NOT_FOUND',
  'FILE_EXISTS',
  'NOT_A_FILE',
  'NOT_A_DIRECTORY',
  'BINARY_FILE',
  'TOO_LARGE',
  'OLD_TEXT_NOT_FOUND',
  'AMBIGUOUS_MATCH',
  'STALE_FILE'
])

/** Cancels a call when the signal aborts. Returns the function that does so. */
export function cancelOn(signal: AbortSignal, calls: Client, tool_call_id: string): () => void {
  const cancel = () =>
    void calls.cancel(tool_call_id, { reason: 'The agent or the user cancelled it.' }).catch(() => {})
  signal.addEventListener('abort', cancel, { once: true })
  return cancel
}

/** Waits until a call has ended. */
export async function waitForCallEnd(calls: Client, first: Call): Promise<EndedCall> {
  for (let call = first; ; call = await getCall(calls, first.tool_call_id)) if (hasEnded(call)) return call
}

async function getCall(calls: Client, id: string): Promise<Call> {
  for (;;)
    try {
      return await calls.get(id, { wait_ms: WAIT_MS })
    } catch (error) {
      // The call waits across a restart of the server.
      if (!isDisconnected(error)) throw error
      await pause(RETRY_MS)
    }
}

/** Returns the message for the model of a call without a result. */
export function formatRefusal(call: Exclude<EndedCall, { status: 'success' }>): string {
  if (call.status === 'error') return call.error.message
  const message = call.status === 'rejected' ? formatRejectionMessage(call) : undefined
  return `The call was ${call.status}: ${call.reason}${message === undefined ? '' : ` ${message}`}`
}
