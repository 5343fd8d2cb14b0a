// Tests of uploads over the routes for the bytes of files: conditions, previews, and what is staged.
// tier: full
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { toApproval } from '../start-app.ts'
import { once, waitUntil } from '../support/wait.ts'
import { ALLOW, beginRequest, etagOf, sha256, startTransfers, withRules } from './transfer-fixture.ts'

t.test('conditions of an upload: only if unchanged, only if new', async t => {
  const big = randomBytes(9 * 1024 * 1024)
  const { send, write, read, root, staged } = await startTransfers(t, { 'a.txt': 'one\n' }, ALLOW)
  const put = async (target: string, body: string | Buffer, headers = {}) => {
    const { status, json } = await send('PUT', target, body, headers)
    return [status, json.code ?? json.status]
  }
  t.same(await put('/files/a.txt', 'two\n', { 'if-match': etagOf('one\n') }), [200, 'success'])
  t.same(await put('/files/a.txt', 'three\n', { 'if-match': etagOf('one\n') }), [412, 'PRECONDITION_FAILED'])
  t.same(await put('/files/a.txt', 'three\n', { 'if-none-match': '*' }), [412, 'PRECONDITION_FAILED'])
  t.equal(read('a.txt'), 'two\n')
  t.same(await put('/files/b.txt', 'new\n', { 'if-none-match': '*' }), [201, 'success'])
  t.same(await put('/files/none/b.txt?create_dirs=false', 'x'), [404, 'FILE_NOT_FOUND'])
  t.same(await put('/files/a.txt', 'x', { 'if-match': '"x"' }), [400, 'INVALID_PARAMS'])
  // A file that is too large to be hashed for a preview.
  write('big', big)
  t.same(await put('/files/big', 'x', { 'if-match': etagOf('y') }), [412, 'PRECONDITION_FAILED'])
  t.same(await put('/files/big', big.subarray(1), { 'if-match': etagOf(big) }), [200, 'success'])
  t.ok(readFileSync(path.join(root, 'big')).equals(big.subarray(1)))
  t.same(staged(), [])
})

t.test('policy refuses an upload before its bytes are sent', async t => {
  const { url, send, get, staged } = await startTransfers(
    t,
    {},
    withRules({ effect: 'deny', match: { tool: 'upload_file', path: 'closed/**' } })
  )
  const { json } = await send('PUT', '/files/closed/a', 'x')
  t.match(json, { status: 403, code: 'PERMISSION_DENIED', details: { tool_call_id: String } })
  t.match(await get(`/calls/${json.details.tool_call_id}`), { tool: 'upload_file', status: 'rejected' })
  const endless = beginRequest(url, 'PUT', '/files/closed/a', { 'content-length': 10_000_000 })
  endless.write('the first bytes')
  const [response] = await once(endless, 'response')
  t.equal(response.statusCode, 403)
  endless.destroy()
  t.same(staged(), [])
})

t.test('the preview of an upload shows what a diff does not', async t => {
  const { send, write } = await startTransfers(t, { 'a.txt': 'one\n', '.env': 'KEY=1\n' })
  write('bin', Buffer.from([0, 1]))
  const preview = async (target: string, body: Uint8Array | string) =>
    (await send('PUT', target, body)).json.approval.preview
  const bytes = Buffer.from([0, 1, 2])
  t.match(await preview('/files/a.txt', bytes), { text: `3 bytes that are not text, ${sha256(bytes)}` })
  t.match(await preview('/files/a.txt', '\ufeffone\n'), {
    notes: ['The encoding of the file changes from utf-8 to utf-8-bom.', /^The text does not change/]
  })
  t.match(await preview('/files/bin', 'one\n'), {
    text: 'one\n',
    notes: [/^The current content, 2 bytes, is not shown/]
  })
  const secret = await preview('/files/.env', 'KEY=2\n')
  t.notMatch(JSON.stringify(secret), 'KEY=1')
  t.match(secret, { text: 'KEY=2\n', notes: [/is not shown/] })
})

t.test('an interrupted body writes nothing', async t => {
  const { url, root, staged, get } = await startTransfers(t, {}, ALLOW)
  const request = beginRequest(url, 'PUT', '/files/a.bin', { 'content-length': 1_000 })
  request.write('x'.repeat(500))
  await waitUntil('the upload to begin', () => staged().length > 0)
  request.destroy()
  await waitUntil('the upload to be removed', () => staged().length === 0)
  t.notOk(existsSync(path.join(root, 'a.bin')))
  t.same((await get('/calls')).calls, [])
})

t.test('an upload waits for its decision over a restart', async t => {
  const first = await startTransfers(t, { 'a.txt': 'one\n' })
  const waits = (await first.send('PUT', '/files/a.txt', 'two\n')).json
  await first.close()
  const second = await startTransfers(t, {}, { folder: first.folder })
  const { approvals } = await second.get('/approvals')
  t.equal(approvals[0].tool_call_id, waits.tool_call_id)
  await second.post('/approve', toApproval(approvals[0]))
  t.match(await second.get(`/calls/${waits.tool_call_id}?wait_ms=120000`), { status: 'success' })
  t.equal(second.read('a.txt'), 'two\n')

  // Bytes that were changed on disk are not those that a person approved.
  const changed = (await second.send('PUT', '/files/a.txt', 'three\n')).json
  const [name] = second.staged().filter(name => !name.endsWith('.json'))
  writeFileSync(path.join(second.folder, 'state/uploads', name!), 'other\n')
  await second.post('/approve', toApproval((await second.get('/approvals')).approvals[0]))
  t.match(await second.get(`/calls/${changed.tool_call_id}?wait_ms=120000`), { status: 'error' })
  t.equal(second.read('a.txt'), 'two\n')
})

t.test('a body that is too large names the limit and the way for large files', async t => {
  const { post } = await startTransfers(t)
  t.match(await post('/calls', { tool: 'write_file', params: { path: 'a', content: 'x'.repeat(2_000_000) } }), {
    code: 'TOO_LARGE',
    detail: /limits\.body_bytes.*PUT \/files\/\{path\}/s
  })
})
