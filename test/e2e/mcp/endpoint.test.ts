// Tests of the catalogue as an MCP server: listing, calls, elicitation and notifications for clients of both generations.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ListRootsRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import t from 'tap'
import { Type } from 'typebox'
import { defineTool, type Tool } from '../../../src/tool/tool.ts'
import { CALL_TOKEN, type Json, startApp, TOKEN, toApproval } from '../../start-app.ts'
import { waitUntil, within } from '../../support/wait.ts'
import { classic, connectRaw, modern, readAnswers, readMessages } from './speak-mcp.ts'

const { promise: never } = Promise.withResolvers<never>()

/** Reports its position, then runs until released or cancelled. */
const slow = (gate: Promise<unknown> = never): Tool =>
  defineTool({
    name: 'slow',
    category: 'commands',
    description: 'Takes its time.',
    input: Type.Object({}),
    output: Type.Object({ ended: Type.Boolean() }),
    timeout_ms: 120_000,
    effect: 'read',
    request: () => ({}),
    async *run(_params, { signal }) {
      yield { progress: 0.25, message: 'a quarter' }
      const { promise: aborted, reject } = Promise.withResolvers<never>()
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      await Promise.race([gate, aborted])
      return { ended: true }
    },
    present: () => ({ title: 'Ended', content: 'The session has ended.' })
  }) as unknown as Tool

const approve = () => ({ action: 'accept' as const, content: { decision: 'approve' } })
const text = (result: Json) => result.content[0].text

t.test('both generations list the catalogue and read a file', async t => {
  const { url, get } = await startApp(t, { 'a.txt': 'one\n' })
  const { tools } = await get('/tools?format=mcp')
  for (const client of [await classic(t, url), await modern(t, url)]) {
    t.same(await client.list(), tools)
    const read = await client.call('read_file', { path: 'a.txt' })
    t.match(read, {
      content: [{ type: 'text', text: '     1\tone' }],
      structuredContent: { content: 'one\n', lines: 1 }
    })
    t.notOk(read.isError)
    const id = read._meta['toolgate/tool_call_id']
    t.match(await get(`/calls/${id}`), { status: 'success', tool: 'read_file', client: /^(?:classic|modern)$/ })
  }
})

t.test('reports invalid params to the model, an unknown tool to the client', async t => {
  const { url } = await startApp(t)
  for (const client of [await classic(t, url), await modern(t, url)]) {
    const wrong = await client.call('read_file', { pth: 'a', limit: -1 })
    t.equal(wrong.isError, true)
    t.match(text(wrong), /^INVALID_PARAMS: [\s\S]*\/params\/path is required\n[\s\S]*\/params\/pth is unknown/)
    t.match(wrong._meta, { 'toolgate/error': { code: 'INVALID_PARAMS', details: { errors: [{}, {}, {}] } } })
    await t.rejects(client.call('nothing', {}), { code: -32_602, message: /There is no tool "nothing"/ })
    const meta = await client.call('read_file', { path: 'a' }, { _meta: { 'toolgate/agent': 3 } })
    t.match(text(meta), 'INVALID_PARAMS: _meta["toolgate/agent"] must be string.')
    const unknown = await client.call('read_file', { path: 'a' }, { _meta: { 'toolgate/x': 3 } })
    t.match(text(unknown), 'INVALID_PARAMS: _meta["toolgate/x"] is unknown')
    t.match(text(await client.call('read_file', { path: 'none' })), /^FILE_NOT_FOUND: /)
  }
})

