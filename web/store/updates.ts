// Applies updates to all parts of the store: an event, with the data fetched for it.
import type { Client, Event, Job, SessionModeList, State } from '../../src/client/client.ts'
import {
  applyApprovalEvent,
  applyPastApprovalEvent,
  approvals,
  syncPending,
  upsertPending,
  type WaitingCall
} from './approvals.ts'
import { instance } from './connection.ts'
import { eventRing } from './event-ring.ts'
import { applyJobEvent, jobs, putJobs } from './jobs.ts'
import { modes, putModes } from './modes.ts'
import { applySessionEvent, sessions } from './sessions.ts'
import { loadWholeCalls } from './whole-calls.ts'

type StoreSnapshot = Pick<State, 'instance' | 'journal_id' | 'head' | 'jobs'> & {
  pending: WaitingCall[]
  sessions?: State['sessions']
}

/** An event and the data needed to apply it. It can be sent between tabs. */
export interface StoreUpdate {
  event: Event
  /** With a snapshot or a gap: the current state. */
  snapshot?: StoreSnapshot
  /** With a pending call: the whole call. */
  call?: WaitingCall
  /** With a started job: the whole job. */
  job?: Job
  /** With a snapshot, a gap or a mode that was set: the modes of all sessions. */
  modes?: SessionModeList
}

/** The whole state, for a tab that has just opened. */
export interface StoreState {
  seq: number
  head: number
  events: Event[]
  older: number
  snapshot: StoreSnapshot
  modes: SessionModeList
}

/** The position of this tab: the newest event processed, and the newest at the time of the last connection. */
export const position = { journal_id: '', seq: 0, head: 0 }

/** Returns the id of the newest event processed. */
export const lastEventId = () => `${position.journal_id}-${position.seq}`

const listeners = new Set<(event: Event) => void>()

/** Calls the listener for every later event; returns the function that unsubscribes it. */
export function onEvent(listener: (event: Event) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Fetches the data an event needs. Without it the event is still an update. */
export async function completeUpdate(client: Client, event: Event): Promise<StoreUpdate> {
  if (event.type === 'stream.snapshot' || event.type === 'stream.gap') {
    const isWhole = event.type === 'stream.snapshot' && !event.truncated
    const snapshot = (isWhole ? event : await client.state()) as unknown as StoreSnapshot
    const pending = await loadWholeCalls(client, snapshot.pending)
    return { event, snapshot: { ...snapshot, pending }, modes: await client.modes() }
  }
  // Earlier events are part of the snapshot.
  if (event.seq <= position.head) return { event }
  if (event.type === 'tool.call' && event.requires_approval) {
    const call = await client.get(event.tool_call_id!).catch(() => undefined)
    return call?.status === 'awaiting_approval' ? { event, call } : { event }
  }
  if (event.type === 'job.started') {
    const job = await client.job(event.task_id).catch(() => undefined)
    return { event, ...(job && { job }) }
  }
  if (event.type === 'session.mode') return { event, modes: await client.modes() }
  return { event }
}

export function applyUpdate({ event, snapshot, call, job, modes: setModes }: StoreUpdate) {
  if (snapshot) applySnapshot(snapshot)
  if (setModes) putModes(setModes)
  if (event.type === 'stream.snapshot' || event.type === 'stream.gap') return
  const isNews = event.seq > position.head
  position.seq = event.seq
  eventRing.add(event)
  if (isNews) {
    if (call) upsertPending(call)
    applyApprovalEvent(event)
    if (job) putJobs([job])
    applyJobEvent(event)
    applySessionEvent(event)
  } else applyPastApprovalEvent(event)
  for (const listener of listeners) listener(event)
}

export function restoreState({ seq, events, older, snapshot, modes: setModes }: StoreState) {
  applySnapshot(snapshot)
  putModes(setModes)
  position.seq = seq
  eventRing.replace(events, older)
}

export const currentState = (): StoreState => ({
  ...position,
  events: eventRing.events,
  older: eventRing.evicted,
  snapshot: {
    instance: instance.peek() ?? '',
    journal_id: position.journal_id,
    head: position.head,
    pending: approvals.peek().flatMap(({ call, outcome }) => (outcome ? [] : [call])),
    jobs: [...jobs.peek().values()],
    sessions: sessions.peek()
  },
  modes: modes.peek()
})

function applySnapshot({ instance: run, journal_id, head, pending, jobs: running, sessions: doing }: StoreSnapshot) {
  instance.value = run
  // The stream goes on at the head of another journal. A reset one counts from the start: its events are newer than all that are here.
  position.seq = position.journal_id === '' || position.journal_id === journal_id ? Math.min(position.seq, head) : head
  position.journal_id = journal_id
  position.head = head
  syncPending(pending)
  putJobs(running)
  if (doing) sessions.value = doing
}
