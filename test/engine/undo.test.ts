// tier: full
import { chmodSync } from 'node:fs'
import t from 'tap'
import { CALL_TOKEN, type Json } from '../start-app.ts'
import { startUndoFixture, toActions } from './undo-fixture.ts'

const TEN = Array.from({ length: 10 }, (_, i) => `line ${i + 1}\n`)
const ten = TEN.join('')

t.test('shows and undoes the change of a file as previewed', async t => {
  const { did, show, undo, read, get, mode, at, events: follow } = await startUndoFixture(t, { 'a.txt': ten })
  chmodSync(at('a.txt'), 0o750)
  const call = await did('edit_file', { path: 'a.txt', old: 'line 3', new: 'LINE 3' }, { session_id: 's' })
  t.same(call.undo, { available: true })
  const shown = await show(call)
  t.same(shown, {
    available: true,
    files: [
      {
        path: 'a.txt',
        action: 'restore',
        diff: shown.files[0].diff
      }
    ],
    digest: shown.digest
  })
  t.match(shown.files[0].diff, /^-LINE 3\n\+line 3$/m)
  t.equal(read('a.txt'), ten.replace('line 3', 'LINE 3'), 'showing changes nothing')
  const undone = await undo(call)
  t.match(undone, {
    status: 'success',
    tool: 'undo',
    session_id: 's',
    params: { tool_call_id: call.tool_call_id },
    approved_by: { source: 'user', digest: shown.digest },
    changes: [{ path: 'a.txt', operation: 'modified', before_hash: call.changes[0].after_hash, added: 1, removed: 1 }],
    undo: { available: true },
    result: { data: { tool_call_id: call.tool_call_id, calls: [call.tool_call_id] } }
  })
  t.same([read('a.txt'), mode('a.txt')], [ten, '750'])
  const events = await follow(`?after=0&tool_call_id=${undone.tool_call_id}`)
  t.same(
    (await events.type('tool.result')).slice(1).map(({ event }) => event),
    ['tool.call', 'tool.decision', 'file.changed', 'tool.result'],
    'it is told as any call is'
  )
  t.match(await show(call), { available: false, reason: 'There is nothing to undo.', files: [{ action: 'nothing' }] })
  t.match(await undo(call), {
    status: 'error',
    error: {
      code: 'UNDO_CONFLICT',
      message: 'There is nothing to undo: the files already have the content from before the call.'
    }
  })
  t.match((await undo(undone)).status, 'success', 'an undo is undone like any call')
  t.equal(read('a.txt'), ten.replace('line 3', 'LINE 3'))
  t.match(await get(`/calls/${undone.tool_call_id}`), undone)
})

