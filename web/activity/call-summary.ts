// What the line of a call tells: what it is about, how it stands, how much it changes.
import { parsePatch } from 'diff'
import type { Event } from '../../src/client/client.ts'
import type { Entry } from './entries.ts'
import { aboutCall, shownOf, type Told } from './format-event.ts'

/** What the line of a call tells. */
export interface CallSummary {
  /** None where the call is older than what is kept. */
  tool: string | undefined
  about: string
  status: string
  session: string | undefined
  ms: number | undefined
  /** How much it has changed, or would. */
  change: Change | undefined
}

interface Change {
  files: number
  /** Lines. */
  added: number
  removed: number
}

export function summaryOf({ events }: Entry): CallSummary {
  const call = last(events, 'tool.call')
  const result = last(events, 'tool.result')
  return {
    tool: result?.tool ?? call?.tool,
    about: aboutCall({
      title: (result?.result as { title?: string } | undefined)?.title,
      shown: shownOf(call)?.title,
      params: call?.params,
      why: (result?.error as { message?: string } | undefined)?.message ?? result?.reason
    }),
    status: statusOf(events, call, result),
    session: events[0]?.session_id,
    ms: result?.execution_time_ms,
    change: changeIn(events) ?? (result ? undefined : changeOf(shownOf(call)?.diff))
  }
}

function changeIn(events: readonly Event[]): Change | undefined {
  const changes = events.filter((event): event is Told<'file.changed'> => event.type === 'file.changed')
  if (changes.length === 0) return undefined
  const sum = (count: (change: Told<'file.changed'>) => number | undefined) =>
    changes.reduce((all, change) => all + (count(change) ?? 0), 0)
  return { files: changes.length, added: sum(({ added }) => added), removed: sum(({ removed }) => removed) }
}

/** Counted once: what waits is drawn anew with every event. */
const counted = new Map<string, Change | undefined>()
function changeOf(diff: string | undefined): Change | undefined {
  if (!diff) return undefined
  if (!counted.has(diff)) {
    if (counted.size >= KEPT) counted.clear()
    counted.set(diff, countedIn(diff))
  }
  return counted.get(diff)
}
const KEPT = 200

/** None where the text is no unified diff. */
function countedIn(diff: string): Change | undefined {
  try {
    const files = parsePatch(diff)
    const lines = files.flatMap(({ hunks }) => hunks.flatMap(hunk => hunk.lines))
    const of = (sign: string) => lines.filter(line => line.startsWith(sign)).length
    return { files: files.length, added: of('+'), removed: of('-') }
  } catch {
    return undefined
  }
}

function statusOf(events: readonly Event[], call?: Told<'tool.call'>, result?: Told<'tool.result'>): string {
  if (events.some(({ type }) => type === 'job.started') && !events.some(({ type }) => type === 'job.exited'))
    return 'job runs'
  if (result) return result.status
  const decision = last(events, 'tool.decision')
  // A call is told anew when what it would do has changed: then the decision before that says nothing.
  if (decision && (!call || decision.seq > call.seq))
    return decision.decision === 'approved' ? 'running' : decision.decision
  return call?.requires_approval ? 'waits' : call ? 'running' : 'seen'
}

function last<T extends Event['type']>(events: readonly Event[], type: T): Told<T> | undefined {
  return events.findLast((event): event is Told<T> => event.type === type)
}