t.test('the user at the client approves, sees the change, and may reject with a reason', async t => {
  const { url, read, get, write } = await startApp(t, { 'a.txt': 'one\n' })
  const questions: string[] = []
  const seen: Json[] = []
  let answer: Json = approve()
  const answering = (question: { message: string }) => {
    questions.push(question.message)
    return answer
  }
  for (const open of [classic, modern]) {
    write('a.txt', 'one\n')
    answer = approve()
    const client = await open(t, url, { answering })
    const done = await client.call('write_file', { path: 'a.txt', content: 'two\n' })
    t.match(done, { structuredContent: { path: 'a.txt' } })
    t.equal(read('a.txt'), 'two\n')
    t.match(questions.pop(), /^Overwrite a\.txt\nwrite_file in workspace default [\s\S]*-one\n\+two/)
    seen.push(await get(`/calls/${done._meta['toolgate/tool_call_id']}`))

    answer = { action: 'accept', content: { decision: 'reject', reason: 'Not on Sundays.' } }
    const rejected = await client.call('write_file', { path: 'a.txt', content: '3' })
    t.match(rejected, { isError: true, content: [{ text: 'The call was rejected: Not on Sundays. Not on Sundays.' }] })
    answer = { action: 'decline' }
    t.match(await client.call('write_file', { path: 'a.txt', content: '3' }), { isError: true })
    t.equal(read('a.txt'), 'two\n')
  }
  t.match(seen, [{ approved_by: { source: 'user', client: 'classic' } }, { approved_by: { client: 'modern' } }])
})

t.test('escapes control and invisible characters for the approver', async t => {
  const { url, get, call } = await startApp(t, { 'a.txt': '', 'classic.txt': '', 'modern.txt': '' })
  const hidden = 'a\u202eb\u200b\u009b2J'
  const shown = 'a\\u{202e}b\\u{200b}\\u{9b}2J'
  const plain = defineTool({
    name: 'plain',
    category: 'commands',
    description: 'Shows its params as they are.',
    input: Type.Object({ text: Type.String() }),
    output: Type.Object({}),
    timeout_ms: 120_000,
    effect: 'execute',
    request: () => ({}),
    plan: ({ text }) => ({ state: undefined, preview: () => ({ title: text, text, notes: [text] }) }),
    run: async () => ({}),
    present: () => ({ title: '', content: '' })
  }) as unknown as Tool
  const other = await startApp(t, {}, { tools: [plain] })
  t.match((await other.call('plain', { text: `${hidden}\n\tx` })).approval.preview, {
    title: `${shown} ⏎ x`,
    text: `${shown}\n\tx`,
    notes: [`${shown} ⏎ x`]
  })
  const asked = await call('write_file', { path: 'a.txt', content: hidden })
  t.match(asked.approval.preview.diff, hidden, 'a diff is as the file will be')

  const questions: string[] = []
  const answering = ({ message }: { message: string }) => {
    questions.push(message)
    return approve()
  }
  for (const open of [classic, modern]) {
    const client = await open(t, url, { answering, name: `${hidden}${open.name}` })
    const done = await client.call('write_file', { path: `${open.name}.txt`, content: hidden })
    t.ok(questions.pop()!.includes(`+${shown}`))
    const by = { client: `ab2J${open.name}` }
    t.match(await get(`/calls/${done._meta['toolgate/tool_call_id']}`), { ...by, approved_by: by })
  }
})

t.test('a strict call is asked again until confirmed, and a rule may be saved', async t => {
  const { url, get } = await startApp(t, { 'a.txt': '', 'b.txt': '' })
  for (const [open, file] of [
    [classic, 'a.txt'],
    [modern, 'b.txt']
  ] as const) {
    const asked: Json[] = []
    const client = await open(t, url, {
      answering: question => {
        asked.push(question)
        return { action: 'accept', content: { decision: 'approve', ...(asked.length > 1 && { confirm: true }) } }
      }
    })
    t.notOk((await client.call('delete_file', { path: file })).isError)
    t.equal(asked.length, 2)
    t.match(asked[0].requestedSchema.properties.confirm, { type: 'boolean', description: /sha256:|[0-9a-f]{64}/ })
  }
  const client = await classic(t, url, {
    answering: ({ requestedSchema }: Json) => {
      const [, first] = requestedSchema.properties.remember.oneOf
      return { action: 'accept', content: { decision: 'approve', remember: first.const } }
    }
  })
  await client.call('shell_exec', { command: 'touch x' })
  t.match(await get('/rules'), { rules: [{ effect: 'allow' }] })
})

