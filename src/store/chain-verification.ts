// Verifies a chain and the rows that it covers, of a journal or an export.
import {
  type CallRow,
  type ChainContext,
  type ChainRecord,
  digestCall,
  digestEvent,
  type EpochData,
  type EventRow
} from './chain-records.ts'
import { ChainWalk, type KnownRecord, type ReportFault, type RowState } from './chain-walk.ts'

/** Each is in order of its number, and can be read more than once. */
export interface ChainSource {
  records(): Iterable<ChainRecord>
  events(): Iterable<EventRow>
  calls(): Iterable<CallRow>
}

interface ChainFault {
  /** The event, or the newest one before the place; null if there is none. */
  event_id: string | null
  tool_call_id?: string
  /** Number of the record in the chain. */
  record?: number
  problem: string
}

export interface ChainReport {
  journal_id: string
  /** The public key of the newest anchors. */
  key: string
  /** First and last record. */
  records: { first: number; last: number; hash: string }
  /** Rows that are as the chain says. */
  events: number
  calls: number
  /** Rows that were there before the chain began. */
  uncovered: { events: number; calls: number }
  /** Events whose content was removed, or that were entered again when older ones were dropped. */
  rewritten: number
  anchors: number
  /** Newest records that no anchor signs yet. */
  unsigned: number
  epochs: Pick<EpochData, 'journal_id' | 'key' | 'reason' | 'at' | 'damage'>[]
  /** The first faults, and the number of all. */
  faults: ChainFault[]
  fault_count: number
}

const MAX_FAULTS = 100

/** Puts a fault before those of a report. */
export function addFault(report: ChainReport, fault: ChainFault) {
  report.faults.unshift(fault)
  report.fault_count += 1
}

/** Returns a fault with its place, such as `the event was changed (event 0123456789ab-7)`. */
export function describeFault({ problem, event_id, tool_call_id, record }: ChainFault): string {
  const place = [
    event_id !== null && `event ${event_id}`,
    tool_call_id !== undefined && `call ${tool_call_id}`,
    record !== undefined && `record ${record}`
  ].filter(each => each !== false)
  return place.length === 0 ? problem : `${problem} (${place.join(', ')})`
}

/** Verifies all records and rows. Reports no faults if each row is the one that was written last, and none is missing or was added. */
export function verifyChain(source: ChainSource, known: readonly KnownRecord[] = []): ChainReport {
  const faults: { problem: string; place: Parameters<ReportFault>[1]; tool_call_id?: string }[] = []
  let fault_count = 0
  const report = (problem: string, place: Parameters<ReportFault>[1], tool_call_id?: string) => {
    fault_count += 1
    if (faults.length < MAX_FAULTS) faults.push({ problem, place, ...(tool_call_id !== undefined && { tool_call_id }) })
  }
  const walk = new ChainWalk(known, report)
  for (const record of source.records()) walk.take(record)
  walk.end()
  const { journal_id = '', key = '' } = walk.context ?? {}
  if (!walk.last) report('the chain has no records', {})
  const events = verifyEvents(source, walk, report)
  const calls = verifyCalls(source, walk, report)
  return {
    journal_id,
    key,
    records: { first: walk.first?.n ?? 0, last: walk.last?.n ?? 0, hash: walk.last?.hash ?? '' },
    events: events.verified,
    calls: calls.verified,
    uncovered: { events: events.uncovered, calls: calls.uncovered },
    rewritten: walk.rewrites.size,
    anchors: walk.anchors,
    unsigned: Math.max(0, (walk.last?.n ?? 0) - walk.signedUpTo),
    epochs: walk.epochs,
    faults: faults.map(({ problem, place: { seq, record }, tool_call_id }) => ({
      event_id: seq === undefined ? null : `${journal_id}-${seq}`,
      ...(tool_call_id !== undefined && { tool_call_id }),
      ...(record !== undefined && { record }),
      problem
    })),
    fault_count
  }
}

type ReportRow = (problem: string, place: Parameters<ReportFault>[1], tool_call_id?: string) => void

interface RowCount {
  verified: number
  uncovered: number
}

/** Compares the events with their records, which are in the same order. */
function verifyEvents(source: ChainSource, { rewrites, removed, context }: ChainWalk, report: ReportRow): RowCount {
  const count: RowCount = { verified: 0, uncovered: 0 }
  const left = new Set(rewrites.keys())
  const recorded = takeEventRecords(source)
  let next = recorded.next().value as RecordedEvent | undefined
  const reportMissing = ({ seq, n }: RecordedEvent) => {
    left.delete(seq)
    if (!removed.has(seq)) report('the event was removed', { seq, record: n })
  }
  for (const row of source.events()) {
    const seq = Number(row.seq)
    for (; next && next.seq < seq; next = recorded.next().value as RecordedEvent | undefined) reportMissing(next)
    const isRecorded = next?.seq === seq
    const state = rewrites.get(seq) ?? (isRecorded ? next : undefined)
    if (isRecorded) next = recorded.next().value as RecordedEvent | undefined
    left.delete(seq)
    const id = row.tool_call_id === null ? undefined : String(row.tool_call_id)
    if (state === undefined && isUncovered(row, seq, context?.uncovered.seq)) count.uncovered += 1
    else if (state === undefined) report('the event was inserted', { seq }, id)
    else if (removed.has(seq)) report('the event had been removed and was inserted again', { seq, record: state.n }, id)
    else if (!isAsRecorded(row, digestEvent(row), state)) report('the event was changed', { seq, record: state.n }, id)
    else count.verified += 1
  }
  for (; next; next = recorded.next().value as RecordedEvent | undefined) reportMissing(next)
  for (const seq of left) reportMissing({ ...rewrites.get(seq)!, seq })
  return count
}

type RecordedEvent = Pick<RowState, 'digest' | 'n'> & { seq: number }

function* takeEventRecords(source: ChainSource): Generator<RecordedEvent, undefined> {
  for (const { n, kind, ref, digest } of source.records()) if (kind === 'event') yield { seq: ref!, n, digest }
  return undefined
}

function verifyCalls(source: ChainSource, { calls, context }: ChainWalk, report: ReportRow): RowCount {
  const count: RowCount = { verified: 0, uncovered: 0 }
  const left = new Map(calls)
  for (const row of source.calls()) {
    const n = Number(row.n)
    const state = left.get(n)
    left.delete(n)
    const id = String(row.tool_call_id)
    if (state === undefined && isUncovered(row, n, context?.uncovered.n)) count.uncovered += 1
    else if (state === undefined) report('the call was inserted', {}, id)
    else if (!isAsRecorded(row, digestCall(row), state))
      report('the call was changed', { seq: state.seq, record: state.n }, id)
    else count.verified += 1
  }
  for (const { seq, n } of left.values()) report('a call was removed', { seq, record: n })
  return count
}

const isAsRecorded = ({ chained }: { chained: unknown }, digest: string, state: Pick<RowState, 'digest' | 'n'>) =>
  digest === state.digest && Number(chained) === state.n

const isUncovered = ({ chained }: { chained: unknown }, number: number, upTo: ChainContext['uncovered']['n'] = 0) =>
  number <= upTo && chained === null
