// tier: full
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createProxy, connect as dial, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { connect, type Event, type ToolgateError } from '../../src/client/client.ts'
import { CALL_TOKEN, startApp, TOKEN, toApproval } from '../start-app.ts'
import { once } from '../support/wait.ts'

async function started(t: Test, files: Record<string, string> = { 'a.txt': 'hello\n' }) {
  const server = await startApp(t, files)
  return { ...server, client: connect({ url: server.url, token: TOKEN, client: 'tester' }) }
}
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'ok',
    (error: ToolgateError) => [error.code, error.status]
  )

t.test('calls every method once', async t => {
  const { client, url, read } = await started(t)
  t.same(client.connection, { url, token: TOKEN })
  t.match(await client.health(), { instance: String, version: '0.0.0-test', protocol: 1 })
  t.match(await client.state(), { head: 0, pending: [], running: [], sessions: {} })
  t.match(await client.capabilities(), { limits: { read: 32 } })
  t.ok((await client.tools()).some(({ name }) => name === 'read_file'))
  t.match(await client.tool('read_file'), { name: 'read_file', effect: 'read' })

  const done = await client.call('read_file', { path: 'a.txt' }, { session_id: 's' })
  t.match(done, { status: 'success', client: 'tester', session_id: 's', result: { data: { content: 'hello\n' } } })
  t.same(await client.get(done.tool_call_id), done)
  t.match(await client.calls({ session_id: 's', limit: 1 }), { calls: [{ tool_call_id: done.tool_call_id }] })
  t.match(
    await client.batch([
      { tool: 'read_file', params: { path: 'a.txt' } },
      { tool: 'nope', params: {} }
    ]),
    {
      results: [{ status: 'success' }, { problem: { code: 'UNKNOWN_TOOL' } }]
    }
  )
  const edit = { path: 'a.txt', old: 'hello', new: 'bye' }
  t.match(await client.dryRun('edit_file', edit), { dry_run: true, verdict: { decision: 'ask' }, digest: String })

  const waiting = await client.call('edit_file', edit)
  t.same(
    (await client.approvals()).map(({ tool_call_id }) => tool_call_id),
    [waiting.tool_call_id]
  )
  const { approval } = (await client.approvals())[0]!
  t.match(await client.approve(waiting.tool_call_id, { digest: approval.digest, wait_ms: 120_000 }), {
    status: 'success'
  })
  t.equal(read('a.txt'), 'bye\n')
  const shown = await client.previewUndo(waiting.tool_call_id, { scope: 'since', paths: ['a.txt'] })
  t.match(shown, { available: true, files: [{ path: 'a.txt', action: 'restore' }], digest: String })
  const undo = { scope: 'since' as const, paths: ['a.txt'], digest: shown.digest!, idempotency_key: 'undo' }
  const undone = await client.undo(waiting.tool_call_id, undo)
  t.match(undone, { status: 'success', tool: 'undo' })
  t.same(await client.undo(waiting.tool_call_id, undo), undone)
  t.equal(read('a.txt'), 'hello\n')
  t.match(await client.previewUndo(waiting.tool_call_id), { available: false, files: [{ action: 'nothing' }] })
  const other = await client.call('edit_file', { path: 'a.txt', old: 'hello', new: 'x' })
  t.match(await client.reject(other.tool_call_id, { reason: 'no', user_message: 'ask' }), {
    status: 'rejected',
    reason: 'no'
  })
  const third = await client.call('shell_exec', { command: 'echo hi' })
  t.match(await client.cancel(third.tool_call_id, { reason: 'enough' }), { status: 'cancelled', reason: 'enough' })

  const uploaded = await client.uploadFile('data/b c.bin', new Blob([new Uint8Array([0, 1, 2])]).stream())
  t.match(uploaded, { status: 'success', tool: 'upload_file', params: { path: 'data/b c.bin', size: 3 } })
  const part = await client.downloadFile('data/b c.bin', { range: 'bytes=1-' })
  t.same([part.status, [...new Uint8Array(await part.arrayBuffer())]], [206, [1, 2]])
  t.same(await codeOf(client.downloadFile('data/none')), ['FILE_NOT_FOUND', 404])

  const rule = await client.addRule({
    effect: 'allow',
    match: { tool: 'shell_exec', command: 'echo hi' },
    scope: 'user'
  })
  t.same(await client.rules(), [rule])
  const ran = await client.call('shell_exec', { command: 'echo hi' }, { wait_ms: 120_000 })
  t.match(await client.output(ran.tool_call_id, { stream: 'stdout' }), { text: 'hi\n', next_offset: 3 })
  t.match(await client.revokeRule(rule.rule_id), { rule_id: rule.rule_id })
  t.same(await client.rules(), [])
})