t.test('undoes every kind of change, bytes, modes, links and folders', async t => {
  const { did, undo, tree, at, link, makeFolder, mode, write, ...app } = await startUndoFixture(t, {
    'a.txt': ten,
    'd/b.txt': 'b\n',
    'd/e/c.sh': 'c\n',
    'over.txt': 'over\n'
  })
  write('bin', Buffer.from([0, 255, 1, 128]))
  chmodSync(at('d/e/c.sh'), 0o711)
  chmodSync(at('d/e'), 0o700)
  chmodSync(at('over.txt'), 0o640)
  link('d/link', '../a.txt')
  link('d/lost', 'no/such')
  link('d/out', '/etc/hostname')
  makeFolder('d/empty')
  const before = tree()
  const cases: [string, object, Record<string, string>][] = [
    [
      'write_file',
      { path: 'new/deep/x.txt', content: 'x' },
      { new: 'delete', 'new/deep': 'delete', 'new/deep/x.txt': 'delete' }
    ],
    ['write_file', { path: 'a.txt', content: 'all new\n' }, { 'a.txt': 'restore' }],
    ['write_file', { path: 'bin', content: 'now text\n' }, { bin: 'restore' }],
    ['edit_file', { path: 'd/e/c.sh', old: 'c', new: 'C' }, { 'd/e/c.sh': 'restore' }],
    ['delete_file', { path: 'bin' }, { bin: 'recreate' }],
    ['delete_file', { path: 'd/link' }, { 'd/link': 'recreate' }],
    [
      'delete_file',
      { path: 'd', recursive: true },
      Object.fromEntries(
        ['d', 'd/b.txt', 'd/e', 'd/e/c.sh', 'd/empty', 'd/link', 'd/lost', 'd/out'].map(name => [name, 'recreate'])
      )
    ],
    ['move_file', { from: 'a.txt', to: 'm/a.txt' }, { 'a.txt': 'move_back from m/a.txt', m: 'delete' }],
    ['move_file', { from: 'd', to: 'moved' }, { d: 'move_back from moved' }],
    [
      'move_file',
      { from: 'bin', to: 'over.txt', overwrite: true },
      { bin: 'move_back from over.txt', 'over.txt': 'restore' }
    ],
    ['copy_file', { source: 'a.txt', dest: 'copy.txt' }, { 'copy.txt': 'delete' }],
    ['copy_file', { source: 'a.txt', dest: 'over.txt', overwrite: true }, { 'over.txt': 'restore' }],
    ['create_directory', { path: 'p/q' }, { p: 'delete', 'p/q': 'delete' }]
  ]
  for (const [tool, params, expected] of cases) {
    const call = await did(tool, params)
    const changed = tree()
    const undone = await undo(call)
    t.equal(undone.status, 'success', JSON.stringify([tool, params, undone.error]))
    t.same(toActions(undone), expected, `${tool} ${JSON.stringify(params)}`)
    t.strictSame(tree(), before)
    t.same([mode('d/e'), mode('over.txt')], ['700', '640'])
    const redone = await undo(undone)
    t.equal(redone.status, 'success', JSON.stringify(redone.error))
    t.strictSame(tree(), changed, 'and done again')
    t.equal((await undo(redone)).status, 'success')
    t.strictSame(tree(), before)
  }
  t.equal((await app.get('/state')).running.length, 0)
})

t.test('merges with later changes if possible', async t => {
  const { did, undo, read, write, at, show } = await startUndoFixture(t, {
    'a.txt': ten,
    'w.txt': ten.replaceAll('\n', '\r\n')
  })
  const first = await did('edit_file', { path: 'a.txt', old: 'line 2', new: 'LINE 2' })
  const second = await did('edit_file', { path: 'a.txt', old: 'line 5', new: 'LINE 5' })
  const third = await did('edit_file', { path: 'a.txt', old: 'line 8', new: 'LINE 8' })
  chmodSync(at('a.txt'), 0o600)
  t.match(await show(second), { files: [{ action: 'merge', note: 'Later changes in the file are kept.' }] })
  for (const [call, gone] of [
    [second, 5],
    [third, 8],
    [first, 2]
  ])
    t.match([await undo(call), read('a.txt').includes(`LINE ${gone}`)], [{ status: 'success' }, false])
  t.equal(read('a.txt'), ten, 'in any order')

  const edit = await did('edit_file', { path: 'w.txt', old: 'line 2', new: 'LINE 2' })
  write('w.txt', `${read('w.txt')}by hand`.replaceAll('\r\n', '\n'))
  t.same(toActions(await undo(edit)), { 'w.txt': 'merge' })
  t.equal(read('w.txt'), `${ten}by hand`, 'line endings and the end are as they are now')

  const moved = await did('move_file', { from: 'a.txt', to: 'b.txt' })
  write('b.txt', `${ten}more\n`)
  t.same(toActions(await undo(moved)), { 'a.txt': 'move_back from b.txt' })
  t.equal(read('a.txt'), `${ten}more\n`)
})

