// Tests of the example agent against a scripted model and a real server.
// tier: full
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { json, text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { type Chat, runAgent } from '../../examples/agent-loop/loop.ts'
import type { BatchOutcome, Client } from '../../src/client/client.ts'
import { CALL_TOKEN, type Json, startApp, type TestApp, toApproval } from '../start-app.ts'
import { exitOf, LIMIT_MS, once, within } from '../support/wait.ts'

/** A model that returns these answers in turn, and records its requests. */
async function model(t: Test, answers: { status?: number; headers?: Record<string, string>; body: object }[]) {
  const asked: { url: string; headers: Json; body: Json }[] = []
  const server = createServer(async (request, response) => {
    asked.push({ url: request.url!, headers: request.headers, body: await json(request) })
    const { status = 200, headers = {}, body } = answers[asked.length - 1] ?? { status: 400, body: {} }
    response.writeHead(status, headers).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Runs the example; `line` resolves with the next matching line of output. */
function agent(t: Test, { url }: TestApp, more: Record<string, string>, task = 'Do it.') {
  const env = {
    PATH: process.env.PATH,
    TOOLGATE_URL: url,
    TOOLGATE_TOKEN: CALL_TOKEN,
    MODEL: 'scripted',
    MODEL_KEY: 'k',
    ...more
  }
  const child: ChildProcess = spawn(process.execPath, ['examples/agent-loop/agent.ts', task], { env })
  t.teardown(() => child.kill('SIGKILL'))
  const ended = exitOf(child)
  const answer = text(child.stdout!)
  const lines: string[] = []
  const heard = createInterface({ input: child.stderr! }).on('line', line => lines.push(line))
  async function line(pattern: RegExp) {
    for (;;) {
      const found = lines.map(each => pattern.exec(each)).find(each => each !== null)
      if (found) return found
      await Promise.race([once(heard, 'line'), ended.then(() => Promise.reject(new Error(lines.join('\n'))))])
    }
  }
  return {
    child,
    line,
    lines,
    ended: within('the agent to end', ended).then(async ({ code }) => ({ code, answer: await answer }))
  }
}

const APPROVE = /toolgate approve (tc_\w+)/
const wants = (id: string, name: string, args: object | string) => ({
  id,
  type: 'function',
  function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) }
})
const says = (content: string | null, ...tool_calls: object[]) => ({
  body: { choices: [{ message: { role: 'assistant', content, ...(tool_calls.length > 0 && { tool_calls }) } }] }
})
const told = (body: Json) =>
  body.messages.filter(({ role }: Json) => role === 'tool').map(({ content }: Json) => content)

t.test('reads, edits with approval, handles a rejection and its own errors, and answers', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n', 'b.txt': 'two\n' })
  const edit = { path: 'a.txt', old: 'one', new: 'uno' }
  const { asked, url } = await model(t, [
    { status: 429, headers: { 'retry-after': '0' }, body: {} },
    says(
      'I look first.',
      wants('1', 'read_file', { path: 'a.txt' }),
      wants('2', 'read_file', { path: 'b.txt' }),
      wants('3', 'no_such_tool', {}),
      wants('4', 'read_file', '{"path": '),
      wants('5', 'read_file', '[]')
    ),
    says(null, wants('6', 'edit_file', edit)),
    says(null, wants('7', 'delete_file', { path: 'b.txt' })),
    says('a.txt says uno now; b.txt stays.')
  ])
  const run = agent(t, app, { MODEL_URL: `${url}/v1/` }, 'Put a.txt into Spanish.')

  const [, first] = await run.line(APPROVE)
  const waiting = await app.get(`/calls/${first}`)
  t.match(waiting, { tool: 'edit_file', agent: 'coder', client: 'agent-loop', params: edit })
  t.equal(app.read('a.txt'), 'one\n', 'nothing happened yet')
  await app.post('/approve', toApproval(waiting))
  const [, second] = await run.line(new RegExp(`approve (?!${first})(tc_\\w+)`))
  await app.post(`/calls/${second}/reject`, { reason: 'b.txt is needed', user_message: 'leave it' })
  t.strictSame(await run.ended, { code: 0, answer: 'a.txt says uno now; b.txt stays.\n' })
  t.equal(app.read('a.txt'), 'uno\n')
  t.equal(app.read('b.txt'), 'two\n')
  t.match(
    run.lines.join('\n'),
    /I look first\.[\s\S]*read_file: success[\s\S]*edit_file: success[\s\S]*delete_file: rejected/
  )

  t.strictSame(asked[0], { ...asked[1], headers: asked[0]!.headers }, 'the same request again')
  t.match(asked[1], {
    url: '/v1/chat/completions',
    headers: { authorization: 'Bearer k' },
    body: { model: 'scripted' }
  })
  t.strictSame(asked[1]!.body.tools, (await app.get('/tools?format=openai&agent=coder')).tools)
  t.match(asked[1]!.body.messages, [{ role: 'system' }, { role: 'user', content: 'Put a.txt into Spanish.' }])
  t.match(told(asked[2]!.body), [
    /^ +1\tone$/,
    /^ +1\ttwo$/,
    /^UNKNOWN_TOOL: There is no tool "no_such_tool"/,
    /must be one JSON object/,
    /must be one JSON object/
  ])
  t.match(told(asked[3]!.body)[5], /a\.txt/)
  t.equal(told(asked[4]!.body)[6], 'The call was rejected. b.txt is needed leave it')
})

t.test('the same loop works with the Messages API', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  const use = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input })
  const { asked, url } = await model(t, [
    {
      body: {
        content: [{ type: 'text', text: 'Reading.' }, use('1', 'read_file', { path: 'a.txt' }), use('2', 'grep', {})]
      }
    },
    { body: { content: [{ type: 'text', text: 'It says one.' }] } }
  ])
  const { ended } = agent(t, app, { MODEL_API: 'anthropic', MODEL_URL: url })
  t.strictSame(await ended, { code: 0, answer: 'It says one.\n' })
  t.match(asked[0], { url: '/v1/messages', headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' } })
  t.strictSame(asked[0]!.body.tools, (await app.get('/tools?format=anthropic&agent=coder')).tools)
  t.match(asked[1]!.body.messages.at(-1), {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: '1', content: /one/, is_error: false },
      { type: 'tool_result', tool_use_id: '2', content: /^INVALID_PARAMS: /, is_error: true }
    ]
  })
})