t.test('the form lets the person choose the end of the rule', async t => {
  const { url, get, post } = await startApp(t)
  const ends = ['revoked', 'session', '1h', '10-uses', 'never']
  const rules = [
    { scope: 'workspace', expires_at: null },
    { scope: 'session', expires_at: null },
    { scope: 'workspace', expires_at: /Z$/ },
    { scope: 'workspace', expires_at: null, uses: 10 }
  ]
  const asked: Json[] = []
  const client = await classic(t, url, {
    answering: (question: Json) => {
      asked.push(question)
      const remember = 'command:workspace'
      return { action: 'accept', content: { decision: 'approve', remember, end: ends[asked.length - 1]! } }
    }
  })
  for (const [index, rule] of rules.entries()) {
    await client.call('shell_exec', { command: `touch ${index}` })
    t.match((await get('/rules')).rules[index], rule)
  }
  t.match(asked[0].requestedSchema.properties.end.oneOf, [
    { const: 'revoked', title: 'Until I revoke it' },
    { const: 'session', title: 'In this session' },
    { const: '1h', title: 'For 1 hour' },
    { const: '1d' },
    { const: '10-uses' }
  ])
  const done = client.call('shell_exec', { command: 'touch last' })
  await waitUntil('the form to be asked', () => asked.length === 5)
  const [{ tool_call_id }] = (await get('/approvals')).approvals
  await post('/reject', { tool_call_id })
  t.match(await done, { isError: true }, 'an end that was not offered decides nothing')
  t.equal((await get('/rules')).rules.length, rules.length)
})

t.test('a preview that is too long for the form can only be rejected in it', async t => {
  const { url, get, post } = await startApp(t, { 'a.txt': 'one\n' })
  for (const open of [classic, modern]) {
    const { promise: asked, resolve } = Promise.withResolvers<Json>()
    const client = await open(t, url, {
      answering: (question: Json) => {
        resolve(question)
        return { action: 'accept', content: { decision: 'approve' } }
      }
    })
    const done = client.call('write_file', { path: 'a.txt', content: 'line\n'.repeat(2_000) })
    const { message, requestedSchema } = await within('the elicitation', asked)
    t.same(requestedSchema.properties.decision.oneOf, [{ const: 'reject', title: 'Reject' }])
    t.notOk(requestedSchema.properties.remember)
    const { approvals } = await get('/approvals')
    const { tool_call_id } = approvals[0]
    t.match(message, /\n\[\d+ more characters\]\n\nThis preview is shortened\./)
    t.ok(message.endsWith(`review the whole preview: \`toolgate approve ${tool_call_id}\`, or the console.`))
    t.equal(
      (await get(`/calls/${tool_call_id}`)).status,
      'awaiting_approval',
      'an answer that was not offered counts as none'
    )
    await post('/reject', { tool_call_id })
    t.match(await done, { isError: true })
  }
})

t.test('a preview that is cut in the call can only be rejected in the form, which says where it is whole', async t => {
  const { url, get, post } = await startApp(t, { 'big.sh': ': line\n'.repeat(6_000) })
  const { promise: asked, resolve } = Promise.withResolvers<Json>()
  const client = await classic(t, url, {
    answering: (question: Json) => {
      resolve(question)
      return { action: 'accept', content: { decision: 'approve' } }
    }
  })
  const done = client.call('shell_exec', { command: 'sh big.sh' })
  const { message, requestedSchema } = await within('the elicitation', asked)
  const { tool_call_id } = (await get('/approvals')).approvals[0]
  t.same(requestedSchema.properties.decision.oneOf, [{ const: 'reject', title: 'Reject' }])
  t.same(message.split('`toolgate approve').length, 2, 'it says so once')
  t.match(message, `toolgate approve ${tool_call_id}`)
  await post('/reject', { tool_call_id })
  t.match(await done, { isError: true })
})

