// One step of what is told: an event, with what the server was asked about it, put into every part of the store.
import type { Client, Event, Job, State } from '../../src/client/client.ts'
import { asked, open, recallApprovals, settleAll, tellApprovals, type Waiting } from './approvals.ts'
import { instance } from './connection.ts'
import { ring } from './event-ring.ts'
import { jobs, putJobs, tellJobs } from './jobs.ts'
import { sessions, tellSessions } from './sessions.ts'

type Snapshot = Pick<State, 'instance' | 'head' | 'jobs'> & { pending: Waiting[]; sessions?: State['sessions'] }

/** An event, and what else must be known to take it in. It can be sent from tab to tab. */
export interface Step {
  event: Event
  /** With a snapshot, or a gap: where things stand. */
  snapshot?: Snapshot
  /** With a call that waits: the whole call. */
  call?: Waiting
  /** With a job that has started: the whole job. */
  job?: Job
}

/** All that a tab knows, for one that has just opened. */
export interface Known {
  seq: number
  head: number
  events: Event[]
  older: number
  snapshot: Snapshot
}

/** Where this tab stands: the newest event it has taken in, and the newest there was when it was last connected. */
export const place = { seq: 0, head: 0 }

const listeners = new Set<(event: Event) => void>()

/** Calls back for every event that comes from now on; gives what ends that. */
export function onEvent(listener: (event: Event) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** What the server has to say besides. A step that cannot be completed is still a step. */
export async function complete(client: Client, event: Event): Promise<Step> {
  if (event.type === 'stream.snapshot' || event.type === 'stream.gap') {
    if (event.type === 'stream.snapshot' && !event.truncated) return { event, snapshot: event as unknown as Snapshot }
    return { event, snapshot: (await client.state()) as Snapshot }
  }
  // What happened before the snapshot is in the snapshot.
  if (event.seq <= place.head) return { event }
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

export function take({ event, snapshot, call, job }: Step) {
  if (snapshot) takeSnapshot(snapshot)
  if (event.type === 'stream.snapshot' || event.type === 'stream.gap') return
  const isNews = event.seq > place.head
  place.seq = event.seq
  ring.add(event)
  if (isNews) {
    if (call) open(call)
    tellApprovals(event)
    if (job) putJobs([job])
    tellJobs(event)
    tellSessions(event)
  } else recallApprovals(event)
  for (const listener of listeners) listener(event)
}

export function takeKnown({ seq, events, older, snapshot }: Known) {
  takeSnapshot(snapshot)
  place.seq = seq
  ring.replace(events, older)
}

export const known = (): Known => ({
  ...place,
  events: ring.events,
  older: ring.older,
  snapshot: {
    instance: instance.peek() ?? '',
    head: place.head,
    pending: asked.peek().flatMap(({ call, outcome }) => (outcome ? [] : [call])),
    jobs: [...jobs.peek().values()],
    sessions: sessions.peek()
  }
})

function takeSnapshot({ instance: run, head, pending, jobs: running, sessions: doing }: Snapshot) {
  instance.value = run
  // A journal that was begun anew counts from the start: what comes of it is newer than all that is here.
  place.seq = Math.min(place.seq, head)
  place.head = head
  settleAll(pending)
  putJobs(running)
  if (doing) sessions.value = doing
}
