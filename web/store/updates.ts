// One step of what is told: an event, with what the server was asked about it, put into every part of the store.
import type { Client, Event, Job, State } from '../../src/client/client.ts'
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
import { applySessionEvent, sessions } from './sessions.ts'

type StoreSnapshot = Pick<State, 'instance' | 'head' | 'jobs'> & {
  pending: WaitingCall[]
  sessions?: State['sessions']
}

/** An event, and what else must be known to take it in. It can be sent from tab to tab. */
export interface StoreUpdate {
  event: Event
  /** With a snapshot, or a gap: where things stand. */
  snapshot?: StoreSnapshot
  /** With a call that waits: the whole call. */
  call?: WaitingCall
  /** With a job that has started: the whole job. */
  job?: Job
}

/** All that a tab knows, for one that has just opened. */
export interface StoreState {
  seq: number
  head: number
  events: Event[]
  older: number
  snapshot: StoreSnapshot
}

/** Where this tab stands: the newest event it has taken in, and the newest there was when it was last connected. */
export const position = { seq: 0, head: 0 }

const listeners = new Set<(event: Event) => void>()

/** Calls back for every event that comes from now on; gives what ends that. */
export function onEvent(listener: (event: Event) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** What the server has to say besides. A step that cannot be completed is still a step. */
export async function completeUpdate(client: Client, event: Event): Promise<StoreUpdate> {
  if (event.type === 'stream.snapshot' || event.type === 'stream.gap') {
    if (event.type === 'stream.snapshot' && !event.truncated)
      return { event, snapshot: event as unknown as StoreSnapshot }
    return { event, snapshot: (await client.state()) as StoreSnapshot }
  }
  // What happened before the snapshot is in the snapshot.
  if (event.seq <= position.head) return { event }
  if (event.type === 'tool.call' && event.requires_approval) {
    const call = await client.get(event.tool_call_id!).catch(() => undefined)
    return call?.status === 'awaiting_approval' ? { event, call } : { event }
  }
  if (event.type === 'job.started') {
    const job = await client.job(event.task_id).catch(() => undefined)
    return { event, ...(job && { job }) }
  }
  return { event }
}

export function applyUpdate({ event, snapshot, call, job }: StoreUpdate) {
  if (snapshot) applySnapshot(snapshot)
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

export function restoreState({ seq, events, older, snapshot }: StoreState) {
  applySnapshot(snapshot)
  position.seq = seq
  eventRing.replace(events, older)
}

export const currentState = (): StoreState => ({
  ...position,
  events: eventRing.events,
  older: eventRing.evicted,
  snapshot: {
    instance: instance.peek() ?? '',
    head: position.head,
    pending: approvals.peek().flatMap(({ call, outcome }) => (outcome ? [] : [call])),
    jobs: [...jobs.peek().values()],
    sessions: sessions.peek()
  }
})

function applySnapshot({ instance: run, head, pending, jobs: running, sessions: doing }: StoreSnapshot) {
  instance.value = run
  // A journal that was begun anew counts from the start: what comes of it is newer than all that is here.
  position.seq = Math.min(position.seq, head)
  position.head = head
  syncPending(pending)
  putJobs(running)
  if (doing) sessions.value = doing
}
