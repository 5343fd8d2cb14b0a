// Tests of the activity panel: rows from events, filters, visible rows, phases, ticks.
// tier: quick
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import type { Event } from '../../src/client/client.ts'
import { applyEvent, type CallRow, shownStatus } from '../../web/activity/call-row.ts'
import { filterEvents } from '../../web/activity/events.ts'
import { isNarrowed, matchesCall, readFilter, toQuery, toWords } from '../../web/activity/filter.ts'
import { formatEvent, summarizeParams } from '../../web/activity/format-event.ts'
import { toPhases } from '../../web/activity/phases.ts'
import { countInserted, visibleWindow } from '../../web/activity/rows.ts'
import { toTicks } from '../../web/activity/time-axis.ts'
import { runs } from '../support/property.ts'

const at = (seq: number) => new Date(Date.UTC(2026, 0, 1) + seq * 1_000).toISOString()
const event = (seq: number, type: Event['type'], more: object = {}) =>
  ({ seq, time: at(seq), type, ...more }) as unknown as Event

const ASKED = event(1, 'tool.call', {
  tool_call_id: 'tc_1',
  session_id: 'one',
  tool: 'edit_file',
  params: { path: 'a.txt', old: 'x', replace_all: true },
  requires_approval: true,
  client: 'agent'
})
const OTHER = event(2, 'agent.state', { session_id: 'one', state: 'awaiting_approval' })
const READ = event(3, 'tool.call', {
  tool_call_id: 'tc_2',
  session_id: 'two',
  tool: 'read_file',
  params: { path: 'b.txt' },
  requires_approval: false,
  client: 'agent'
})
const DECIDED = event(4, 'tool.decision', { tool_call_id: 'tc_1', decision: 'approved', by: { client: 'console' } })
const CHANGED = event(5, 'file.changed', {
  path: 'a.txt',
  operation: 'modified',
  added: 2,
  removed: 1,
  by: { tool_call_id: 'tc_1' }
})
const RESULT = event(6, 'tool.result', {
  tool_call_id: 'tc_1',
  session_id: 'one',
  tool: 'edit_file',
  status: 'success',
  result: { title: 'a.txt' },
  execution_time_ms: 12
})
const OUTSIDE = event(7, 'file.changed', { path: 'c.txt', operation: 'deleted', by: 'external' })
const ALL = [ASKED, OTHER, READ, DECIDED, CHANGED, RESULT, OUTSIDE]

t.test('summarizes params in a line: texts only by length', async t => {
  t.equal(summarizeParams({ path: 'a.txt', content: 'one\ntwo\n', limit: 3, all: true }), 'a.txt content of 2 lines 3')
  t.equal(summarizeParams({ path: 'a.txt', old: 'x', new: '' }), 'a.txt old of 1 line new of 0 lines')
  t.equal(summarizeParams({ command: 'git log' }), 'git log')
  t.equal(summarizeParams({ command: 'a\nb' }), 'command of 2 lines')
  t.equal(summarizeParams(undefined), '')
})

const rowOf = (...events: Event[]): CallRow =>
  events.reduce<CallRow | undefined>((row, each) => applyEvent(row, each, 'tc_1'), undefined)!

t.test('the row of a call follows its events', async t => {
  const times = { createdAt: Date.parse(at(1)), waited: true }
  const asked = { id: 'tc_1', session: 'one', tool: 'edit_file', title: 'a.txt old of 1 line', ...times }
  t.strictSame(rowOf(ASKED), { ...asked, status: 'awaiting_approval' })
  const decided = { ...asked, status: 'running', decidedAt: Date.parse(at(4)), startedAt: Date.parse(at(4)) }
  t.strictSame(rowOf(ASKED, DECIDED), decided)
  t.strictSame(rowOf(ASKED, DECIDED, CHANGED, RESULT), {
    ...decided,
    title: 'a.txt',
    status: 'success',
    ms: 12,
    startedAt: Date.parse(at(6)) - 12,
    endedAt: Date.parse(at(6)),
    change: { files: 1, added: 2, removed: 1 }
  })
  t.equal(rowOf(ASKED, { ...DECIDED, decision: 'rejected' } as Event).status, 'rejected')
  t.strictSame(rowOf(ASKED, DECIDED, ASKED), rowOf(ASKED), 'a new preview needs a new decision')
  const job = event(8, 'job.started', { tool_call_id: 'tc_1', command: 'x' })
  t.equal(shownStatus(rowOf(ASKED, RESULT, job)), 'running', 'its job runs')
  t.equal(shownStatus(rowOf(ASKED, RESULT, job, event(9, 'job.exited', { tool_call_id: 'tc_1' }))), 'success')
  t.equal(rowOf(ASKED, RESULT, event(9, 'tool.content_removed', { tool: 'edit_file' })).title, 'content removed')
})

