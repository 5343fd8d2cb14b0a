// A session of the agent at the server of its project.
import type { Client } from '../../client/client.ts'
import { type AgentSession, formatRefusal } from '../agent-calls.ts'
import type { EndedCall } from '../ended-call.ts'
import { AcpError } from './message.ts'

export interface AcpSession extends AgentSession {
  /** Absolute path of the folder that the agent works in. */
  cwd: string
  /** Decides for the user of the editor. */
  decisions: Client
  /** Id of the session at the agent, once the agent has answered. */
  acpId: Promise<string>
}

/** Returns the successful call. Throws the reason for which it has no result, for the model of the agent. */
export function assertSuccess(call: EndedCall): Extract<EndedCall, { status: 'success' }> {
  if (call.status === 'success') return call
  throw new AcpError(formatRefusal(call))
}