t.test('the form shows the params of a tool whose preview has only a title', async t => {
  const deploy = defineTool({
    name: 'deploy',
    category: 'commands',
    description: 'Deploys.',
    input: Type.Object({ to: Type.String(), note: Type.Optional(Type.String()) }),
    output: Type.Object({}),
    timeout_ms: 120_000,
    effect: 'execute',
    request: () => ({}),
    plan: () => ({ state: undefined, preview: () => ({ title: 'Deploys' }) }),
    run: async () => ({}),
    present: () => ({ title: '', content: '' })
  }) as unknown as Tool
  const { url, get, post } = await startApp(t, {}, { tools: [deploy] })
  const asked: Json[] = []
  const client = await classic(t, url, {
    answering: (question: Json) => {
      asked.push(question)
      return asked.length === 1 ? approve() : { action: 'accept', content: { decision: 'approve' } }
    }
  })
  await client.call('deploy', { to: 'production\u202e' })
  t.match(asked[0].message, /^Deploys\n.*\n\n\{\n {2}"to": "production\\u\{202e\}"\n\}$/)
  const done = client.call('deploy', { to: 'x', note: 'n'.repeat(7_000) })
  await waitUntil('the form to be asked', () => asked.length === 2)
  t.same(asked[1].requestedSchema.properties.decision.oneOf, [{ const: 'reject', title: 'Reject' }])
  await post('/reject', { tool_call_id: (await get('/approvals')).approvals[0].tool_call_id })
  t.match(await done, { isError: true })
})

t.test('a call-only token gets no elicitation: the call waits for a front end and says so', async t => {
  const { url, get, post } = await startApp(t, { 'a.txt': 'one\n' })
  const answering = () => {
    throw new Error('asked')
  }
  for (const [content, open] of [
    ['two\n', classic],
    ['three\n', modern]
  ] as const) {
    const client = await open(t, url, { token: CALL_TOKEN, answering })
    const told: Json[] = []
    const { promise: waits, resolve } = Promise.withResolvers<void>()
    const onprogress = (progress: Json) => {
      told.push(progress)
      resolve()
    }
    const done = client.call('write_file', { path: 'a.txt', content }, { onprogress })
    await within('the message that the call waits', waits)
    const { approvals } = await get('/approvals')
    t.match(told[0], {
      message: `The call waits for approval in workspace default. Its id is ${approvals[0].tool_call_id}.`
    })
    await post('/approve', toApproval(approvals[0]))
    t.notOk((await done).isError)
  }
})

t.test('a decision made elsewhere withdraws the elicitation', async t => {
  const { url, get, post } = await startApp(t, { 'a.txt': 'one\n' })
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  const client = await classic(t, url, {
    answering: () => {
      resolve()
      return never
    }
  })
  const done = client.call('write_file', { path: 'a.txt', content: 'x' })
  await within('the elicitation', asked)
  const { approvals } = await get('/approvals')
  await post('/reject', { tool_call_id: approvals[0].tool_call_id, reason: 'No.' })
  t.match(await done, { isError: true, content: [{ text: 'The call was rejected: No.' }] })
})

t.test('a call that needs two approvals is asked about once, and waits for another person', async t => {
  const { url, get, post, request } = await startApp(t, { 'a.txt': 'one\n' })
  await post('/rules', { effect: 'ask', match: { tool: 'write_file' }, scope: 'user', approvals: 2 })
  const { token } = await post('/tokens', { name: 'Ana', rights: ['approve'] })
  for (const [content, open] of [
    ['two\n', classic],
    ['three\n', modern]
  ] as const) {
    const asked: Json[] = []
    const progress: string[] = []
    const client = await open(t, url, {
      answering: question => {
        asked.push(question)
        return { action: 'accept', content: { decision: 'approve' } }
      }
    })
    const done = client.call(
      'write_file',
      { path: 'a.txt', content },
      { onprogress: ({ message }) => progress.push(message) }
    )
    await waitUntil('the progress to name the approval', () =>
      progress.some(each => each.includes('(1 of 2 approvals)'))
    )
    const [call] = (await get('/approvals')).approvals
    t.match(call.approval.approvals, [{ person: 'server' }])
    const answer = await request('POST', '/approve', toApproval(call), { authorization: `Bearer ${token}` })
    t.equal(answer.status, 202)
    t.notOk((await done).isError)
    t.match(asked, [{ message: /This call needs 2 approvals by different persons\./ }])
    t.equal(asked.length, 1)
  }
})