t.test('stopping it cancels pending calls', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const { url } = await model(t, [says(null, wants('1', 'write_file', { path: 'a.txt', content: 'two\n' }))])
    const { child, line, ended } = agent(t, app, { MODEL_URL: url })
    const [, id] = await line(APPROVE)
    child.kill(signal)
    t.strictSame(await ended, { code: 1, answer: '' }, signal)
    t.match(await app.get(`/calls/${id}`), { status: 'cancelled' }, signal)
  }
})

t.test('a fatal error ends it with the reason', async t => {
  const app = await startApp(t)
  const { url } = await model(t, [{ status: 401, body: { error: 'no such key' } }])
  const refused = agent(t, app, { MODEL_URL: url })
  t.equal((await refused.ended).code, 1)
  t.match(refused.lines, [/The model answered 401: .*no such key/])
  const lost = agent(t, app, { MODEL_URL: url, TOOLGATE_TOKEN: 'none' })
  t.equal((await lost.ended).code, 1)
  t.match(lost.lines, [/valid token/])
  const unset = agent(t, app, { MODEL_URL: '' })
  t.equal((await unset.ended).code, 2)
  t.match(unset.lines, [/^Usage: /])
})

t.test('resends calls rejected by a busy server, and ends an endless model', async t => {
  const busy = { problem: { code: 'OVERLOADED', detail: 'busy' } } as BatchOutcome
  const done = { status: 'success', result: { content: 'done' } } as BatchOutcome
  const sent: string[][] = []
  const toolgate = {
    batch: async (calls: { tool: string }[]) => {
      sent.push(calls.map(({ tool }) => tool))
      return { results: calls.map(({ tool }) => (tool === 'later' && sent.length === 1 ? busy : done)) }
    }
  } as unknown as Client
  const heard: unknown[] = []
  const chat: Chat = {
    next: async results => {
      heard.push(...results)
      return { text: '', calls: ['now', 'later'].map(name => ({ id: name, name, params: {} })) }
    }
  }
  const options = {
    toolgate,
    chat,
    agent: 'coder',
    session_id: 's',
    say: () => {},
    signal: AbortSignal.timeout(LIMIT_MS)
  }
  await t.rejects(runAgent({ ...options, max_turns: 2 }), { message: /in 2 turns/ })
  t.strictSame(sent, [['now', 'later'], ['later'], ['now', 'later']])
  t.strictSame(heard, [
    { id: 'now', text: 'done', failed: false },
    { id: 'later', text: 'done', failed: false }
  ])
})
