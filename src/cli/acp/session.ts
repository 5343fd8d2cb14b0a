// A session of the agent at the server of its project.
import { setTimeout as pause } from 'node:timers/promises'
import { type Call, type CallOptions, type Client, ToolgateError } from '../../client/client.ts'
import { randomCallId } from '../../node-client/call-id.ts'
import { AcpError } from './message.ts'

export interface AcpSession {
  /** Absolute path of the folder that the agent works in. */
  cwd: string
  /** Session of the calls at the server. */
  session_id: string
  agent?: string | undefined
  /** Submits calls, without the right to approve them. */
  calls: Client
  /** Decides for the user of the editor. */
  decisions: Client
  /** Id of the session at the agent, once the agent has answered. */
  acpId: Promise<string>
}

export type EndedCall = Exclude<Call, { status: 'awaiting_approval' | 'queued' | 'running' }>

const WAIT_MS = 30_000
const RETRY_MS = 500

/** A call that the agent asks for. */
export interface AgentCall extends Pick<CallOptions, 'executor' | 'tool_call_id'> {
  tool: string
  params: Record<string, unknown>
}

/** Submits a call and waits until it has ended, through its approval and restarts of the server. `signal` cancels it. */
export async function runAgentCall(session: AcpSession, call: AgentCall, signal: AbortSignal): Promise<EndedCall> {
  const { calls, session_id, agent } = session
  const { tool, params, tool_call_id = randomCallId(), ...more } = call
  const scope = { session_id, ...(agent !== undefined && { agent }) }
  const cancel = cancelOn(signal, calls, tool_call_id)
  try {
    const submitted = await calls.call(tool, params, { ...scope, ...more, tool_call_id })
    if (signal.aborted) cancel()
    return await waitForCallEnd(calls, submitted)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** Cancels a call when the signal aborts. Returns the function that does so. */
export function cancelOn(signal: AbortSignal, calls: Client, tool_call_id: string): () => void {
  const cancel = () =>
    void calls.cancel(tool_call_id, { reason: 'The agent or the user cancelled it.' }).catch(() => {})
  signal.addEventListener('abort', cancel, { once: true })
  return cancel
}

/** Waits until a call has ended. */
export async function waitForCallEnd(calls: Client, first: Call): Promise<EndedCall> {
  for (let call = first; ; call = await getCall(calls, first.tool_call_id)) if (isEnded(call)) return call
}

async function getCall(calls: Client, id: string): Promise<Call> {
  for (;;)
    try {
      return await calls.get(id, { wait_ms: WAIT_MS })
    } catch (error) {
      // The call waits across a restart of the server.
      if (!(error instanceof ToolgateError && error.code === 'UNREACHABLE')) throw error
      await pause(RETRY_MS)
    }
}

/** Returns true if a call has a result, or will not have one. */
export const isEnded = (call: Call): call is EndedCall =>
  call.status !== 'awaiting_approval' && call.status !== 'queued' && call.status !== 'running'

/** Returns the successful call. Throws the reason for which it has no result, for the model of the agent. */
export function assertSuccess(call: EndedCall): Extract<Call, { status: 'success' }> {
  if (call.status === 'success') return call
  if (call.status === 'error') throw new AcpError(call.error.message)
  const message = 'user_message' in call && call.user_message ? ` ${call.user_message}` : ''
  throw new AcpError(`The call was ${call.status}: ${call.reason}${message}`)
}