t.test('a waiting call shows the lines that it would change, until it has changed others', async t => {
  const diff = '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,3 @@\n x\n-y\n+++ z\n+y\n'
  const shown = { ...ASKED, approval: { preview: { title: 'Edit a.txt', diff } } } as unknown as Event
  const planned = { files: 1, added: 2, removed: 1, isPlanned: true } as const
  t.strictSame(rowOf(shown).change, planned)
  t.equal(rowOf(shown, RESULT).change, undefined)
  t.strictSame(rowOf(shown, DECIDED, CHANGED, CHANGED).change, { files: 2, added: 4, removed: 2 })
})

t.test('the title of an unsuccessful call has its subject and the reason', async t => {
  const shown = { ...ASKED, approval: { preview: { title: 'Edit a.txt' } } } as unknown as Event
  const ended = (status: string, more: object) =>
    event(6, 'tool.result', { tool_call_id: 'tc_1', tool: 'edit_file', status, ...more })
  t.equal(rowOf(shown, ended('rejected', { reason: 'no thanks' })).title, 'Edit a.txt · no thanks')
  t.equal(rowOf(READ, ended('error', { error: { message: 'Not there.' } })).title, 'b.txt · Not there.')
  t.equal(rowOf(ended('cancelled', { reason: 'too late' })).title, 'too late', 'all that is left of an old call')
})

t.test('events of other shapes change nothing', async t => {
  const row = rowOf(ASKED)
  const shapes = [
    event(8, 'tool.result', { status: 'success', result: 5, tool: {} }),
    event(8, 'tool.result', { status: [], tool: 'x', error: 'no' }),
    event(8, 'tool.decision', { decision: null }),
    event(8, 'strange.kind' as Event['type'], {})
  ]
  for (const shape of shapes) t.strictSame(applyEvent(row, shape, 'tc_1'), row)
  t.equal(applyEvent(undefined, shapes[0]!, 'tc_1').tool, '')
})

t.test('a filter is read from the query of an address, and written to it', async t => {
  const query = { status: 'error', tool: 'grep', session: 'a&b', text: 'two words', view: 'events' }
  t.strictSame(toQuery(readFilter(query)), query)
  t.strictSame(toQuery(readFilter({ status: 'bogus', view: 'bogus', other: 'x', constructor: 'y' })), {})
  t.equal(readFilter({ view: 'timeline' }).view, 'calls', 'a timeline is that of a session')
  t.equal(readFilter({ view: 'timeline', session: 's' }).view, 'timeline')
  t.equal(isNarrowed(readFilter({ view: 'events' })), false)
  t.equal(isNarrowed(readFilter({ agent: 'coder' })), true)
})

t.test('filters select calls and events', async t => {
  const rows = [rowOf(ASKED), applyEvent(undefined, READ, 'tc_2')]
  const matches = (query: Record<string, string>) => {
    const filter = readFilter(query)
    return rows.filter(row => matchesCall(row, filter, toWords(filter.text))).map(({ id }) => id)
  }
  t.strictSame(matches({}), ['tc_1', 'tc_2'])
  t.strictSame(matches({ status: 'awaiting_approval' }), ['tc_1'])
  t.strictSame(matches({ tool: 'read_file' }), ['tc_2'])
  t.strictSame(matches({ session: 'two' }), ['tc_2'])
  t.strictSame(matches({ text: 'EDIT  a.txt' }), ['tc_1'], 'each word somewhere in the row')
  t.strictSame(matches({ text: 'undefined' }), [])
  t.strictSame(matches({ agent: 'coder' }), [])
  const seqs = (query: Record<string, string>) => filterEvents(ALL, readFilter(query)).map(({ seq }) => seq)
  t.strictSame(seqs({}), [1, 2, 3, 4, 5, 6, 7])
  t.strictSame(seqs({ type: 'file.changed' }), [5, 7])
  t.strictSame(seqs({ text: 'CONSOLE approved' }), [4])
  t.strictSame(seqs({ tool: 'edit_file', session: 'one' }), [1, 6])
})

t.test('each event has a line, also without its large fields', async t => {
  t.same(ALL.map(formatEvent), [
    'edit_file a.txt old of 1 line · waiting for approval',
    'one · awaiting approval',
    'read_file b.txt',
    'approved · by console',
    'modified · a.txt · +2 −1',
    'success · a.txt',
    'deleted · c.txt · outside Toolgate'
  ])
  t.equal(formatEvent(event(9, 'diagnostics.changed', { server: 'tsc', truncated: true })), 'tsc: many files')
  t.equal(
    formatEvent(event(9, 'tools.changed', { source: 'mcp:x', removed: [] })),
    'mcp:x: many new, 0 gone, many changed'
  )
  t.equal(formatEvent(event(9, 'tool.progress', { progress: 0.5, delta: { text: 'out\n' } })), '50 % · out')
})