t.test('declining the elicitation leaves the call pending', async t => {
  const { url, get, post } = await startApp(t, { 'a.txt': 'one\n' })
  for (const [content, open] of [
    ['two\n', classic],
    ['three\n', modern]
  ] as const) {
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    const client = await open(t, url, {
      answering: () => {
        resolve()
        return { action: 'cancel' }
      }
    })
    const done = client.call('write_file', { path: 'a.txt', content })
    await within('the elicitation', asked)
    const { approvals } = await get('/approvals')
    await post('/approve', toApproval(approvals[0]))
    t.notOk((await done).isError)
  }
})

t.test('sends progress if requested, else log messages; cancelling cancels', async t => {
  const { url, events } = await startApp(t, {}, { tools: [slow()] })
  const stream = await events('?types=tool.result')
  for (const open of [classic, modern]) {
    const client = await open(t, url)
    const abort = new AbortController()
    const { promise: told, resolve } = Promise.withResolvers<Json>()
    const done = client.call('slow', {}, { onprogress: resolve, signal: abort.signal })
    t.match(await within('progress', told), { progress: 0.25, total: 1, message: 'a quarter' })
    abort.abort('enough')
    await t.rejects(done)
    t.match((await stream.type('tool.result')).at(-1), { status: 'cancelled', reason: 'Cancelled by the client.' })
  }
  const { client, call } = await classic(t, url)
  const { promise: logged, resolve } = Promise.withResolvers<Json>()
  client.fallbackNotificationHandler = async message => resolve(message)
  const abort = new AbortController()
  const done = call('slow', {}, { signal: abort.signal })
  t.match(await within('a log message', logged), {
    method: 'notifications/message',
    params: { level: 'info', logger: 'slow', data: 'a quarter' }
  })
  abort.abort()
  await t.rejects(done)
})

t.test('notifies subscribers when tools come and go', async t => {
  const { app, url } = await startApp(t)
  const older = await classic(t, url)
  const newer = await modern(t, url)
  const told = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  older.client.setNotificationHandler(ToolListChangedNotificationSchema, () => told[0].resolve())
  newer.client.setNotificationHandler('notifications/tools/list_changed', () => told[1].resolve())
  await newer.client.listen({ toolsListChanged: true })
  // The older client opens its stream some time after connecting, without notice.
  const timer = setInterval(() => app.catalog.setTools('theirs', [slow()]), 50)
  await within('notifications of both clients', Promise.all(told.map(({ promise }) => promise)))
  clearInterval(timer)
  for (const { list } of [older, newer]) t.ok((await list()).some(({ name }) => name === 'slow'))
})

