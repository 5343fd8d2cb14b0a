// Tests of undo over several calls, over restarts, of stopped calls, and of content that is no longer stored.
// tier: full
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { Type } from 'typebox'
import { defaultSettings } from '../../src/config/merge.ts'
import { defineTool } from '../../src/tool/tool.ts'
import { Gate, gatedTools } from '../gated-tools.ts'
import { type Json, toApproval } from '../start-app.ts'
import { startUndoFixture, toActions } from './undo-fixture.ts'

/** Exceeds the size limit of diffs. */
const large = 'a line\n'.repeat(1_300_000)
const ten = Array.from({ length: 10 }, (_, i) => `line ${i + 1}\n`).join('')

t.test('restores the state before a call, across later calls of its session', async t => {
  const { did, undo, tree, read, show, makeFolder, link, at } = await startUndoFixture(t, {
    'a.txt': ten,
    'd/b.txt': 'b\n',
    'd/e/c.txt': 'c\n'
  })
  makeFolder('d/empty')
  link('d/link', '../a.txt')
  chmodSync(at('d/e'), 0o700)
  const session_id = 's'
  const first = tree()
  const earlier = await did('edit_file', { path: 'a.txt', old: 'line 1\n', new: 'first\n' }, { session_id })
  const before = tree()
  const start = await did('edit_file', { path: 'a.txt', old: 'line 2\n', new: 'second\n' }, { session_id })
  await did('move_file', { from: 'd', to: 'moved/d' }, { session_id })
  await did('edit_file', { path: 'moved/d/e/c.txt', old: 'c', new: 'C' }, { session_id })
  await did('move_file', { from: 'moved/d/e', to: 'e' }, { session_id })
  await did('write_file', { path: 'd', content: 'a file where a folder was\n' }, { session_id })
  await did('delete_file', { path: 'moved', recursive: true }, { session_id })
  await did('move_file', { from: 'a.txt', to: 'moved' }, { session_id })
  const other = await did('edit_file', { path: 'moved', old: 'line 9\n', new: 'ninth\n' }, { session_id: 'other' })
  const after = tree()

  const shown = await show(start, '?scope=since')
  t.match(shown, { available: true })
  const undone = await undo(start, { scope: 'since' })
  t.match(undone, { status: 'success', result: { title: `Undo 7 calls: ${start.tool_call_id} and later ones` } })
  t.same(undone.result.data.calls.at(-1), start.tool_call_id)
  t.same(toActions(undone), toActions(shown))
  t.equal(
    read('a.txt'),
    ten.replace('line 1\n', 'first\n').replace('line 9', 'ninth'),
    "another session's change stays"
  )
  t.match(await undo(undone), { status: 'success' })
  t.strictSame(tree(), after, 'and all of it again')
  t.match(await undo(other), { status: 'success' })
  t.match(await undo(start, { scope: 'since' }), { status: 'success' })
  t.strictSame(tree(), before)
  t.equal((await undo(start, { scope: 'since' })).error.code, 'UNDO_CONFLICT', 'nothing is left to do')
  t.match(await undo(earlier, { scope: 'since' }), { status: 'success' })
  t.strictSame(tree(), first)
})

t.test('one conflict among many stops all, and each is reported', async t => {
  const { did, undo, write, tree, read, show } = await startUndoFixture(t, { 'a.txt': ten, 'b.txt': ten, 'c.txt': ten })
  const start = await did('edit_file', { path: 'a.txt', old: 'line 2\n', new: '2\n' })
  await did('edit_file', { path: 'b.txt', old: 'line 2\n', new: '2\n' })
  const last = await did('edit_file', { path: 'b.txt', old: 'line 9\n', new: '9\n' })
  await did('write_file', { path: 'c.txt', content: 'c\n' })
  write('b.txt', read('b.txt').replace('9\n', 'nine\n').replace('2\n', 'two\n'))
  write('c.txt', 'd\n')
  const before = tree()
  const ended = await undo(start, { scope: 'since' })
  t.same(toActions(ended), { 'a.txt': 'restore', 'b.txt': 'conflict', 'c.txt': 'conflict' })
  t.match(ended.error, { code: 'UNDO_CONFLICT', message: /^(c|b)\.txt: lines? .*Nothing was changed\.$/ })
  const b = ended.error.details.files.find((file: Json) => file.path === 'b.txt')
  t.match(b.conflicts, [{ tool_call_id: last.tool_call_id, start_line: 9, end_line: 9, now: 'nine', before: 'line 9' }])
  t.strictSame(tree(), before)
  t.match(await undo(start, { scope: 'since', paths: ['a.txt'] }), { status: 'success' })
  t.equal(read('a.txt'), ten)
  t.match(await show(start, '?scope=since'), {
    available: false,
    reason: 'A later change overlaps the change to undo. See the conflicts of the files.'
  })
})