t.test('on a conflict changes nothing, and reports the conflicting lines', async t => {
  const { did, undo, write, remove, tree, makeFolder, show, read } = await startUndoFixture(t, {
    'a.txt': ten,
    'b.txt': 'b\n'
  })
  const edit = await did('edit_file', { path: 'a.txt', old: 'line 4', new: 'LINE 4' })
  write('a.txt', read('a.txt').replace('LINE 4', 'by hand').replace('line 1\n', 'new\nline 1\n'))
  const clash = {
    tool_call_id: edit.tool_call_id,
    reason: 'overlap',
    message: 'line 5: the same lines were changed later',
    start_line: 5,
    end_line: 5,
    now: 'by hand',
    before: 'line 4'
  }
  const files = [{ path: 'a.txt', action: 'conflict', conflicts: [clash] }]
  t.same(await show(edit), {
    available: false,
    reason: 'A later change overlaps the change to undo. See the conflicts of the files.',
    files
  })
  const before = tree()
  t.match(await undo(edit), {
    status: 'error',
    error: {
      code: 'UNDO_CONFLICT',
      message: 'a.txt: line 5: the same lines were changed later. Nothing was changed.',
      details: { files }
    }
  })
  t.strictSame(tree(), before)

  const reasons = async (call: Json) => {
    const was = tree()
    const ended = await undo(call)
    t.equal(ended.error?.code, 'UNDO_CONFLICT')
    t.strictSame(tree(), was, 'nothing changes')
    return ended.error.details.files.map((file: Json) => [file.path, file.action, file.conflicts?.[0].reason])
  }
  const made = await did('write_file', { path: 'made.txt', content: 'made\n' })
  write('made.txt', 'made, and more\n')
  t.same(await reasons(made), [['made.txt', 'conflict', 'changed']])

  const gone = await did('delete_file', { path: 'b.txt' })
  write('b.txt', 'another\n')
  t.same(await reasons(gone), [['b.txt', 'conflict', 'exists']])
  remove('b.txt')
  makeFolder('b.txt')
  t.same(await reasons(gone), [['b.txt', 'conflict', 'exists']])
  remove('b.txt')
  write('b.txt', 'b\n')
  t.match(await undo(gone), { error: { message: /^There is nothing to undo/ } }, 'somebody else has brought it back')

  const removed = await did('edit_file', { path: 'b.txt', old: 'b', new: 'B' })
  remove('b.txt')
  t.same(await reasons(removed), [['b.txt', 'conflict', 'gone']])
  makeFolder('b.txt')
  t.same(await reasons(removed), [['b.txt', 'conflict', 'changed']])
  remove('b.txt')

  write('x/y.txt', 'y\n')
  const moved = await did('move_file', { from: 'x/y.txt', to: 'z.txt' })
  write('x/y.txt', 'in its place\n')
  t.same(await reasons(moved), [['x/y.txt', 'conflict', 'exists']])
  remove('x')
  write('x', 'a file above it\n')
  t.same(await reasons(moved), [['x', 'conflict', 'exists']])
  remove('z.txt')
  t.same(await reasons(moved), [['z.txt', 'conflict', 'gone']])

  write('y/1.txt', '1\n')
  const folder = await did('move_file', { from: 'y', to: 'elsewhere' })
  write('y/2.txt', '2\n')
  t.same(await reasons(folder), [['y', 'conflict', 'exists']])

  write('bin', Buffer.from([0, 1]))
  const binary = await did('write_file', { path: 'bin', content: 'AAIC', encoding: 'base64' })
  write('bin', Buffer.from([0, 3]))
  t.same(await reasons(binary), [['bin', 'conflict', 'changed']])
})

t.test('keeps folders to which others have added files', async t => {
  const { did, undo, write, tree } = await startUndoFixture(t)
  const call = await did('write_file', { path: 'd/e/a.txt', content: 'a' })
  write('d/b.txt', 'b')
  t.same(toActions(await undo(call)), { d: 'nothing', 'd/e': 'delete', 'd/e/a.txt': 'delete' })
  t.same(Object.keys(tree()), ['d', 'd/b.txt'])
})