t.test('a lost stream is resumed, with missed messages and the result', async t => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const { url } = await startApp(t, {}, { tools: [slow(gate)] })
  const hand = connectRaw(url)
  await hand.initialize()
  const lost = new AbortController()
  const params = { name: 'slow', _meta: { progressToken: 'p' } }
  const answer = readMessages(await hand.request(7, 'tools/call', params, {}, lost.signal))
  const first = (await answer.next()).value!
  t.equal(first.message, undefined, 'a place to resume at, before anything is told')
  t.match((await answer.next()).value, { message: { method: 'notifications/progress', params: { progress: 0.25 } } })
  lost.abort()
  await t.rejects(answer.next())

  const again = readMessages(await hand.send('GET', undefined, { 'last-event-id': first.id }))
  t.match((await again.next()).value, { message: { params: { progressToken: 'p', message: 'a quarter' } } })
  open()
  t.match((await again.next()).value, { message: { id: 7, result: { structuredContent: { ended: true } } } })
  t.ok((await again.next()).done)

  const late = readMessages(await hand.send('GET', undefined, { 'last-event-id': first.id }))
  t.match((await late.next()).value, { message: { id: 7, result: { content: [{ text: 'The session has ended.' }] } } })
  for (const id of ['nonsense', 'bm9uc2Vuc2U.1', `${Buffer.from('[1]').toString('base64url')}.1`])
    t.equal((await hand.send('GET', undefined, { 'last-event-id': id })).status, 400)
  const foreign = `${Buffer.from('[9,"tc_01JD0000000000000000000000"]').toString('base64url')}.1`
  t.equal((await hand.send('GET', undefined, { 'last-event-id': foreign })).status, 404)
})

t.test('a session, and a call pending in it, survive a server restart', async t => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-test-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const first = await startApp(t, { 'a.txt': 'one\n' }, { folder })
  const hand = connectRaw(first.url)
  await hand.initialize({ elicitation: {} })
  const params = { name: 'write_file', arguments: { path: 'a.txt', content: 'two\n' }, _meta: { progressToken: 1 } }
  const answer = readMessages(await hand.request(3, 'tools/call', params))
  const place = (await answer.next()).value!
  t.match((await answer.next()).value, { message: { method: 'notifications/progress' } })
  t.match((await answer.next()).value, { message: { method: 'elicitation/create' } })
  await first.close()
  t.ok((await answer.next()).done, 'the server leaves in order')

  const second = await startApp(t, {}, { folder })
  const back = connectRaw(second.url, { session: hand.session })
  const again = readMessages(await back.send('GET', undefined, { 'last-event-id': place.id }))
  t.match((await again.next()).value, { message: { params: { message: /^The call waits for approval/ } } })
  const question = (await again.next()).value!
  t.match(question.message, { method: 'elicitation/create', params: { message: /-one\n\+two/ } })
  const reply = {
    jsonrpc: '2.0',
    id: question.message.id,
    result: { action: 'accept', content: { decision: 'approve' } }
  }
  t.equal((await back.send('POST', reply)).status, 202)
  for await (const { message } of again)
    if (message.id === 3) t.match(message, { result: { structuredContent: { path: 'a.txt' } } })
  t.equal(second.read('a.txt'), 'two\n')
})

t.test('a session is bound to its token, and ends for good', async t => {
  const { url } = await startApp(t)
  const hand = connectRaw(url)
  await hand.initialize()
  const stolen = connectRaw(url, { token: CALL_TOKEN, session: hand.session })
  const ping = (speaker: typeof hand) => speaker.request(1, 'ping')
  t.equal((await ping(hand)).status, 200)
  t.equal((await ping(stolen)).status, 404)
  t.equal((await stolen.send('DELETE')).status, 404)
  t.equal((await ping(connectRaw(url, { session: `${hand.session}x` }))).status, 404)
  t.equal((await ping(connectRaw(url, { session: 'a.b' }))).status, 404)
  t.equal((await hand.send('DELETE')).status, 200)
  t.equal((await ping(hand)).status, 404)
  t.equal((await ping(connectRaw(url))).status, 400, 'no session')
})

t.test('requires authentication', async t => {
  const { url } = await startApp(t)
  const open = connectRaw(url)
  const none = await open.send('POST', { jsonrpc: '2.0', id: 1, method: 'ping' }, { authorization: '' })
  t.equal(none.status, 401)
  t.equal(none.headers.get('www-authenticate'), 'Bearer')
  t.equal((await open.send('POST', {}, { origin: 'https://elsewhere.example' })).status, 403)
  t.equal((await open.send('POST', {}, { 'sec-fetch-site': 'cross-site' })).status, 403)
  t.equal((await open.send('POST', '{', {})).status, 400)
  t.equal((await open.send('POST', `"${'x'.repeat(20_000_000)}"`, {})).status, 413)
})

