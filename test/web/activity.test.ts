// Tests of the activity list: grouping by call, filters, visible rows, phases.
// tier: quick
import t from 'tap'
import type { Call, Event } from '../../src/client/client.ts'
import { summarizeCall } from '../../web/activity/call-summary.ts'
import { collectFacets, filterEntries, groupEvents, NO_FILTER } from '../../web/activity/entries.ts'
import { formatEvent, summarizeParams } from '../../web/activity/format-event.ts'
import { toPhases } from '../../web/activity/phases.ts'
import { anchorScroll, toRows, visibleWindow } from '../../web/activity/rows.ts'

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

t.test('groups events by call, placed by its start', async t => {
  const entries = groupEvents(ALL)
  t.same(
    entries.map(({ key, events }) => [key, ...events.map(({ seq }) => seq)]),
    [
      ['7', 7],
      ['tc_2', 3],
      ['2', 2],
      ['tc_1', 1, 4, 5, 6]
    ]
  )
  const stillThere = groupEvents([...ALL, event(8, 'tool.progress', { tool_call_id: 'tc_2', message: 'half' })])
  t.same(
    stillThere.map(({ key }) => key),
    entries.map(({ key }) => key),
    'nothing moves as calls go on'
  )
})

t.test('groups the states of a session, placed by the first', async t => {
  const state = (seq: number, session_id: string, state: string) => event(seq, 'agent.state', { session_id, state })
  const states = [state(1, 'one', 'tool_execution'), state(2, 'two', 'idle'), state(3, 'one', 'idle'), OUTSIDE]
  const entries = groupEvents(states)
  t.same(
    entries.map(({ key, events }) => [key, ...events.map(({ seq }) => seq)]),
    [
      ['7', 7],
      ['2', 2],
      ['1', 1, 3]
    ]
  )
  t.same(
    toRows(entries, new Set(['1', '2'])).map(({ key, event }) => [key, event?.seq]),
    [
      ['7', 7],
      ['2', 2],
      ['1', undefined],
      ['1/1', 1],
      ['1/3', 3]
    ],
    'one alone has nothing below it'
  )
})

t.test('summarizes params in a line: texts only by length', async t => {
  t.equal(summarizeParams({ path: 'a.txt', content: 'one\ntwo\n', limit: 3, all: true }), 'a.txt content of 2 lines 3')
  t.equal(summarizeParams({ path: 'a.txt', old: 'x', new: '' }), 'a.txt old of 1 line new of 0 lines')
  t.equal(summarizeParams({ command: 'git log' }), 'git log')
  t.equal(summarizeParams({ command: 'a\nb' }), 'command of 2 lines')
  t.equal(summarizeParams(undefined), '')
})

t.test('the line of a call shows its status', async t => {
  const after = (...events: Event[]) => summarizeCall(groupEvents(events)[0]!)
  const asked = {
    tool: 'edit_file',
    about: 'a.txt old of 1 line',
    status: 'waiting',
    session: 'one',
    ms: undefined,
    change: undefined
  }
  t.same(after(ASKED), asked)
  t.same(after(ASKED, DECIDED), { ...asked, status: 'running' })
  t.same(after(ASKED, DECIDED, CHANGED, RESULT), {
    ...asked,
    about: 'a.txt',
    status: 'success',
    ms: 12,
    change: { files: 1, added: 2, removed: 1 }
  })
  t.equal(after(ASKED, { ...DECIDED, decision: 'rejected' } as Event).status, 'rejected')
  t.equal(after(ASKED, DECIDED, { ...ASKED, seq: 9 } as Event).status, 'waiting', 'requested again')
  t.equal(after(RESULT, event(8, 'job.started', { tool_call_id: 'tc_1', command: 'x' })).status, 'running')
  const diff = '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,3 @@\n x\n-y\n+++ z\n+y\n'
  const shown = event(1, 'tool.call', { ...ASKED, approval: { preview: { title: 'Edit a.txt', diff } } })
  t.same(after(shown), { ...asked, about: 'Edit a.txt', change: { files: 1, added: 2, removed: 1 } })
  t.same(after(DECIDED), { ...asked, tool: undefined, about: '', status: 'running', session: undefined })
})

