// Tests of the routes for the bytes of files: policy, approvals, undo, ranges, conditions, and uploads in parts.
// tier: full
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import path from 'node:path'
import t, { type Test } from 'tap'
import type { Settings } from '../../src/config/settings.ts'
import { agentToken, CALL_TOKEN, type Json, type StartOptions, startApp, TOKEN, toApproval } from '../start-app.ts'
import { once, waitUntil, within } from '../support/wait.ts'

const sha256 = (bytes: Uint8Array | string) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`
const etagOf = (bytes: Uint8Array | string) => `"${sha256(bytes)}"`

interface Sent {
  status: number
  headers: Headers
  bytes: Buffer
  json: Json
}

/** Starts a server, and returns it with a function that sends bytes. */
async function start(t: Test, files: Record<string, string> = {}, options: StartOptions = {}) {
  const app = await startApp(t, files, options)
  const send = async (
    method: string,
    target: string,
    body?: Uint8Array | string,
    { token = TOKEN, ...headers }: Record<string, string> = {}
  ): Promise<Sent> => {
    const init = {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body !== undefined && { body })
    }
    const response = await within(`the answer to ${method} ${target}`, fetch(app.url + target, init))
    const bytes = Buffer.from(await within('its body', response.arrayBuffer()))
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      json: isJson && bytes.length > 0 && JSON.parse(bytes.toString())
    }
  }
  const staged = () => {
    const folder = path.join(app.folder, 'state/uploads')
    return existsSync(folder) ? readdirSync(folder) : []
  }
  return { ...app, send, staged }
}

/** Begins a request whose body is sent by hand. */
function beginRequest(url: string, method: string, target: string, headers: Record<string, string | number>) {
  const { hostname, port } = new URL(url)
  const sent = { authorization: `Bearer ${TOKEN}`, ...headers }
  const request = httpRequest({ hostname, port, path: target, method, headers: sent })
  return request.on('error', () => {})
}

/** Returns settings with these rules of the user. */
const withRules = (...user: Settings['tiers']['user']): StartOptions => ({
  settings: { tiers: { administrator: [], user, workspace: [] } }
})
const ALLOW = withRules({ effect: 'allow', match: { tool: '*' } })

t.test('sends the bytes of a file, a range of them, and whether they have changed', async t => {
  const content = randomBytes(700_000)
  const { write, send, get } = await start(t)
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
  const { root, send, write } = await start(t, { '.env': 'KEY=1\n', 'a.txt': 'one\n' })
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
  const { send, get, post, write } = await start(t, { asked: 'KEY=1\n' }, rules)
  const { status, json } = await send('GET', '/files/asked', undefined, { token: CALL_TOKEN })
  t.same([status, json.status, json.tool], [202, 'awaiting_approval', 'download_file'])
  const again = `/files/asked?tool_call_id=${json.tool_call_id}`
  t.equal((await send('GET', again, undefined, { token: CALL_TOKEN })).status, 202)
  t.match((await send('GET', again, undefined, { token: agentToken('other') })).json, { code: 'NOT_FOUND' })
  const waiting = send('GET', `${again}&wait_ms=30000`, undefined, { token: CALL_TOKEN })
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
  const { send, get, post, call, read, root, staged } = await start(t, { 'old.txt': 'one\n' })
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
  t.match(await get(`/calls/${tool_call_id}?wait_ms=10000`), { status: 'success' })
  await waitUntil('the upload to be removed', () => staged().length === 0)
  t.equal(read('old.txt'), '{"two": 2}\n')
  t.match(await post(`/calls/${tool_call_id}/undo?wait_ms=0`, {}), { tool: 'undo' })
  const undo = (await get('/approvals')).approvals[0]
  await post('/approve', toApproval(undo))
  await get(`/calls/${undo.tool_call_id}?wait_ms=10000`)
  t.equal(read('old.txt'), 'one\n')

  const again = (await send('PUT', '/files/old.txt', 'three\n')).json
  await post('/reject', { tool_call_id: again.tool_call_id })
  await waitUntil('the rejected upload to be removed', () => staged().length === 0)
  t.equal(read('old.txt'), 'one\n')
  t.notOk(existsSync(path.join(root, 'old.txt.tmp')))
  t.match(await call('upload_file', { path: 'x', upload: 'up_0', size: 0, hash: 'x' }), {
    error: { code: 'NOT_FOUND' }
  })
  t.notOk((await get('/tools')).tools.some(({ name }: Json) => /upload_file|download_file/.test(name)))
})

t.test('conditions of an upload: only if unchanged, only if new', async t => {
  const big = randomBytes(9 * 1024 * 1024)
  const { send, write, read, root, staged } = await start(t, { 'a.txt': 'one\n' }, ALLOW)
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
  const { url, send, get, staged } = await start(
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
  const { send, write } = await start(t, { 'a.txt': 'one\n', '.env': 'KEY=1\n' })
  write('bin', Buffer.from([0, 1]))
  const preview = async (target: string, body: Uint8Array | string) =>
    (await send('PUT', target, body)).json.approval.preview
  const bytes = Buffer.from([0, 1, 2])
  t.match(await preview('/files/a.txt', bytes), { text: `3 bytes that are not text, ${sha256(bytes)}` })
  t.match(await preview('/files/a.txt', '\ufeffone\n'), {
    notes: ['Its encoding changes from utf-8 to utf-8-bom.', /^The text is the same/]
  })
  t.match(await preview('/files/bin', 'one\n'), { text: 'one\n', notes: [/^What is there now, 2 bytes, is not shown/] })
  const secret = await preview('/files/.env', 'KEY=2\n')
  t.notMatch(JSON.stringify(secret), 'KEY=1')
  t.match(secret, { text: 'KEY=2\n', notes: [/is not shown/] })
})

t.test('an interrupted body writes nothing', async t => {
  const { url, root, staged, get } = await start(t, {}, ALLOW)
  const request = beginRequest(url, 'PUT', '/files/a.bin', { 'content-length': 1_000 })
  request.write('x'.repeat(500))
  await waitUntil('the upload to begin', () => staged().length > 0)
  request.destroy()
  await waitUntil('the upload to be removed', () => staged().length === 0)
  t.notOk(existsSync(path.join(root, 'a.bin')))
  t.same((await get('/calls')).calls, [])
})

t.test('an upload in parts goes on after a lost connection and a restart', async t => {
  const content = randomBytes(300_000)
  const first = await start(t, {}, ALLOW)
  const begun = await first.send('PUT', '/files/big.bin', content.subarray(0, 1_000), {
    token: CALL_TOKEN,
    'upload-complete': '?0',
    'upload-length': '300000'
  })
  t.equal(begun.status, 201)
  const at = begun.headers.get('location')!
  t.match(at, /^\/uploads\/up_[0-9a-f]{32}$/)
  t.equal(begun.headers.get('upload-offset'), '1000')

  // A part that is cut off: what arrived of it stays.
  const cut = beginRequest(first.url, 'PATCH', at, {
    authorization: `Bearer ${CALL_TOKEN}`,
    'content-length': 200_000,
    'upload-offset': 1_000,
    'upload-complete': '?0'
  })
  cut.write(content.subarray(1_000, 101_000))
  const offset = async (app: typeof first) =>
    Number((await app.send('HEAD', at, undefined, { token: CALL_TOKEN })).headers.get('upload-offset'))
  await waitUntil('the part to arrive', async () => (await offset(first)) === 101_000)
  t.match(
    (await first.send('PATCH', at, 'x', { token: CALL_TOKEN, 'upload-offset': '101000', 'upload-complete': '?0' }))
      .json,
    { code: 'CONFLICT' },
    'one part at a time'
  )
  cut.destroy()
  const wrong = { token: CALL_TOKEN, 'upload-offset': '5', 'upload-complete': '?0' }
  const refused = await waitUntil('the cut part to be over', async () => {
    const answer = await first.send('PATCH', at, 'x', wrong)
    return answer.json.details?.expected_offset !== undefined && answer
  })
  t.match(refused.json, { status: 409, code: 'CONFLICT', details: { expected_offset: 101_000, provided_offset: 5 } })
  t.equal(refused.headers.get('upload-offset'), '101000')
  t.match((await first.send('PATCH', at, 'x', { ...wrong, token: agentToken('other') })).json, { code: 'NOT_FOUND' })
  await first.close()

  const second = await start(t, {}, { ...ALLOW, folder: first.folder })
  t.equal(await offset(second), 101_000)
  const rest = { token: CALL_TOKEN, 'upload-offset': '101000' }
  t.match((await second.send('PATCH', at, Buffer.alloc(200_000), { ...rest, 'upload-complete': '?0' })).json, {
    code: 'INVALID_PARAMS',
    detail: /more than the 300000 bytes announced/
  })
  t.match((await second.send('PATCH', at, '', { ...rest, 'upload-complete': '?1' })).json, {
    code: 'INVALID_PARAMS',
    detail: /101000 of the 300000 bytes announced/
  })
  const done = await second.send('PATCH', at, content.subarray(101_000), { ...rest, 'upload-complete': '?1' })
  t.equal(done.status, 201)
  t.equal(done.headers.get('etag'), etagOf(content))
  t.ok(readFileSync(path.join(second.root, 'big.bin')).equals(content))
  t.equal((await second.send('HEAD', at)).status, 404)
  t.same(second.staged(), [])
})

t.test('a given-up upload, and a waiting one over a restart', async t => {
  const first = await start(t, { 'a.txt': 'one\n' })
  const begun = await first.send('PUT', '/files/x', '', { 'upload-complete': '?0' })
  const at = begun.headers.get('location')!
  t.equal((await first.send('DELETE', at)).status, 204)
  t.equal((await first.send('DELETE', at)).status, 404)
  const waits = (await first.send('PUT', '/files/a.txt', 'two\n')).json
  await first.close()
  const second = await start(t, {}, { folder: first.folder })
  const { approvals } = await second.get('/approvals')
  t.equal(approvals[0].tool_call_id, waits.tool_call_id)
  await second.post('/approve', toApproval(approvals[0]))
  t.match(await second.get(`/calls/${waits.tool_call_id}?wait_ms=10000`), { status: 'success' })
  t.equal(second.read('a.txt'), 'two\n')

  // Bytes that were changed on disk are not those that a person approved.
  const changed = (await second.send('PUT', '/files/a.txt', 'three\n')).json
  const [name] = second.staged().filter(name => !name.endsWith('.json'))
  writeFileSync(path.join(second.folder, 'state/uploads', name!), 'other\n')
  await second.post('/approve', toApproval((await second.get('/approvals')).approvals[0]))
  t.match(await second.get(`/calls/${changed.tool_call_id}?wait_ms=10000`), { status: 'error' })
  t.equal(second.read('a.txt'), 'two\n')
})

t.test('a body that is too large names the limit and the way for large files', async t => {
  const { post } = await start(t)
  t.match(await post('/calls', { tool: 'write_file', params: { path: 'a', content: 'x'.repeat(2_000_000) } }), {
    code: 'TOO_LARGE',
    detail: /limits\.body_bytes.*PUT \/files\/\{path\}/s
  })
})