t.test('rejects malformed, repeated and late messages of the protocol', async t => {
  const { url } = await startApp(t, {}, { tools: [slow()] })
  const hand = connectRaw(url)
  await hand.initialize()
  for (const body of [
    [],
    [{ jsonrpc: '2.0', id: 1, method: 'ping' }],
    { jsonrpc: '1.0', id: 1, method: 'ping' },
    { id: 1 },
    3
  ])
    t.equal((await hand.send('POST', body)).status, 400, JSON.stringify(body))
  t.equal((await hand.request(1, 'ping', {}, { 'mcp-protocol-version': '1999-01-01' })).status, 400)
  const running = await hand.request(5, 'tools/call', { name: 'slow' })
  t.equal((await hand.request(5, 'tools/call', { name: 'slow' })).status, 400, 'the id is in use')
  await running.body!.cancel()
  t.equal((await hand.send('GET', undefined, { accept: 'application/json' })).status, 406)
  t.equal(
    (await hand.send('POST', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } })).status,
    202
  )
  t.match(await readAnswers(await hand.request(6, 'nothing/like/it')), [{ error: { code: -32_601 } }])
  t.match(await readAnswers(await hand.request(7, 'tools/list', { cursor: 'x' })), [{ error: { code: -32_602 } }])
})

t.test('the oldest clients send batches, and get one response', async t => {
  const { url } = await startApp(t, { 'a.txt': 'one\n' })
  const hand = connectRaw(url)
  await hand.initialize({}, '2025-03-26')
  const read = { method: 'tools/call', params: { name: 'read_file', arguments: { path: 'a.txt' } } }
  const batch = [1, 2].map(id => ({ jsonrpc: '2.0', id, ...read }))
  const answers = await readAnswers(
    await hand.send('POST', [...batch, { jsonrpc: '2.0', method: 'notifications/initialized' }])
  )
  t.same(answers.map(({ id }) => id).sort(), [1, 2])
  t.equal(
    (
      await hand.send(
        'POST',
        Array.from({ length: 51 }, (_, id) => ({ jsonrpc: '2.0', id, ...read }))
      )
    ).status,
    400
  )
})

t.test('a call id of the client makes the call idempotent', async t => {
  const { url, get } = await startApp(t, { 'a.txt': 'one\n' })
  const _meta = { 'toolgate/tool_call_id': 'tc_01JD0000000000000000000000', 'toolgate/context': 'here' }
  for (const open of [classic, modern]) {
    const { call } = await open(t, url, { path: '/mcp?session_id=s1' })
    for (let i = 0; i < 2; i += 1)
      t.match(await call('read_file', { path: 'a.txt' }, { _meta }), {
        structuredContent: { content: 'one\n' },
        _meta: { 'toolgate/tool_call_id': 'tc_01JD0000000000000000000000' }
      })
  }
  const { calls } = await get('/calls?session_id=s1')
  t.match(calls, [{ tool_call_id: _meta['toolgate/tool_call_id'], context: 'here' }])
  t.equal(calls.length, 1)
})

t.test('a client may use the names of a toolset, and act as an agent', async t => {
  const agents = { reader: { tools: { allow: ['read_file'] } } }
  const { url, get } = await startApp(t, { 'a.txt': 'one\n' }, { settings: { agents } as never })
  for (const open of [classic, modern]) {
    const { list, call } = await open(t, url, { path: '/mcp?toolset=opencode' })
    const { tools } = await get('/tools?format=mcp&toolset=opencode')
    t.same(
      (await list()).map(({ name }) => name),
      tools.map(({ name }: Json) => name)
    )
    const read = await call('read', { file_path: 'a.txt' })
    const told = await get(`/calls/${read._meta['toolgate/tool_call_id']}?toolset=opencode`)
    t.same(read.structuredContent, told)

    const reader = await open(t, url, { path: '/mcp?agent=reader' })
    t.same(
      (await reader.list()).map(({ name }) => name),
      ['read_file']
    )
    await t.rejects(reader.call('write_file', { path: 'b', content: '' }), { code: -32_602 })
  }
  const hand = connectRaw(url)
  await hand.initialize()
  t.equal(
    (await hand.send('POST', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'x-toolgate-agent': 'reader' })).status,
    200
  )
})

