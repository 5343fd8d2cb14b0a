// Tests of POST /tool-calls: messages in the formats of models' APIs, run through the pipeline of all calls.
// tier: quick
import t from 'tap'
import { Gate, gatedTools } from '../../gated-tools.ts'
import { CALL_TOKEN, type Json, startApp, type TestApp, toApproval } from '../../start-app.ts'
import { waitUntil } from '../../support/wait.ts'
import { chat, chatCall } from './messages.ts'

const RESTRICTED = { authorization: `Bearer ${CALL_TOKEN}` }
const READ_A = { path: 'a.txt' }
const EDIT_A = { path: 'a.txt', old: 'one', new: 'uno' }

/** Waits until so many calls need a decision, and returns them. */
const waiting = (app: TestApp, count = 1): Promise<Json[]> =>
  waitUntil(`${count} calls that need a decision`, async () => {
    const { approvals } = await app.get('/approvals')
    return approvals.length === count && approvals
  })

t.test('answers each call in the format of its API, in order', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n', 'b.txt': 'two\n' })
  const line = (text: string) => `     1\t${text}`
  const args = JSON.stringify(READ_A)
  const ids = ['1', '2', '3', '4']
  const errors = [
    'UNKNOWN_TOOL: There is no tool "no_such_tool" here.',
    'INVALID_PARAMS: The text of the arguments is not valid JSON: unexpected end.'
  ]

  const openai = await app.post(
    '/tool-calls?format=openai&session_id=chat',
    chat(
      chatCall('1', 'read_file', READ_A),
      chatCall('2', 'no_such_tool', {}),
      chatCall('3', 'read_file', '{"path": '),
      { ...chatCall('4', 'read_file', { path: 'b.txt' }), extra_content: { any: 'thing' } }
    )
  )
  const content = openai.messages.map((message: Json) => message.content)
  t.strictSame(openai, {
    messages: ids.map((id, i) => ({ role: 'tool', tool_call_id: id, content: content[i] })),
    calls: [
      { id: '1', tool_call_id: openai.calls[0].tool_call_id, status: 'success' },
      { id: '2', status: 'refused', code: 'UNKNOWN_TOOL' },
      { id: '3', status: 'refused', code: 'INVALID_PARAMS' },
      { id: '4', tool_call_id: openai.calls[3].tool_call_id, status: 'success' }
    ],
    pending: []
  })
  t.match(content[1], /^UNKNOWN_TOOL: There is no tool "no_such_tool"/)
  t.strictSame([content[0], content[2], content[3]], [line('one'), errors[1], line('two')])
  t.match(await app.get(`/calls/${openai.calls[0].tool_call_id}`), { session_id: 'chat', tool: 'read_file' })

  const output = [
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { type: 'function_call', id: 'fc_1', call_id: '1', name: 'read_file', arguments: args, status: 'completed' },
    { type: 'message', role: 'assistant', content: [] },
    { type: 'function_call', call_id: '2', name: 'read_file', arguments: '[]' }
  ]
  const answered = [
    { type: 'function_call_output', call_id: '1', output: line('one') },
    {
      type: 'function_call_output',
      call_id: '2',
      output: 'INVALID_PARAMS: The arguments of the call are not a JSON object. Repeat the call with a JSON object.'
    }
  ]
  for (const body of [output, { id: 'resp_1', output }])
    t.strictSame((await app.post('/tool-calls?format=openai-responses&session_id=r', body)).messages, answered)

  const anthropic = await app.post('/tool-calls?format=anthropic&session_id=a', {
    id: 'msg_1',
    role: 'assistant',
    content: [
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: '1', name: 'read_file', input: READ_A },
      { type: 'server_tool_use', id: 'x', name: 'web_search', input: {} },
      { type: 'tool_use', id: '2', name: 'read_file', input: { path: 'none.txt' } }
    ]
  })
  t.match(anthropic.messages, [
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: '1', content: line('one') },
        { type: 'tool_result', tool_use_id: '2', content: /^FILE_NOT_FOUND: /, is_error: true }
      ]
    }
  ])
  t.notOk('is_error' in anthropic.messages[0].content[0])
  t.match(anthropic.calls[1], { status: 'error', code: 'FILE_NOT_FOUND' })
})