t.test('an editor reports its buffers, and applies requested changes', async t => {
  const { client, url, app, folder } = await started(t)
  await client.putBuffers([{ path: 'a.txt', content: 'unsaved\n', version: 1 }], { lease_ms: 60_000, client_id: 'ed' })
  t.match(await client.buffers({ content: true }), [{ path: 'a.txt', client: 'tester', content: 'unsaved\n' }])
  t.match(await client.dropBuffers({ path: 'a.txt', client_id: 'ed' }), {
    client_id: 'ed',
    expires_at: null,
    buffers: []
  })
  t.same(await client.delegations(), [])
  t.same(await codeOf(client.delegation('dg_1')), ['NOT_FOUND', 404])
  t.same(await codeOf(client.answerDelegation('dg_1', { status: 'done' })), ['NOT_FOUND', 404])
  await app.close({ drain_ms: 0 })

  const settings = { buffers: { on_write: 'delegate' as const, delegate_ms: 60_000, max_files: 9, max_bytes: 9_999 } }
  const again = await startApp(t, {}, { folder, settings })
  t.not(again.url, url)
  const editor = connect({ url: again.url, token: TOKEN, client: 'editor' })
  const events = editor.events({ effects: ['editor.apply_edit'], types: ['tool.delegate'] })
  await events.next()
  await editor.putBuffers([{ path: 'a.txt', content: 'unsaved\n' }])
  const waiting = await editor.call('write_file', { path: 'a.txt', content: 'mine\n' })
  const running = editor.approve(waiting.tool_call_id, { digest: toApproval(waiting).digest, wait_ms: 120_000 })
  const { value } = await events.next()
  const asked = value as Extract<Event, { type: 'tool.delegate' }>
  const { delegation_id, params } = asked
  t.same((await editor.delegation(delegation_id)).params, params)
  t.match(await editor.answerDelegation(delegation_id, { status: 'done' }), { outcome: 'done', by: 'editor' })
  t.match(await running, { status: 'success' })
  await events.return(undefined)
})

t.test('ids and paths with dots as segments reach no other route', async t => {
  const { client } = await started(t)
  const error = { code: 'INVALID_PATH', message: /another route/ }
  for (const id of ['..', '.']) await t.rejects(client.get(id), error, id)
  for (const file of ['../state', 'a/../../state']) await t.rejects(client.downloadFile(file), error, file)
  await t.rejects(client.resetShell('s', '..'), error)
  t.equal(await (await client.downloadFile('./b/../a.txt')).text(), 'hello\n')
})

t.test('the same key returns the same call', async t => {
  const { client } = await started(t)
  const call = () => client.call('read_file', { path: 'a.txt' }, { idempotency_key: 'k' })
  t.equal((await call()).tool_call_id, (await call()).tool_call_id)
})

t.test('follows a call as a stream of its events', async t => {
  const { client } = await started(t)
  const types: string[] = []
  for await (const { type } of client.stream('read_file', { path: 'a.txt' })) types.push(type)
  t.same(types, ['stream.snapshot', 'tool.call', 'tool.result'])
})

t.test('runs the calls of a message of a model, and waits for all of them', async t => {
  const { client, read } = await started(t)
  const args = JSON.stringify({ path: 'a.txt', old: 'hello', new: 'bye' })
  const call = { id: 'call_1', type: 'function', function: { name: 'edit_file', arguments: args } }
  const message = { role: 'assistant', content: null, tool_calls: [call] }
  const first = await client.toolCalls('openai', message, { wait_ms: 0 })
  t.match(first, { pending: ['call_1'], calls: [{ id: 'call_1', status: 'awaiting_approval' }] })

  const events: string[] = []
  const approve = async (tool_call_id: string) => {
    const [waiting] = await client.approvals()
    await client.approve(tool_call_id, { digest: waiting!.approval.digest })
  }
  let approved: Promise<void> | undefined
  const last = await client.toolCalls('openai', message, {
    onEvent(event) {
      events.push(event.type)
      if (event.type === 'call') approved = approve(event.tool_call_id)
    }
  })
  await approved
  t.match(last, { pending: [], calls: [{ status: 'success' }], messages: [{ role: 'tool', tool_call_id: 'call_1' }] })
  t.strictSame(events.slice(0, 2), ['stream.snapshot', 'call'])
  t.equal(events.at(-1), 'tool.result')
  t.equal(read('a.txt'), 'bye\n')
  t.same(await client.toolCalls('openai', message), last, 'sent again, it gives the same messages')
})