t.test('tool names are accepted by clients', async t => {
  const { app, url } = await startApp(t)
  app.catalog.setTools('mcp:theirs', [{ ...slow(Promise.resolve()), name: 'mcp:theirs:slow' }])
  for (const open of [classic, modern]) {
    const { list, call } = await open(t, url)
    t.ok((await list()).some(({ name }) => name === 'mcp__theirs__slow'))
    t.match(await call('mcp__theirs__slow'), { structuredContent: { ended: true } })
  }
})

t.test('paginates a long listing', async t => {
  const { app, url } = await startApp(t)
  app.catalog.setTools(
    'theirs',
    Array.from({ length: 300 }, (_, i) => ({ ...slow(), name: `slow_${i}` }))
  )
  const hand = connectRaw(url)
  await hand.initialize()
  const pages: Json[] = []
  for (let cursor: string | undefined; pages.length === 0 || cursor; cursor = pages.at(-1).nextCursor)
    pages.push((await readAnswers(await hand.request(1, 'tools/list', cursor ? { cursor } : {})))[0].result)
  const names = pages.flatMap(({ tools }) => tools.map(({ name }: Json) => name))
  t.equal(pages.length, 2)
  t.same([...new Set(names)], names)
  t.equal(names.at(-1), 'slow_299')
})

t.test('the whole output of a command can be read as a resource', async t => {
  const { url } = await startApp(t)
  for (const open of [classic, modern]) {
    const { client, call } = await open(t, url, { answering: approve })
    const done = await call('shell_exec', { command: 'seq 1 60000' })
    const link = done.content.find(({ type }: Json) => type === 'resource_link')
    const { contents } = (await client.readResource({ uri: link.uri })) as Json
    t.match(contents, [{ uri: link.uri, mimeType: 'text/plain', text: /^1\n2\n[\s\S]*\n60000\n$/ }])
    t.match(await client.listResourceTemplates(), {
      resourceTemplates: [{ uriTemplate: 'toolgate://calls/{tool_call_id}/output' }]
    })
    t.same((await client.listResources()).resources, [])
    for (const uri of ['toolgate://nothing', 'toolgate://calls/tc_01JD0000000000000000000000/output'])
      await t.rejects(client.readResource({ uri }))
  }
})

t.test('the open folders of a client choose among several workspaces', async t => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-test-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const roots = ['left', 'right'].map(name => ({ name, path: path.join(folder, name) }))
  for (const { name, path: root } of roots) {
    mkdirSync(root)
    writeFileSync(path.join(root, 'a.txt'), name)
  }
  const { url } = await startApp(t, {}, { settings: { roots } })
  const client = new Client({ name: 'rooted', version: '1' }, { capabilities: { roots: { listChanged: true } } })
  let open = 'left'
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: `file://${folder}/${open}/deeper` }] }))
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  t.teardown(() => client.close())
  const read = async () =>
    ((await client.callTool({ name: 'read_file', arguments: { path: 'a.txt' } })) as Json).structuredContent.content
  t.equal(await read(), 'left')
  open = 'right'
  t.equal(await read(), 'left', 'they were asked for once')
  await client.sendRootsListChanged()
  t.equal(await read(), 'right')
  const { call } = await classic(t, url)
  t.match(await call('read_file', { path: 'a.txt' }), { isError: true })
  t.match(await call('read_file', { path: 'a.txt' }, { _meta: { 'toolgate/workspace': 'left' } }), {
    structuredContent: { content: 'left' }
  })
})
