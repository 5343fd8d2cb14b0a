// Calls that a list abbreviates, whole: their params can be edited.
import type { Client } from '../../src/client/client.ts'
import type { WaitingCall } from './approvals.ts'

/** Replaces abbreviated calls by whole ones; one that cannot be read stays as it is. */
export const loadWholeCalls = (client: Client, calls: readonly WaitingCall[]): Promise<WaitingCall[]> =>
  Promise.all(calls.map(call => (call.truncated ? loadWholeCall(client, call) : call)))

async function loadWholeCall(client: Client, call: WaitingCall): Promise<WaitingCall> {
  const whole = await client.get(call.tool_call_id).catch(() => call)
  return whole.status === 'awaiting_approval' ? whole : call
}
