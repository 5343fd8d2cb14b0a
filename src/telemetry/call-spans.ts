// The spans of a call that has ended, by the semantic conventions for generative AI: one of the call, and one for each phase that it
// went through. They say nothing of its params, its result and its paths.
import type { SettledCall } from '../protocol/calls.ts'

type Phase = 'waiting' | 'queued' | 'running'

/** A period in milliseconds since the epoch. */
interface Period {
  start: number
  end: number
}

export interface PhaseSpan extends Period {
  name: Phase
}

export interface CallSpan extends Period {
  name: string
  attributes: Record<string, string>
  isError: boolean
  phases: PhaseSpan[]
}

/** Describes a call that has ended. */
export function toCallSpan(call: SettledCall): CallSpan {
  const phases = toPhases(call)
  const ends = [Date.parse(call.finished_at), ...phases.map(({ end }) => end)]
  return {
    name: `execute_tool ${call.tool}`,
    start: Date.parse(call.created_at),
    end: Math.max(...ends),
    attributes: toAttributes(call),
    isError: call.status !== 'success',
    phases
  }
}

/**
 * Returns the phases in their order. Where the call was shown again because its preview had changed, `waiting` lasts until the last
 * decision.
 */
function toPhases(call: SettledCall): PhaseSpan[] {
  const { created_at, finished_at, started_at, approval, approved_by, execution_time_ms } = call
  const created = Date.parse(created_at)
  const finished = Date.parse(finished_at)
  const decidedAt = approved_by?.at ?? ('rejected_by' in call ? call.rejected_by.at : finished_at)
  const decided = approval ? Date.parse(decidedAt) : created
  const started = started_at === undefined ? finished : Date.parse(started_at)
  const phases: PhaseSpan[] = []
  if (approval) phases.push({ name: 'waiting', start: created, end: decided })
  if (approved_by) phases.push({ name: 'queued', start: decided, end: Math.max(decided, started) })
  if (started_at !== undefined)
    phases.push({ name: 'running', start: started, end: started + (execution_time_ms ?? finished - started) })
  return phases
}

function toAttributes(call: SettledCall): CallSpan['attributes'] {
  const { tool, tool_call_id, agent, session_id, workspace, client, status, approval } = call
  const { source } = ('rejected_by' in call ? call.rejected_by : call.approved_by) ?? {}
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': tool,
    'gen_ai.tool.call.id': tool_call_id,
    'gen_ai.tool.type': 'function',
    ...(agent !== undefined && { 'gen_ai.agent.name': agent }),
    ...(status !== 'success' && { 'error.type': status === 'error' ? call.error.code : status }),
    'toolgate.session.id': session_id,
    'toolgate.workspace': workspace,
    'toolgate.client': client,
    'toolgate.status': status,
    ...(source !== undefined && { 'toolgate.decision.source': source }),
    ...(approval && { 'toolgate.approval.level': approval.level })
  }
}