t.test('undoes only some of the paths', async t => {
  const { did, undo, tree, write, post, request } = await startUndoFixture(t, { 'd/a': 'a', 'd/e/b': 'b', c: 'c' })
  const before = tree()
  const call = await did('delete_file', { path: 'd', recursive: true })
  t.same(toActions(await undo(call, { paths: ['./d/e/'] })), { d: 'recreate', 'd/e': 'recreate', 'd/e/b': 'recreate' })
  t.same(Object.keys(tree()), ['c', 'd', 'd/e', 'd/e/b'])
  t.same(toActions(await undo(call)), { d: 'nothing', 'd/a': 'recreate', 'd/e': 'nothing', 'd/e/b': 'nothing' })
  t.strictSame(tree(), before)
  write('c', 'C')
  const strange = await post(`/calls/${call.tool_call_id}/undo`, { paths: ['d/a', 'c'] })
  t.match(strange, {
    error: { code: 'INVALID_PARAMS', details: { errors: [{ pointer: '/params/paths/1' }] } }
  })
  const ask = (target: string) => request('GET', `/calls/${call.tool_call_id}/undo${target}`)
  t.match((await ask('?paths=d/a&paths=d/e')).body.files.length, 3)
  t.match(await ask('?scope=all'), { status: 400, body: { errors: [{ pointer: '/scope' }] } })
})

t.test('a call-only caller must ask; an approver has approved the preview', async t => {
  const { did, show, post, request, write, read, get } = await startUndoFixture(t, { 'a.txt': ten, 'b.txt': ten })
  const agent = { authorization: `Bearer ${CALL_TOKEN}` }
  const call = await did('edit_file', { path: 'a.txt', old: 'line 1\n', new: 'first\n' }, {}, agent)
  const target = `/calls/${call.tool_call_id}/undo`
  const { digest } = await show(call)
  const asked = await request('POST', target, { digest, session_id: 'other' }, agent)
  t.match(asked, { status: 202, body: { status: 'awaiting_approval', session_id: 'other', approval: { digest } } })
  t.match(asked.body.approval.preview, {
    title: `Undo ${call.tool_call_id}`,
    text: /^edit_file, ended .*\n\nrestore a.txt$/,
    diff: /-first\n\+line 1/
  })
  await post(`/calls/${asked.body.tool_call_id}/reject`, {})

  write('a.txt', `${read('a.txt')}more\n`)
  const late = await request('POST', target, { digest })
  t.match(late, {
    status: 409,
    body: { code: 'PREVIEW_CHANGED', details: { available: true, files: [{ action: 'merge' }], digest: String } }
  })
  t.match(await request('POST', target, { digest: late.body.details.digest }), {
    status: 200,
    body: { status: 'success' }
  })
  t.equal(read('a.txt'), `${ten}more\n`)

  const other = await did('write_file', { path: 'b.txt', content: 'b\n' })
  const key = { 'idempotency-key': 'once' }
  const body = { digest: (await show(other)).digest }
  const once = await request('POST', `/calls/${other.tool_call_id}/undo`, body, key)
  t.match(once, { status: 200, body: { status: 'success' } })
  t.same(
    (await request('POST', `/calls/${other.tool_call_id}/undo`, body, key)).body,
    once.body,
    'sent twice, done once'
  )
  t.match(
    await request('POST', `/calls/${once.body.tool_call_id}/undo`, {}),
    { status: 202 },
    'without a digest it asks'
  )

  t.match(await request('GET', '/calls/tc_00000000000000000000000000/undo'), { status: 404 })
  t.match(await request('POST', '/calls/tc_00000000000000000000000000/undo', {}), { status: 404 })
  const waiting = (await get('/approvals')).approvals[0]
  t.match(await request('GET', `/calls/${waiting.tool_call_id}/undo`), { status: 409, body: { code: 'CONFLICT' } })
  t.match(await request('POST', `/calls/${waiting.tool_call_id}/undo`, {}), { status: 409 })
  const reading = await did('read_file', { path: 'a.txt' })
  t.equal(reading.undo, undefined)
  t.match(await show(reading), { available: false, reason: 'There is nothing to undo.', files: [] })
})
