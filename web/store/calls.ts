// Calls as events tell of them, by id: what the lists show of one. The whole call is asked for where it is opened.
import { signal } from '@preact/signals'
import type { Call, Event } from '../../src/client/client.ts'
import { withNextFrame } from './next-frame.ts'

type FileChanged = Extract<Event, { type: 'file.changed' }>

/** A call in one line. */
export interface CallLine {
  tool_call_id: string
  tool: string
  params: unknown
  session_id: string
  workspace: string
  client: string
  agent?: string
  status: Call['status']
  asked_at: string
  /** Whether somebody was asked. */
  asked: boolean
  decided_at?: string
  decision?: 'approved' | 'rejected' | 'expired' | 'cancelled'
  decided_by?: string
  ended_at?: string
  /** How long it ran. */
  ms?: number
  title?: string
  error?: string
  files: FileChanged[]
}

/** How many are kept. */
const CAPACITY = 5_000

/** Grows with every change of a call, told once a frame. */
export const callsVersion = signal(0)
const changed = withNextFrame(callsVersion)
/** Newest last. */
export const calls = new Map<string, CallLine>()

export function tellCalls(event: Event) {
  const id = event.tool_call_id
  if (id === undefined) return
  const line = event.type === 'tool.call' ? open(id, event) : calls.get(id)
  if (!line) return
  if (event.type === 'tool.decision') {
    line.decided_at = event.time
    line.decision = event.decision
    const by = (event.by as { client?: string } | undefined)?.client
    if (by !== undefined) line.decided_by = by
    if (event.decision === 'approved') line.status = 'running'
  } else if (event.type === 'tool.result') {
    line.status = event.status
    line.ended_at = event.time
    if (event.execution_time_ms !== undefined) line.ms = event.execution_time_ms
    const title = (event.result as { title?: string } | undefined)?.title
    if (title !== undefined) line.title = title
    const error = (event.error as { message?: string } | undefined)?.message ?? event.reason
    if (error !== undefined) line.error = error
  } else if (event.type === 'file.changed') line.files.push(event)
  changed()
}

function open(id: string, event: Extract<Event, { type: 'tool.call' }>): CallLine {
  const known = calls.get(id)
  const line: CallLine = known ?? {
    tool_call_id: id,
    tool: event.tool,
    params: event.params,
    session_id: event.session_id ?? 'default',
    workspace: event.workspace ?? 'default',
    client: event.client,
    status: 'queued',
    asked_at: event.time,
    asked: false,
    files: []
  }
  if (event.agent !== undefined) line.agent = event.agent
  line.params = event.params
  line.status = event.requires_approval ? 'awaiting_approval' : 'running'
  line.asked ||= event.requires_approval
  if (!known) {
    calls.set(id, line)
    if (calls.size > CAPACITY) calls.delete(calls.keys().next().value as string)
  }
  return line
}
