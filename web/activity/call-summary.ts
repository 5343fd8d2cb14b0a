// Summarizes a call in one line: its subject, status and size of change.
import { parsePatch } from 'diff'
import type { Event } from '../../src/client/client.ts'
import type { Entry } from './entries.ts'
import { describeCall, type EventByType, pendingPreview } from './format-event.ts'

/** The data of a call's line. */
export interface CallSummary {
  /** Undefined if the call is older than the retained events. */
  tool: string | undefined
  about: string
  status: string
  session: string | undefined
  ms: number | undefined
  /** The lines it changed, or would change. */
  change: Change | undefined
}

interface Change {
  files: number
  /** In lines. */
  added: number
  removed: number
}

export function summarizeCall({ events }: Entry): CallSummary {
  const call = findLast(events, 'tool.call')
  const result = findLast(events, 'tool.result')
  return {
    tool: result?.tool ?? call?.tool,
    about: describeCall({
      title: (result?.result as { title?: string } | undefined)?.title,
      shown: pendingPreview(call)?.title,
      params: call?.params,
      why: (result?.error as { message?: string } | undefined)?.message ?? result?.reason
    }),
    status: resolveStatus(events, call, result),
    session: events[0]?.session_id,
    ms: result?.execution_time_ms,
    change: sumFileChanges(events) ?? (result ? undefined : countDiffCached(pendingPreview(call)?.diff))
  }
}

function sumFileChanges(events: readonly Event[]): Change | undefined {
  const changes = events.filter((event): event is EventByType<'file.changed'> => event.type === 'file.changed')
  if (changes.length === 0) return undefined
  const sum = (count: (change: EventByType<'file.changed'>) => number | undefined) =>
    changes.reduce((all, change) => all + (count(change) ?? 0), 0)
  return { files: changes.length, added: sum(({ added }) => added), removed: sum(({ removed }) => removed) }
}

/** Cached: pending calls are rendered again with every event. */
const diffCounts = new Map<string, Change | undefined>()
function countDiffCached(diff: string | undefined): Change | undefined {
  if (!diff) return undefined
  if (!diffCounts.has(diff)) {
    if (diffCounts.size >= MAX_CACHED_DIFFS) diffCounts.clear()
    diffCounts.set(diff, countDiff(diff))
  }
  return diffCounts.get(diff)
}
const MAX_CACHED_DIFFS = 200

/** Returns undefined if the text is no unified diff. */
function countDiff(diff: string): Change | undefined {
  try {
    const files = parsePatch(diff)
    const lines = files.flatMap(({ hunks }) => hunks.flatMap(hunk => hunk.lines))
    const of = (sign: string) => lines.filter(line => line.startsWith(sign)).length
    return { files: files.length, added: of('+'), removed: of('-') }
  } catch {
    return undefined
  }
}

function resolveStatus(
  events: readonly Event[],
  call?: EventByType<'tool.call'>,
  result?: EventByType<'tool.result'>
): string {
  if (events.some(({ type }) => type === 'job.started') && !events.some(({ type }) => type === 'job.exited'))
    return 'running'
  if (result) return result.status
  const decision = findLast(events, 'tool.decision')
  // A new `tool.call` event means that the preview changed; an earlier decision no longer applies.
  if (decision && (!call || decision.seq > call.seq))
    return decision.decision === 'approved' ? 'running' : decision.decision
  return call?.requires_approval ? 'waiting' : call ? 'running' : 'seen'
}

function findLast<T extends Event['type']>(events: readonly Event[], type: T): EventByType<T> | undefined {
  return events.findLast((event): event is EventByType<T> => event.type === type)
}