t.test('params and data of the built-in tools are typed', async t => {
  const { client } = await started(t)
  const call = await client.call('read_file', { path: 'a.txt', limit: 1 })
  if (call.status !== 'success') throw new Error(call.status)
  const content: string = call.result.data.content
  t.match(content, 'hello')
  // @ts-expect-error: there is no such param.
  t.same(await codeOf(client.call('read_file', { path: 'a.txt', more: 2 })), ['INVALID_PARAMS', 400])
  // @ts-expect-error: a param is missing.
  t.same(await codeOf(client.call('read_file', {})), ['INVALID_PARAMS', 400])
  const named = await client.call('read', { file_path: 'a.txt' }, { toolset: 'opencode' })
  t.equal(named.status, 'success')
})

t.test('errors have a code, a status and the problem', async t => {
  const { client, url } = await started(t)
  const untyped: string = 'read_file'
  t.same(await codeOf(client.call(untyped, {})), ['INVALID_PARAMS', 400])
  t.same(await codeOf(client.get('tc_00000000000000000000000000')), ['NOT_FOUND', 404])
  t.same(await codeOf(connect({ url, token: 'x' }).state()), ['UNAUTHORIZED', 401])
  t.same(await codeOf(connect({ url, token: CALL_TOKEN }).addRule({ effect: 'deny', match: {}, scope: 'user' })), [
    'FORBIDDEN',
    403
  ])
  t.same(await codeOf(connect({ url: 'http://127.0.0.1:1', token: 'x' }).state()), ['UNREACHABLE', 0])
  await t.rejects(client.call(untyped, { path: 1, more: 2 }), {
    name: 'ToolgateError',
    problem: { errors: [{ pointer: '/params/more' }, { pointer: '/params/path' }] }
  })
  const aborted = AbortSignal.abort(new Error('mine'))
  await t.rejects(client.state({ signal: aborted }), { message: 'mine' })
})

t.test('reports a response from another kind of server', async t => {
  const answers: Record<string, (response: ServerResponse) => void> = {
    '/state': response => response.end('<html>'),
    '/health': response => response.writeHead(502).end('<html>')
  }
  const server = createServer((request: IncomingMessage, response) => answers[request.url!]!(response)).listen(0)
  t.teardown(() => server.close())
  await once(server, 'listening')
  const client = connect({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 'x' })
  t.same(await codeOf(client.state()), ['BAD_ANSWER', 200])
  t.same(await codeOf(client.health()), ['BAD_ANSWER', 502])
})

