// Tests of the routes for the bytes of files: policy, approvals, undo, ranges.
// tier: quick
import { randomBytes } from 'node:crypto'
import { existsSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { agentToken, CALL_TOKEN, type Json, toApproval } from '../start-app.ts'
import { waitUntil } from '../support/wait.ts'
import { etagOf, sha256, startTransfers, withRules } from './transfer-fixture.ts'

t.test('sends the bytes of a file, a range of them, and whether they have changed', async t => {
  const content = randomBytes(700_000)
  const { write, send, get } = await startTransfers(t)
  write('data/a b.bin', content)
  const whole = await send('GET', '/files/data/a%20b.bin')
  t.equal(whole.status, 200)
  t.ok(whole.bytes.equals(content))
  const {
    'x-toolgate-call': id,
    'last-modified': modified,
    date: _,
    connection: __,
    ...headers
  } = Object.fromEntries(whole.headers)
  t.ok(Date.parse(modified!) <= Date.now())
  t.same(headers, {
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'content-disposition': 'attachment',
    'content-length': '700000',
    'content-security-policy': 'sandbox',
    'content-type': 'application/octet-stream',
    etag: etagOf(content),
    'keep-alive': 'timeout=72',
    'x-content-type-options': 'nosniff'
  })
  t.match(await get(`/calls/${id}`), {
    tool: 'download_file',
    status: 'success',
    params: { path: 'data/a b.bin' },
    result: { data: { path: 'data/a b.bin', size: 700_000, hash: sha256(content) } }
  })

  for (const [range, start, end] of [
    ['bytes=0-0', 0, 1],
    ['bytes=300000-', 300_000, 700_000],
    ['bytes=-5', 699_995, 700_000],
    ['bytes=5-9999999', 5, 700_000]
  ] as const) {
    const part = await send('GET', '/files/data/a%20b.bin', undefined, { range })
    t.equal(part.status, 206, range)
    t.equal(part.headers.get('content-range'), `bytes ${start}-${end - 1}/700000`)
    t.ok(part.bytes.equals(content.subarray(start, end)), range)
  }
  for (const range of ['bytes=0-1,5-6', 'lines=1-2', 'nonsense', 'bytes=5-1,'])
    t.equal((await send('GET', '/files/data/a%20b.bin', undefined, { range })).bytes.length, 700_000, range)
  const beyond = await send('GET', '/files/data/a%20b.bin', undefined, { range: 'bytes=700000-' })
  t.match(beyond.json, { status: 416, code: 'RANGE_NOT_SATISFIABLE' })
  t.equal(beyond.headers.get('content-range'), 'bytes */700000')

  const etag = etagOf(content)
  const conditional = async (headers: Record<string, string>) => {
    const { status, bytes } = await send('GET', '/files/data/a%20b.bin', undefined, headers)
    return [status, bytes.length]
  }
  t.same(await conditional({ 'if-none-match': `"x", ${etag}` }), [304, 0])
  t.same(await conditional({ 'if-none-match': '"x"' }), [200, 700_000])
  t.same((await conditional({ 'if-match': '"x"' }))[0], 412)
  t.same(await conditional({ 'if-match': etag }), [200, 700_000])
  t.same(await conditional({ range: 'bytes=0-1', 'if-range': etag }), [206, 2])
  t.same(await conditional({ range: 'bytes=0-1', 'if-range': '"x"' }), [200, 700_000])
  const head = await send('HEAD', '/files/data/a%20b.bin')
  t.same([head.status, head.bytes.length, head.headers.get('content-length')], [200, 0, '700000'])
  const long = `${'folder/'.repeat(40)}file`
  write(long, 'x')
  t.equal((await send('GET', `/files/${long}`)).bytes.toString(), 'x')
  write('empty', '')
  t.same((await send('GET', '/files/empty')).bytes.length, 0)
})

t.test('a download is refused as other reads are', async t => {
  const { root, send, write } = await startTransfers(t, { '.env': 'KEY=1\n', 'a.txt': 'one\n' })
  symlinkSync('.env', path.join(root, 'link'))
  write('folder/x', 'x')
  const codes = async (target: string, headers = {}) => {
    const { status, json } = await send('GET', target, undefined, headers)
    return [status, json.code ?? json.status]
  }
  t.same(await codes('/files/missing'), [404, 'FILE_NOT_FOUND'])
  t.same(await codes('/files/folder'), [400, 'NOT_A_FILE'])
  t.same(await codes('/files/..%2fstate%2fjournal.db'), [400, 'INVALID_PATH'])
  t.same(await codes('/files/.env'), [202, 'awaiting_approval'])
  t.same(await codes('/files/link'), [202, 'awaiting_approval'])
  t.same(await codes('/files/a.txt', { token: 'x' }), [401, 'UNAUTHORIZED'])
  t.same(await codes('/files/a.txt?workspace=x'), [400, 'INVALID_PARAMS'])
  t.same((await send('GET', '/files/a.txt', undefined, { token: CALL_TOKEN })).bytes.toString(), 'one\n')
})

t.test('a download that needs approval is sent after it, as it was then', async t => {
  const rules = withRules({ effect: 'ask', match: { tool: 'download_file', path: 'asked' } })
  const { send, get, post, write } = await startTransfers(t, { asked: 'KEY=1\n' }, rules)
  const { status, json } = await send('GET', '/files/asked', undefined, { token: CALL_TOKEN })
  t.same([status, json.status, json.tool], [202, 'awaiting_approval', 'download_file'])
  const again = `/files/asked?tool_call_id=${json.tool_call_id}`
  t.equal((await send('GET', again, undefined, { token: CALL_TOKEN })).status, 202)
  t.match((await send('GET', again, undefined, { token: agentToken('other') })).json, { code: 'NOT_FOUND' })
  const waiting = send('GET', `${again}&wait_ms=120000`, undefined, { token: CALL_TOKEN })
  const { approvals } = await get('/approvals')
  await post('/approve', toApproval(approvals[0]))
  t.equal((await waiting).bytes.toString(), 'KEY=1\n')
  const part = await send('GET', again, undefined, { token: CALL_TOKEN, range: 'bytes=0-2' })
  t.same([part.status, part.bytes.toString()], [206, 'KEY'])
  t.match((await send('GET', `/files/other?tool_call_id=${json.tool_call_id}`)).json, { code: 'CONFLICT' })
  // Written in place: the file that is kept open has other bytes now.
  await waitUntil('another time stamp', () => {
    write('asked', 'KEY=2\n')
    return true
  })
  t.match((await send('GET', again, undefined, { token: CALL_TOKEN })).json, { code: 'STALE_FILE' })

  const rejected = (await send('GET', '/files/asked')).json
  await post('/reject', { tool_call_id: rejected.tool_call_id, reason: 'No.' })
  t.match((await send('GET', `/files/asked?tool_call_id=${rejected.tool_call_id}`)).json, {
    status: 403,
    code: 'PERMISSION_DENIED',
    detail: 'The call was rejected: No.'
  })
})

t.test('writes the bytes of a body, with approval, under the same undo, and leaves nothing behind', async t => {
  const { send, get, post, call, read, root, staged } = await startTransfers(t, { 'old.txt': 'one\n' })
  const created = await send('PUT', '/files/new/b.bin', Buffer.from([0, 1, 2]))
  t.equal(created.status, 201)
  t.equal(created.headers.get('etag'), etagOf(Buffer.from([0, 1, 2])))
  t.match(created.json, {
    tool: 'upload_file',
    status: 'success',
    params: { path: 'new/b.bin', size: 3, hash: sha256(Buffer.from([0, 1, 2])) },
    changes: [{ path: 'new' }, { path: 'new/b.bin', operation: 'created' }]
  })
  t.same(staged(), [])

  // A JSON file is bytes like any other.
  const waits = await send('PUT', '/files/old.txt', '{"two": 2}\n', { 'content-type': 'application/json' })
  t.equal(waits.status, 202)
  t.equal(read('old.txt'), 'one\n')
  t.match(waits.json.approval.preview, { title: 'Overwrite old.txt', diff: /-one\n\+\{"two": 2\}/ })
  t.equal(staged().length, 2, 'kept while the call waits')
  const { approvals } = await get('/approvals')
  await post('/approve', toApproval(approvals[0]))
  const { tool_call_id } = waits.json
  t.match(await get(`/calls/${tool_call_id}?wait_ms=120000`), { status: 'success' })
  await waitUntil('the upload to be removed', () => staged().length === 0)
  t.equal(read('old.txt'), '{"two": 2}\n')
  t.match(await post(`/calls/${tool_call_id}/undo?wait_ms=0`, {}), { tool: 'undo' })
  const undo = (await get('/approvals')).approvals[0]
  await post('/approve', toApproval(undo))
  await get(`/calls/${undo.tool_call_id}?wait_ms=120000`)
  t.equal(read('old.txt'), 'one\n')

  const again = (await send('PUT', '/files/old.txt', 'three\n')).json
  await post('/reject', { tool_call_id: again.tool_call_id })
  await waitUntil('the rejected upload to be removed', () => staged().length === 0)
  t.equal(read('old.txt'), 'one\n')
  t.notOk(existsSync(path.join(root, 'old.txt.tmp')))
  t.match(await call('upload_file', { path: 'x', size: 0, hash: 'x' }), {
    error: { code: 'NOT_FOUND' }
  })
  t.notOk((await get('/tools')).tools.some(({ name }: Json) => /upload_file|download_file/.test(name)))
})