t.test('the line of an unsuccessful call shows its subject, and the reason', async t => {
  const about = (...events: Event[]) => summarizeCall(groupEvents(events)[0]!).about
  const shown = { ...ASKED, approval: { preview: { title: 'Edit a.txt' } } } as Event
  const ended = (status: string, more: object) =>
    event(6, 'tool.result', { tool_call_id: 'tc_1', tool: 'edit_file', status, ...more })
  t.equal(about(shown, ended('rejected', { reason: 'no thanks' })), 'Edit a.txt · no thanks')
  t.equal(
    about(READ, { ...ended('error', { error: { message: 'Not there.' } }), tool_call_id: 'tc_2' } as Event),
    ['b.txt', 'Not there.'].join(' · ')
  )
  t.equal(about(ended('cancelled', { reason: 'too late' })), 'too late', 'all that is left of an old call')
})

t.test('a filter keeps whole calls', async t => {
  const left = (filter: object) => filterEntries(groupEvents(ALL), { ...NO_FILTER, ...filter }).map(({ key }) => key)
  t.same(left({}), ['7', 'tc_2', '2', 'tc_1'])
  t.same(left({ type: 'file.changed' }), ['7', 'tc_1'])
  t.same(left({ tool: 'edit_file' }), ['tc_1'])
  t.same(left({ session: 'two' }), ['tc_2'])
  t.same(left({ text: 'CONSOLE  a.txt' }), ['tc_1'], 'each word somewhere in the call')
  t.same(left({ text: 'console', tool: 'read_file' }), [])
  t.same(collectFacets(ALL), {
    types: ['agent.state', 'file.changed', 'tool.call', 'tool.decision', 'tool.result'],
    tools: ['edit_file', 'read_file'],
    sessions: ['one', 'two'],
    servers: []
  })
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
  const rows = toRows(groupEvents(ALL), new Set(['tc_1']))
  t.same(
    rows.map(({ key, level, place, of }) => [key, level, place, of]),
    [
      ['7', 1, 1, 4],
      ['tc_2', 1, 2, 4],
      ['2', 1, 3, 4],
      ['tc_1', 1, 4, 4],
      ['tc_1/1', 2, 1, 4],
      ['tc_1/4', 2, 2, 4],
      ['tc_1/5', 2, 3, 4],
      ['tc_1/6', 2, 4, 4]
    ]
  )
  t.same(visibleWindow(0, 600, 30, 10_000), { first: 0, end: 48 })
  t.same(visibleWindow(150_000, 600, 30, 10_000), { first: 4_976, end: 5_040 })
  t.same(visibleWindow(299_400, 600, 30, 10_000), { first: 9_952, end: 10_000 })
  t.same(visibleWindow(0, 600, 30, 3), { first: 0, end: 3 })
})

t.test('keeps visible rows in place when more are inserted above', async t => {
  const before = toRows(groupEvents(ALL), new Set())
  const after = toRows(groupEvents([...ALL, { ...OUTSIDE, seq: 8 }, { ...OUTSIDE, seq: 9 }]), new Set())
  t.equal(anchorScroll(65, 30, before, after), 125)
  t.equal(anchorScroll(0, 30, before, after), 0, 'whoever is at the top sees what comes')
  t.equal(anchorScroll(65, 30, before, before), 65)
  t.equal(anchorScroll(65, 30, before, []), 65, 'what is gone holds nothing')
})

t.test('splits the duration of a call', async t => {
  const phases = (call: object, now = Date.parse(at(100))) => toPhases({ created_at: at(0), ...call } as Call, now)
  const by = (source: string, seq: number) => ({ source, at: at(seq) })
  const approval = {}
  const ran = { started_at: at(3), finished_at: at(5) }
  t.same(phases({ status: 'success', approved_by: by('user', 2), approval, ...ran }), [
    { name: 'decision', from: 0, to: 2_000 },
    { name: 'turn', from: 2_000, to: 3_000 },
    { name: 'run', from: 3_000, to: 5_000 }
  ])
  t.same(phases({ status: 'success', approved_by: by('auto', 0), ...ran }), [
    { name: 'turn', from: 0, to: 3_000 },
    { name: 'run', from: 3_000, to: 5_000 }
  ])
  t.same(phases({ status: 'awaiting_approval', approval }), [{ name: 'decision', from: 0, to: 100_000, open: true }])
  t.same(phases({ status: 'running', approved_by: by('rule', 0), started_at: at(3) }), [
    { name: 'turn', from: 0, to: 3_000 },
    { name: 'run', from: 3_000, to: 100_000, open: true }
  ])
  t.same(phases({ status: 'rejected', approval, rejected_by: by('user', 4), finished_at: at(4) }), [
    { name: 'decision', from: 0, to: 4_000 }
  ])
  t.same(phases({ status: 'expired', approval, finished_at: at(9) }), [{ name: 'decision', from: 0, to: 9_000 }])
  t.same(phases({ status: 'error', finished_at: at(0) }), [], 'refused at once')
})