/** A proxy that drops each connection after `bytes` of the response. */
async function cuttingProxy(t: Test, url: string, bytes: () => number) {
  const open = new Set<Socket>()
  const proxy = createProxy(socket => {
    const upstream = dial(Number(new URL(url).port), '127.0.0.1')
    let left = bytes()
    for (const end of [socket, upstream]) {
      open.add(end)
      end.on('error', () => {})
      end.on('close', () => {
        socket.destroy()
        upstream.destroy()
      })
    }
    socket.on('data', chunk => upstream.write(String(chunk).replace(/host: [^\r]*/i, `host: ${new URL(url).host}`)))
    upstream.on('data', chunk => {
      const part = chunk.subarray(0, left)
      left -= part.length
      if (left > 0) socket.write(part)
      else socket.end(part)
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.teardown(() => {
    for (const socket of open) socket.destroy()
    proxy.close()
  })
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

t.test('events over a connection that breaks anywhere: none missed, none twice', async t => {
  const { client, url, write } = await started(t, {})
  for (let i = 0; i < 20; i++) {
    write(`${i}.txt`, 'ä'.repeat(50))
    await client.call('read_file', { path: `${i}.txt` })
  }
  const { head } = await client.state()
  // Enough for the headers, the snapshot and some frames; eventually the cut is at every position of a frame.
  let size = 1_200
  const proxy = await cuttingProxy(t, url, () => (size += 37))
  const seen: number[] = []
  let cut = 0
  const events = connect({ url: proxy, token: TOKEN }).events({ after: 0, retry_ms: 1, onDisconnect: () => cut++ })
  for await (const event of events) {
    if (event.type === 'stream.snapshot') continue
    seen.push(event.seq)
    if (event.seq >= head) break
  }
  const all: number[] = []
  for await (const event of client.events({ after: 0 })) {
    if (event.type !== 'stream.snapshot') all.push(event.seq)
    if (all.at(-1) === head) break
  }
  t.ok(cut > 0, `cut ${cut} times`)
  t.same(seen, all)
})

t.test('events by filter, until the signal', async t => {
  const { client } = await started(t)
  const abort = new AbortController()
  const seen: Event['type'][] = []
  const following = (async () => {
    for await (const event of client.events({ types: ['tool.result'], session_id: 'mine', signal: abort.signal })) {
      seen.push(event.type)
      if (event.type === 'stream.snapshot') {
        await client.call('read_file', { path: 'a.txt' }, { session_id: 'other' })
        await client.call('read_file', { path: 'a.txt' }, { session_id: 'mine' })
      } else abort.abort()
    }
  })()
  await following
  t.same(seen, ['stream.snapshot', 'tool.result'])
})

t.test('a rejection ends following, a silent server does not', async t => {
  const { client, url } = await started(t)
  const first = async (events: AsyncGenerator<Event>) => (await events.next()).value?.type
  t.same(await codeOf(first(connect({ url, token: 'x' }).events())), ['UNAUTHORIZED', 401])
  t.same(await codeOf(first(client.events({ types: ['nope' as Event['type']] }))), ['INVALID_PARAMS', 400])
  t.same(await codeOf(first(connect({ url: 'http://127.0.0.1:1', token: 'x' }).events())), ['UNREACHABLE', 0])

  const causes: unknown[] = []
  let snapshots = 0
  for await (const event of client.events({
    // Longer than a busy machine takes for the first answer, whose silence is reported.
    idle_timeout_ms: 2_000,
    retry_ms: 1,
    onDisconnect: cause => causes.push(String(cause))
  })) {
    if (event.type === 'stream.snapshot' && ++snapshots === 2) break
  }
  // It may have been silent before the first snapshot too.
  t.same([...new Set(causes)], ['Error: The server does not respond.'])
})

t.test('revoking a token ends the event streams opened with it', async t => {
  const { client, url } = await started(t)
  const { token_id, token } = await client.issueToken({ name: 'for a while', rights: ['call'] })
  const events = connect({ url, token }).events({ retry_ms: 1 })
  t.match((await events.next()).value, { type: 'stream.snapshot' })
  await client.revokeToken(token_id)
  await t.rejects(events.next(), { code: 'UNAUTHORIZED', status: 401 })
})

t.test('sends nothing to a program that took the address of a server', async t => {
  const one = await startApp(t)
  const two = await startApp(t)
  const asked: unknown[] = []
  let tries = 0
  const rediscover = async () => (++tries < 3 ? undefined : { url: two.url, token: TOKEN })
  const client = connect({ url: one.url, token: TOKEN, rediscover })
  const events = client.events({ types: ['tool.call'], retry_ms: 1 })
  await events.next()
  await one.close()
  const successor = createServer((request, response) => {
    asked.push(request.headers.authorization)
    response.end()
  })
  successor.listen(Number(new URL(one.url).port), '127.0.0.1')
  await once(successor, 'listening')
  t.teardown(() => successor.close())
  t.match((await events.next()).value, { type: 'stream.snapshot', instance: two.app.instance })
  t.strictSame(asked, [])
  await events.return(undefined)
})

t.test('sends a request again to a restarted server, if it was not executed', async t => {
  const one = await started(t)
  const two = await startApp(t)
  const rediscover = async () => ({ url: two.url, token: TOKEN })
  const refused = connect({ url: two.url, token: 'of the server before', rediscover })
  t.match(await refused.state(), { head: 0 })
  t.equal(refused.connection.token, TOKEN)
  await one.close()
  const lost = connect({ url: one.url, token: TOKEN, rediscover })
  t.match(await lost.call('write_file', { path: 'once.txt', content: 'x' }), { status: 'success' })
  t.equal(lost.connection.url, two.url)
  const none = connect({ url: one.url, token: TOKEN, rediscover: async () => undefined })
  t.same(await codeOf(none.state()), ['UNREACHABLE', 0])
  const same = connect({ url: two.url, token: 'wrong', rediscover: async () => ({ url: two.url, token: 'wrong' }) })
  t.same(await codeOf(same.state()), ['UNAUTHORIZED', 401])
})

t.test('finds a restarted server at another address', async t => {
  const one = await started(t)
  const two = await startApp(t)
  let tries = 0
  let lost = 0
  const rediscover = async () => ({ url: ++tries < 3 ? one.url : two.url, token: TOKEN })
  const client = connect({ url: one.url, token: TOKEN, rediscover })
  const events = client.events({ types: ['tool.call'], retry_ms: 1, onDisconnect: () => lost++ })
  t.match((await events.next()).value, { type: 'stream.snapshot', instance: one.app.instance })
  await one.close()
  t.match((await events.next()).value, { type: 'stream.snapshot', instance: two.app.instance })
  t.equal(client.connection.url, two.url)
  t.equal(lost, 1, 'told once, however often it was tried')
  await events.return(undefined)
})