t.test('renders only visible rows, and a few beside them', async t => {
  t.same(visibleWindow(0, 600, 30, 100_000), { first: 0, end: 48 })
  t.same(visibleWindow(150_000, 600, 30, 100_000), { first: 4_976, end: 5_040 })
  t.same(visibleWindow(2_999_400, 600, 30, 100_000), { first: 99_952, end: 100_000 })
  t.same(visibleWindow(0, 600, 30, 3), { first: 0, end: 3 })
})

t.test('counts the rows that are inserted above the visible ones', async t => {
  const before = ['c', 'b', 'a']
  t.equal(countInserted(65, 30, before, ['e', 'd', 'c', 'b', 'a']), 2)
  t.equal(countInserted(0, 30, before, ['d', ...before]), 0, 'at the top, new rows become visible')
  t.equal(countInserted(65, 30, before, before), 0)
  t.equal(countInserted(65, 30, before, []), 0)
  t.equal(countInserted(65, 30, ['d', ...before], before), -1, 'rows above were removed')
})

t.test('ticks are at round times, and no more than fit', async t => {
  const midnight = Date.UTC(2026, 0, 2)
  const ticks = (from: number, to: number, offset = 0) =>
    toTicks(midnight + from, midnight + to, 6, offset).map(({ at, label }) => [at - midnight, label])
  t.strictSame(ticks(100, 9_000), [
    [2_000, '2026-01-02 00:00:02'],
    [4_000, '00:00:04'],
    [6_000, '00:00:06'],
    [8_000, '00:00:08']
  ])
  t.strictSame(ticks(0, 1), [
    [0, '2026-01-02 00:00:00.000'],
    [1, '00:00:00.001']
  ])
  const hour = 3_600_000
  t.strictSame(ticks(-9 * hour, 9 * hour), [
    [-6 * hour, '2026-01-01 18:00'],
    [0, '2026-01-02 00:00'],
    [6 * hour, '06:00']
  ])
  t.strictSame(ticks(0, 50 * hour, 2 * hour), [
    [10 * hour, '2026-01-02 12:00'],
    [22 * hour, '2026-01-03 00:00'],
    [34 * hour, '12:00'],
    [46 * hour, '2026-01-04 00:00']
  ])
  fc.assert(
    fc.property(fc.nat(2 ** 50), fc.nat(2 ** 50), (from, length) => {
      const found = toTicks(from, from + length, 6, 0)
      assert.ok(found.length <= 6)
      assert.ok(found.every(({ at }) => at >= from && at <= from + length))
    }),
    runs(1_000)
  )
})

t.test('splits the duration of a call', async t => {
  const start = Date.parse(at(0))
  const phases = (call: object, now = at(100)) =>
    toPhases({ createdAt: start, waited: false, status: 'success', ...call }, Date.parse(now)).map(
      ({ name, from, to, open }) => [name, (from - start) / 1_000, (to - start) / 1_000, ...(open ? ['open'] : [])]
    )
  const s = (seconds: number) => start + seconds * 1_000
  const ran = { startedAt: s(3), endedAt: s(5) }
  t.strictSame(phases({ waited: true, decidedAt: s(2), ...ran }), [
    ['decision', 0, 2],
    ['turn', 2, 3],
    ['run', 3, 5]
  ])
  t.strictSame(phases(ran), [
    ['turn', 0, 3],
    ['run', 3, 5]
  ])
  t.strictSame(phases({ status: 'awaiting_approval', waited: true }), [['decision', 0, 100, 'open']])
  t.strictSame(phases({ status: 'queued' }), [['turn', 0, 100, 'open']])
  t.strictSame(phases({ status: 'running', startedAt: s(3) }), [
    ['turn', 0, 3],
    ['run', 3, 100, 'open']
  ])
  t.strictSame(phases({ status: 'rejected', waited: true, decidedAt: s(4), endedAt: s(4) }), [['decision', 0, 4]])
  t.strictSame(phases({ status: 'error', endedAt: s(0) }), [], 'refused at once')
  t.strictSame(phases({ ...ran, jobStartedAt: s(4) }).at(-1), ['job', 5, 100, 'open'])
  t.strictSame(phases({ ...ran, jobStartedAt: s(4), jobEndedAt: s(9) }).at(-1), ['job', 5, 9])
})
