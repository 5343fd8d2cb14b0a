// Tests of stale undos: an undo reverts only the calls that were evaluated and shown, whatever ends concurrently.
// tier: quick
import { existsSync, lstatSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { isRacyStat } from '../../src/host/files/fingerprint.ts'
import { BlobStore } from '../../src/host/undo-store/blob-store.ts'
import type { UndoResult } from '../../src/protocol/undo.ts'
import { defineTool } from '../../src/tool/tool.ts'
import undo from '../../src/tools/files/undo.ts'
import { Gate, gatedTools } from '../gated-tools.ts'
import type { Json } from '../start-app.ts'
import { startUndoFixture, toActions } from './undo-fixture.ts'

/** An undo paused between its check and its run. */
const heldUndo = (gate: Gate) =>
  defineTool({
    ...undo,
    name: 'held_undo',
    async plan(input, ctx, request) {
      const plan = await undo.plan!(input, ctx, request)
      await gate.wait('checked', ctx.signal)
      return plan
    },
    async run(input, ctx, state) {
      await gate.wait('begun', ctx.signal)
      return (await undo.run(input, ctx, state)) as UndoResult
    }
  })

const allow = { effect: 'allow' as const, match: { effect: 'write' as const, path: '**/*' } }
const create = { effect: 'allow' as const, match: { effect: 'create' as const, path: '**/*' } }
const closed = { effect: 'deny' as const, match: { tool: 'held_undo', path: 'closed/**' } }

t.test('does not undo what policy has not evaluated', async t => {
  const gate = new Gate()
  const { did, post, read } = await startUndoFixture(
    t,
    { 'a.txt': 'a\n' },
    { tools: [heldUndo(gate)], settings: { tiers: { administrator: [], user: [allow, closed], workspace: [] } } }
  )
  const first = await did('write_file', { path: 'a.txt', content: 'A\n' })
  const params = { tool_call_id: first.tool_call_id, scope: 'since' }
  const undoing = post('/calls?wait_ms=120000', { tool: 'held_undo', params })
  await gate.waitForArrival('checked')
  await did('write_file', { path: 'closed/z.txt', content: 'precious\n' })
  gate.open('checked')
  await gate.waitForArrival('begun')
  await did('write_file', { path: 'closed/y.txt', content: 'precious\n' })
  gate.open('begun')
  const undone: Json = await undoing
  t.match(undone, { status: 'success', result: { data: { calls: [first.tool_call_id] } } })
  t.same(undone.result.data.calls.length, 1)
  t.same(toActions(undone), { 'a.txt': 'restore' })
  t.same([read('a.txt'), read('closed/z.txt'), read('closed/y.txt')], ['a\n', 'precious\n', 'precious\n'])
})

t.test('does not undo what was not shown', async t => {
  const gate = new Gate()
  gate.open('checked')
  const { did, post, get, request, read } = await startUndoFixture(
    t,
    { 'a.txt': 'a\n', 'd/b.txt': 'b\n' },
    { tools: [heldUndo(gate)] }
  )
  const first = await did('move_file', { from: 'd', to: 'e' })
  const params = { tool_call_id: first.tool_call_id, scope: 'since' }
  const asked = await post('/calls', { tool: 'held_undo', params })
  t.match(asked, { status: 'awaiting_approval' })
  const second = await did('write_file', { path: 'a.txt', content: 'A\n' })
  const approve = (digest: string) =>
    request('POST', `/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest, confirm: true })
  t.match(await approve(asked.approval.digest), { status: 409, body: { code: 'PREVIEW_CHANGED' } })
  const { approval } = await get(`/calls/${asked.tool_call_id}`)
  t.match(approval.preview.text, /a\.txt/, 'it is shown with what has ended since')
  const deciding = approve(approval.digest)
  await gate.waitForArrival('begun')
  await did('write_file', { path: 'z.txt', content: 'precious\n' })
  gate.open('begun')
  const { body } = await deciding
  t.match(body, { status: 'success' })
  t.same(body.result.data.calls, [second.tool_call_id, first.tool_call_id])
  t.same([read('a.txt'), read('d/b.txt'), read('z.txt')], ['a\n', 'b\n', 'precious\n'])
})

t.test('a decision is bound to the shown calls, even if their files are the same', async t => {
  const { did, post, show } = await startUndoFixture(t, { 'a.txt': 'a\n' })
  const first = await did('write_file', { path: 'a.txt', content: 'b\n' })
  await did('write_file', { path: 'a.txt', content: 'c\n' })
  const { digest } = await show(first, '?scope=since')
  await did('write_file', { path: 'a.txt', content: 'd\n' })
  await did('write_file', { path: 'a.txt', content: 'c\n' })
  const answer = await post(`/calls/${first.tool_call_id}/undo`, { scope: 'since', digest, confirm: true })
  t.match(answer, { code: 'PREVIEW_CHANGED' })
  t.not(answer.digest, digest)
})

t.test('of calls that ended at one moment, undoes those that ended later', async t => {
  const { post, did, show } = await startUndoFixture(t)
  await did('create_directory', { path: 'd' })
  const names = Array.from({ length: 12 }, (_, i) => `f${i}.txt`)
  const calls = names.map(name => ({ tool: 'write_file', params: { path: name, content: name } }))
  const { results } = await post('/calls/batch', { calls })
  const taken = await Promise.all(
    results.map(async (call: Json) => Object.keys(toActions(await show(call, '?scope=since'))).length)
  )
  t.same(
    [...taken].sort((a, b) => a - b),
    names.map((_, i) => i + 1)
  )
})

t.test('computes an undo once for successive requests', async t => {
  const world = await startUndoFixture(t, { 'a.txt': 'a\n', 'b.txt': 'b\n', 'd/c.txt': 'c\n' })
  const { did, show, post, read, at, tree } = world
  const before = tree()
  const first = await did('write_file', { path: 'a.txt', content: 'A\n' })
  await did('move_file', { from: 'd', to: 'e' })
  const last = await did('write_file', { path: 'b.txt', content: 'B\n' })
  const lookedAt = t.capture(BlobStore.prototype, 'find', BlobStore.prototype.find)
  const looks = () => lookedAt().length
  const aged = async () => {
    const isYoung = (name: string) => isRacyStat(lstatSync(at(name), { bigint: true }))
    while (['.', 'a.txt', 'b.txt', 'e'].some(isYoung)) await turn()
  }
  await aged()
  const { digest } = await show(last)
  t.equal(looks(), 1)
  const body = { digest, confirm: true }
  t.match(await post(`/calls/${last.tool_call_id}/undo`, body), { status: 'success' })
  t.equal(looks(), 1, 'what was shown is what is done')
  await aged()
  const whole = await show(first, '?scope=since')
  t.equal(looks(), 3, 'one for each content, also where the digest is of what would be shown')
  const since = { scope: 'since', digest: whole.digest, confirm: true }
  t.match(await post(`/calls/${first.tool_call_id}/undo`, since), { status: 'success' })
  t.equal(looks(), 3, 'what was shown is what is done')
  t.equal(read('a.txt'), 'a\n')
  t.strictSame(tree(), before)
})

t.test('recomputes a plan whose inputs have changed', async t => {
  const gate = new Gate()
  const { did, post, write, read, at } = await startUndoFixture(
    t,
    { 'a.txt': 'one\ntwo\nthree\nfour\n' },
    { tools: [heldUndo(gate)], settings: { tiers: { administrator: [], user: [allow], workspace: [] } } }
  )
  const edit = await did('edit_file', { path: 'a.txt', old: 'one', new: '1' })
  while (isRacyStat(lstatSync(at('a.txt'), { bigint: true }))) await turn()
  const undoing = post('/calls?wait_ms=120000', { tool: 'held_undo', params: { tool_call_id: edit.tool_call_id } })
  await gate.waitForArrival('checked')
  gate.open('checked')
  await gate.waitForArrival('begun')
  write('a.txt', '1\ntwo\nthree\n4\n')
  gate.open('begun')
  const undone = await undoing
  t.match(undone, { status: 'success' })
  t.same(toActions(undone), { 'a.txt': 'merge' })
  t.equal(read('a.txt'), 'one\ntwo\nthree\n4\n')
})

t.test('also waits for calls that the plan gains during a wait', async t => {
  const gate = new Gate()
  const { did, call, get, post, read, at } = await startUndoFixture(
    t,
    { 'a.txt': 'a\n', 'c.txt': 'c\n' },
    { tools: gatedTools(gate), settings: { tiers: { administrator: [], user: [allow, create], workspace: [] } } }
  )
  const first = await did('write_file', { path: 'a.txt', content: 'A\n' })
  const holding = (path: string) =>
    post('/calls?wait_ms=120000', { tool: 'held_write', params: { name: path, path }, session_id: 'other' })
  const one = holding('a.txt')
  await gate.waitForArrival('a.txt')
  const params = { tool_call_id: first.tool_call_id, scope: 'since' }
  const undoing = await call('undo', params, { background: true })
  t.match(undoing, { status: 'queued' })
  await did('write_file', { path: 'b.txt', content: 'b\n' })
  const other = holding('b.txt')
  await gate.waitForArrival('b.txt')
  gate.open('a.txt')
  await one
  await did('read_file', { path: 'c.txt' })
  t.match(await get(`/calls/${undoing.tool_call_id}`), { status: 'queued' })
  t.equal(read('b.txt'), 'b\n')
  gate.open('b.txt')
  await other
  t.match(await get(`/calls/${undoing.tool_call_id}?wait_ms=120000`), { status: 'success' })
  t.equal(read('a.txt'), 'a\n')
  t.notOk(existsSync(at('b.txt')))
})