t.test('undoes calls of an earlier server, also interrupted ones', async t => {
  const gate = new Gate()
  const half = defineTool({
    name: 'half',
    category: 'custom',
    description: 'Writes a file, then waits.',
    input: Type.Object({ path: Type.String({ description: 'File path.' }) }, { additionalProperties: false }),
    output: Type.Object({}),
    timeout_ms: 120_000,
    effect: 'write',
    request: ({ path }) => ({ paths: [{ path, access: 'write' as const }] }),
    async run({ path: name }, { host, signal }) {
      const was = await host.files.snapshot(name)
      await host.files.replace(name, was!, Buffer.from('half\n'))
      await gate.wait(name, signal)
      return {}
    },
    present: () => ({ title: 'half', content: 'half' })
  })
  const files = { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' }
  const one = await startUndoFixture(t, files, { tools: [half] })
  const before = one.tree()
  const edit = await one.did('write_file', { path: 'c.txt', content: 'C\n' })
  const stopped: Json[] = []
  for (const name of ['a.txt', 'b.txt']) {
    const call = await one.call('half', { path: name })
    await one.post('/approve', toApproval(call))
    await gate.waitForArrival(name)
    stopped.push(call)
  }
  t.match(await one.request('GET', `/calls/${stopped[0]!.tool_call_id}/undo`), { status: 409 }, 'not while it runs')
  t.match(await one.post(`/calls/${stopped[0]!.tool_call_id}/cancel`, {}), {
    status: 'cancelled',
    undo: { available: true }
  })
  await one.close()

  const two = await startUndoFixture(t, {}, { folder: one.folder })
  t.match(await two.get(`/calls/${stopped[1]!.tool_call_id}`), { status: 'interrupted', undo: { available: true } })
  for (const call of [edit, ...stopped]) t.match(await two.undo(call), { status: 'success' })
  t.strictSame(two.tree(), before)
})

t.test('reports content that is no longer stored, by path', async t => {
  const undo_settings = { max_age_days: 14, max_bytes: 1_000_000, max_file_bytes: 100, track_commands: true }
  const world = await startUndoFixture(
    t,
    { 'large.txt': ten.repeat(20), 'a.txt': 'a\n' },
    { settings: { undo: undo_settings } }
  )
  const { did, undo, show, tree, folder } = world
  const large = await did('write_file', { path: 'large.txt', content: 'small\n' })
  const small = await did('write_file', { path: 'a.txt', content: 'b\n' })
  const before = tree()
  t.match(await undo(large), {
    error: { code: 'UNDO_CONFLICT', message: /^large.txt: the content before the change was not stored/ }
  })
  rmSync(path.join(folder, 'state', 'images'), { recursive: true })
  t.match(await show(small), {
    available: false,
    files: [
      { path: 'a.txt', action: 'not_kept', conflicts: [{ reason: 'not_kept', tool_call_id: small.tool_call_id }] }
    ]
  })
  t.equal((await undo(small)).error.code, 'UNDO_CONFLICT')
  t.strictSame(tree(), before)
  const made = await did('write_file', { path: 'new.txt', content: 'new\n' })
  t.match(await undo(made), { status: 'success' }, 'what was made needs nothing kept')
})

t.test('of two concurrent undos one succeeds, the other finds nothing left', async t => {
  const { did, show, post, tree, get } = await startUndoFixture(t, { 'a.txt': ten })
  const before = tree()
  const call = await did('edit_file', { path: 'a.txt', old: 'line 4', new: 'LINE 4' })
  const { digest } = await show(call)
  const both = await Promise.all([1, 2].map(() => post(`/calls/${call.tool_call_id}/undo`, { digest })))
  t.strictSame(tree(), before)
  const ends = both.map(({ status, code, error }) => (status === 'success' ? status : (code ?? error.code))).sort()
  t.equal(ends.filter(end => end === 'success').length, 1)
  t.match(
    ends.find(end => end !== 'success'),
    /^(UNDO_CONFLICT|PREVIEW_CHANGED)$/
  )
  t.same((await get('/approvals')).approvals, [])
})

t.test('shows no secrets, and leaves git untouched', async t => {
  const { did, show, undo, post, read, write, request } = await startUndoFixture(t, { '.env': `TOKEN=CANARY\n${ten}` })
  const call = await did('write_file', { path: '.env', content: `TOKEN=other\n${ten}` })
  const shown = await show(call)
  t.same(shown.files, [
    { path: '.env', action: 'restore', note: 'Reading requires approval: the content is not shown.' }
  ])
  const asked = await post(`/calls/${call.tool_call_id}/undo`, { digest: shown.digest })
  t.match(asked, { status: 'awaiting_approval', approval: { level: 'strict' } }, 'a strict one is confirmed too')
  t.notMatch(JSON.stringify([shown, asked.approval.preview]), /CANARY|other/)
  await post(`/calls/${asked.tool_call_id}/reject`, {})
  write('.env', read('.env').replace('other', 'third'))
  const conflict = await undo(call)
  t.match(conflict.error, { code: 'UNDO_CONFLICT' })
  t.notMatch(JSON.stringify(conflict), /CANARY|third/)
  const agent = { authorization: 'Bearer a-token-that-may-only-call' }
  const own = await did('write_file', { path: '.env', content: `TOKEN=fourth\n${ten}` }, {}, agent)
  const refused = { available: false, reason: /credentials/, files: [] }
  t.match((await request('GET', `/calls/${own.tool_call_id}/undo`, undefined, agent)).body, refused)
  t.match((await request('POST', `/calls/${own.tool_call_id}/undo`, {}, agent)).body, {
    status: 'error',
    error: { code: 'SENSITIVE_PATH' }
  })
})

t.test('reads large content only to write it, and verifies its hash', async t => {
  const world = await startUndoFixture(t, { 'large.txt': large, 'd/large.bin': `\0${large}` })
  const { did, show, undo, tree, folder, write } = world
  const before = tree()
  const edited = await did('write_file', { path: 'large.txt', content: 'small\n' })
  const deleted = await did('delete_file', { path: 'd', recursive: true })
  const after = tree()
  const kept = path.join(folder, 'state/images', edited.changes[0].before_hash.slice(7).replace(/^../, '$&/'))
  const original = readFileSync(kept)
  for (const damaged of [Buffer.alloc(original.length), original.subarray(1)]) {
    writeFileSync(kept, damaged)
    t.match(await show(edited), { available: true, files: [{ path: 'large.txt', action: 'restore' }] })
    t.match(await undo(edited), {
      status: 'error',
      error: { code: 'EXECUTION_ERROR', message: /^The content before the change/ }
    })
    t.strictSame(tree(), after)
    t.match(await show(edited), { available: false, files: [{ action: 'not_kept' }] }, 'what is damaged is no content')
  }
  writeFileSync(kept, original)
  write('large.txt', 'small and changed\n')
  t.match(await show(edited), {
    available: false,
    files: [{ action: 'conflict', conflicts: [{ reason: 'too_large' }] }]
  })
  write('large.txt', 'small\n')
  for (const call of [deleted, edited]) t.match(await undo(call), { status: 'success' })
  t.strictSame(tree(), before)
})

t.test('previewing an undo uses a read slot', async t => {
  const gate = new Gate()
  const { did, show, post } = await startUndoFixture(
    t,
    { 'a.txt': 'a\n' },
    { tools: gatedTools(gate), settings: { limits: { ...defaultSettings().limits, read: 1 } } }
  )
  const edit = await did('write_file', { path: 'a.txt', content: 'b\n' })
  const reading = post('/calls?wait_ms=120000', { tool: 'held_read', params: { name: 'reading' } })
  await gate.waitForArrival('reading')
  const showing = show(edit)
  const ended: string[] = []
  const both = Promise.all([showing.then(() => ended.push('shown')), reading.then(() => ended.push('read'))])
  await did('write_file', { path: 'c.txt', content: 'c\n' })
  t.same(ended, [])
  gate.open('reading')
  await both
  t.match(await showing, { available: true })
})