t.test('a message without calls needs no answer, and what is no message is refused', async t => {
  const app = await startApp(t)
  const none = { messages: [], calls: [], pending: [] }
  const done = { role: 'assistant', content: 'Done.' }
  t.strictSame(await app.post('/tool-calls?format=openai', { ...done, tool_calls: null }), none)
  t.strictSame(await app.post('/tool-calls?format=anthropic', done), none)
  t.strictSame(await app.post('/tool-calls?format=openai-responses', []), none)

  const use = { type: 'tool_use', id: '1', name: 'read_file', input: {} }
  const many = Array.from({ length: 101 }, (_, i) => chatCall(`${i}`, 'read_file', READ_A))
  const cases: [format: string, body: unknown, pointer: string, message?: string][] = [
    ['openai', { choices: [{ message: chat() }] }, '/role'],
    ['openai', { role: 'user', content: '' }, '/role'],
    ['openai', chat({ id: 1, function: { name: 'f', arguments: {} } }), '/tool_calls/0/id'],
    ['openai', chat({ ...chatCall('1', 'f', {}), type: 'custom' }), '/tool_calls/0/type'],
    [
      'openai',
      chat(chatCall('1', 'f', {}), chatCall('1', 'f', {})),
      '/tool_calls/1',
      'repeats the id of an earlier call'
    ],
    ['openai', chat(chatCall('', 'f', {})), '/tool_calls/0/id', 'must not be empty'],
    ['openai', chat(...many), '/tool_calls', 'must have at most 100 calls: it has 101'],
    ['openai-responses', { outputs: [] }, '/output'],
    ['openai-responses', [{ type: 'function_call', call_id: '1', name: 'f' }], '/0/arguments'],
    ['anthropic', { role: 'assistant' }, '/content'],
    ['anthropic', { role: 'assistant', content: [{ ...use, input: '{}' }] }, '/content/0/input']
  ]
  for (const [format, body, pointer, message] of cases) {
    const refused = await app.request('POST', `/tool-calls?format=${format}`, body)
    t.match(refused, { status: 400, body: { code: 'INVALID_PARAMS' } }, `${format} ${pointer}`)
    t.match(refused.body.errors, [{ pointer, ...(message && { message }) }], `${format} ${pointer}`)
  }
  for (const query of ['', 'format=native', 'format=openai&toolset=none', 'format=openai&workspace=none'])
    t.match(await app.request('POST', `/tool-calls?${query}`, chat()), { status: 400 }, query)
  t.strictSame((await app.get('/calls')).calls, [], 'nothing was run')
})

t.test('a number that cannot be kept refuses its call alone', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  const number = '12345678901234567891'
  const use = (id: string, input: string) =>
    `{"type": "tool_use", "id": "${id}", "name": "read_file", "input": ${input}}`
  const uses = [use('1', `{"path": "a.txt", "limit": ${number}}`), use('2', '{"path": "a.txt"}')]
  const { messages, calls } = await app.post(
    '/tool-calls?format=anthropic',
    `{"role": "assistant", "usage": {"cost": 0.1234567890123456789}, "content": [${uses}]}`
  )
  t.strictSame(calls[0], { id: '1', status: 'refused', code: 'INVALID_PARAMS' })
  t.equal(
    messages[0].content[0].content,
    `INVALID_PARAMS: /input/limit cannot be represented exactly as a number: ${number}. Send the number as a string.`
  )
  t.match(calls[1], { status: 'success' })
  const chatted = await app.post(
    '/tool-calls?format=openai',
    chat(chatCall('1', 'read_file', `{"limit": ${number}}`), chatCall('2', 'read_file', READ_A))
  )
  t.match(chatted.messages[0].content, /^INVALID_PARAMS: \/limit cannot be represented exactly as a number/)
  t.match(chatted.calls[1], { status: 'success' })
})

t.test('waits through approvals and rejections, those on one path in order', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n', 'b.txt': 'two\n' })
  const answer = app.post(
    '/tool-calls?format=openai',
    chat(
      chatCall('1', 'edit_file', EDIT_A),
      chatCall('2', 'delete_file', { path: 'b.txt' }),
      chatCall('3', 'edit_file', { path: 'a.txt', old: 'uno', new: 'un' })
    ),
    RESTRICTED
  )
  const [edit, removal] = await waiting(app, 2)
  t.strictSame([edit.tool, removal.tool], ['edit_file', 'delete_file'])
  await app.post(`/calls/${removal.tool_call_id}/reject`, {
    reason: 'b.txt is needed.',
    user_message: 'Leave it.',
    comments: [{ path: 'b.txt', line: 1, side: 'old', text: 'See a.txt.' }]
  })
  await app.post('/approve', toApproval(edit))
  const [second] = await waiting(app)
  t.match(second.params, { old: 'uno' })
  await app.post('/approve', toApproval(second))
  const { messages, calls, pending } = await answer
  t.strictSame(
    calls.map(({ status }: Json) => status),
    ['success', 'rejected', 'success']
  )
  t.equal(messages[1].content, 'The call was rejected: b.txt is needed. Leave it.\nb.txt:1 (removed line): See a.txt.')
  t.strictSame(pending, [])
  t.equal(app.read('a.txt'), 'un\n')
  t.equal(app.read('b.txt'), 'two\n')
})

