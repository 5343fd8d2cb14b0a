// Fixture: event streams of a journal in a folder of the test.
import type { Test } from 'tap'
import { type EventFilter, type StreamLimits, Streams } from '../../src/events/event-streams.ts'
import { parseStreamPosition } from '../../src/events/frame.ts'
import { openJournal, progress, TestSink } from './open-journal.ts'

const LIMITS = { heartbeat_ms: 60_000, reader_bytes: 1_048_576, stall_ms: 60_000 }

export async function openStreams(t: Test, limits: Partial<StreamLimits> = {}, pending: () => object[] = () => []) {
  const { store, journal } = await openJournal(t)
  const streams = new Streams(
    journal,
    { ...LIMITS, ...limits },
    {
      snapshot: () => ({
        instance: 'i',
        head: journal.head,
        pending: pending() as Record<string, unknown>[],
        running: [],
        jobs: [],
        delegations: []
      }),
      canFollow: (owner, { tool_call_id }) => tool_call_id === owner
    }
  )
  t.teardown(() => streams.close())
  const open = (
    options: { after?: number | string; filter?: EventFilter; until?: (event: { type: string }) => boolean } = {}
  ) => {
    const sink = new TestSink()
    const after = options.after === undefined ? undefined : parseStreamPosition(String(options.after))
    const reader = streams.open(sink, { filter: {}, ...options, after })
    return Object.assign(sink, { reader })
  }
  const append = async (count: number, more: object = {}) => {
    const first = journal.last + 1
    await journal.append(Array.from({ length: count }, (_, i) => progress(first + i, more)))
  }
  return { store, journal, streams, open, append }
}
export const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i)
export const has = (last: number) => (sink: TestSink) => sink.seqs.at(-1) === last