t.test('says what still waits, and the same message again waits for it', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  const message = chat(
    chatCall('1', 'edit_file', EDIT_A),
    chatCall('2', 'edit_file', { path: 'a.txt', old: 'uno', new: 'un' }),
    chatCall('3', 'glob', { pattern: '*' })
  )
  const first = await app.post('/tool-calls?format=openai&wait_ms=0', message)
  const { tool_call_id } = first.calls[0]
  t.match(first.calls, [
    { id: '1', status: 'awaiting_approval' },
    { id: '2', status: 'not_started' },
    { id: '3', tool_call_id: /^tc_/ }
  ])
  t.match(first.pending, ['1', '2'])
  t.match(first.messages[0].content, /^This call has not run: it waits for approval \(tc_.*Do not repeat the call\.$/)
  t.equal(
    first.messages[1].content,
    'This call has not run: it waits for 1, which has not ended. Do not repeat the call.'
  )

  const [rest, same] = [app.post('/tool-calls?format=openai', message), app.post('/tool-calls?format=openai', message)]
  await app.post('/approve', toApproval(await app.get(`/calls/${tool_call_id}`)))
  await app.post('/approve', toApproval((await waiting(app))[0]))
  const last = await rest
  t.strictSame(await same, last, 'two at a time')
  t.strictSame(last.pending, [])
  t.match(last.calls, [
    { status: 'success', tool_call_id },
    { status: 'success' },
    { status: 'success', tool_call_id: first.calls[2].tool_call_id }
  ])
  t.strictSame(await app.post('/tool-calls?format=openai&wait_ms=0', message), last, 'a third time, nothing runs')
  t.equal((await app.get('/calls')).calls.length, 3)
  t.equal(app.read('a.txt'), 'un\n')

  const other = await app.post('/tool-calls?format=openai', chat(chatCall('1', 'read_file', READ_A)))
  t.strictSame(other.calls, [{ id: '1', status: 'refused', code: 'CONFLICT' }])
  t.match(other.messages[0].content, /^CONFLICT: The id "1" belongs to another call of this session/)
  const elsewhere = await app.post('/tool-calls?format=openai&session_id=s', chat(chatCall('1', 'read_file', READ_A)))
  t.match(elsewhere.calls, [{ status: 'success' }], 'ids count within a session')
})

t.test('calls survive a restart, and the same message joins them', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  const message = chat(chatCall('1', 'edit_file', EDIT_A), chatCall('2', 'glob', { pattern: '*' }))
  const before = await app.post('/tool-calls?format=openai&wait_ms=0', message)
  await app.close()
  const again = await startApp(t, {}, { folder: app.folder })
  const answer = again.post('/tool-calls?format=openai', message)
  const [edit] = await waiting(again)
  t.equal(edit.tool_call_id, before.calls[0].tool_call_id)
  await again.post('/approve', toApproval(edit))
  t.match(await answer, { calls: [{ status: 'success' }, { tool_call_id: before.calls[1].tool_call_id }], pending: [] })
  t.equal((await again.get('/calls')).calls.length, 2)
  t.equal(again.read('a.txt'), 'uno\n')
})

t.test('a call that a restart interrupted is not run again', async t => {
  const gate = new Gate()
  const app = await startApp(t, {}, { tools: gatedTools(gate) })
  const message = chat(chatCall('1', 'held_create', { name: 'one' }))
  const lost = app.post('/tool-calls?format=openai', message).catch(() => {})
  await gate.waitForArrival('one')
  await app.close()
  await lost
  const again = await startApp(t, {}, { folder: app.folder, tools: gatedTools(gate) })
  const answer = await again.post('/tool-calls?format=openai', message)
  t.match(answer, { calls: [{ id: '1', status: 'interrupted' }], pending: [] })
  t.match(answer.messages[0].content, /^The call was interrupted: /)
  t.strictSame(gate.arrivals, ['one'])
})

t.test('the ids of one token are not those of another, and a token for an agent calls as that agent', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  const message = chat(chatCall('1', 'edit_file', EDIT_A))
  const send = (query: string, headers: Record<string, string>) =>
    app.request('POST', `/tool-calls?format=openai&wait_ms=0&${query}`, message, headers)
  const [own, other] = await Promise.all([send('', {}), send('', RESTRICTED)])
  t.not(own.body.calls[0].tool_call_id, other.body.calls[0].tool_call_id)
  const bound = { authorization: 'Bearer a-token-of-agent-coder' }
  const { body } = await send('', bound)
  t.match(await app.get(`/calls/${body.calls[0].tool_call_id}`), { agent: 'coder' })
  t.match(await send('agent=reviewer', bound), { status: 403, body: { code: 'FORBIDDEN' } })
  t.match(await app.request('GET', `/calls/${body.calls[0].tool_call_id}`, undefined, RESTRICTED), { status: 404 })
})
