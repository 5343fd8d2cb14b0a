// Tests of the example agents, in TypeScript and in Python, against a scripted model and a real server.
// tier: full
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { json, text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { CALL_TOKEN, type Json, startApp, type TestApp, toApproval } from '../start-app.ts'
import { needs } from '../support/needs.ts'
import { exitOf, once, waitUntil, within } from '../support/wait.ts'

const PROGRAMS = {
  TypeScript: [process.execPath, 'examples/agent-loop/agent.ts'],
  Python: ['python3', 'examples/agent-loop/agent.py']
} as const
type Program = (typeof PROGRAMS)[keyof typeof PROGRAMS]

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

/** Runs an agent; `line` resolves with the next matching line of output. */
function agent(t: Test, [program, script]: Program, { url }: TestApp, more: Record<string, string>, task = 'Do it.') {
  const env = {
    ...{ PATH: process.env.PATH, HOME: process.env.HOME },
    TOOLGATE_URL: url,
    TOOLGATE_TOKEN: CALL_TOKEN,
    MODEL: 'scripted',
    MODEL_KEY: 'k',
    ...more
  }
  const child: ChildProcess = spawn(program, [script, task], { env })
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
const toolContents = (body: Json) =>
  body.messages.filter(({ role }: Json) => role === 'tool').map(({ content }: Json) => content)

for (const [language, program] of Object.entries(PROGRAMS)) {
  const options = language === 'Python' ? needs('python3') : {}

  t.test(
    `${language}: reads, edits with approval, handles a rejection and its errors, and answers`,
    options,
    async t => {
      const app = await startApp(t, { 'a.txt': 'one\n', 'b.txt': 'two\n' })
      const edit = { path: 'a.txt', old: 'one', new: 'uno' }
      const { asked, url } = await model(t, [
        { status: 429, headers: { 'retry-after': '0' }, body: {} },
        says(
          'I look first.',
          wants('1', 'read_file', { path: 'a.txt' }),
          wants('2', 'read_file', { path: 'b.txt' }),
          wants('3', 'no_such_tool', {}),
          wants('4', 'read_file', '{"path": ')
        ),
        says(null, wants('5', 'edit_file', edit)),
        says(null, wants('6', 'delete_file', { path: 'b.txt' })),
        says('a.txt says uno now; b.txt stays.')
      ])
      const run = agent(t, program, app, { MODEL_URL: `${url}/v1/` }, 'Put a.txt into Spanish.')

      const [, first] = await run.line(APPROVE)
      const waiting = await app.get(`/calls/${first}`)
      t.match(waiting, { tool: 'edit_file', agent: 'coder', client: 'agent-loop', params: edit })
      t.equal(app.read('a.txt'), 'one\n', 'nothing happened yet')
      await app.post('/approve', toApproval(waiting))
      const [, second] = await run.line(new RegExp(`approve (?!${first})(tc_\\w+)`))
      await app.post(`/calls/${second}/reject`, { reason: 'b.txt is needed.', user_message: 'Leave it.' })
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
      t.match(toolContents(asked[2]!.body), [
        /^ +1\tone$/,
        /^ +1\ttwo$/,
        /^UNKNOWN_TOOL: There is no tool "no_such_tool"/,
        /^INVALID_PARAMS: The text of the arguments is not valid JSON/
      ])
      t.match(toolContents(asked[3]!.body)[4], /a\.txt/)
      t.equal(toolContents(asked[4]!.body)[5], 'The call was rejected: b.txt is needed. Leave it.')
      const sessions = (await app.get('/calls')).calls.map(({ session_id }: Json) => session_id)
      t.match([...new Set(sessions)], [/^agent-loop-/], 'one session')
    }
  )

  t.test(`${language}: the loops over the other APIs`, options, async t => {
    const app = await startApp(t, { 'a.txt': 'one\n' })
    const use = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input })
    const messages = await model(t, [
      {
        body: {
          content: [{ type: 'text', text: 'Reading.' }, use('1', 'read_file', { path: 'a.txt' }), use('2', 'grep', {})]
        }
      },
      { body: { content: [{ type: 'text', text: 'It says one.' }] } }
    ])
    const overMessages = agent(t, program, app, { MODEL_API: 'anthropic', MODEL_URL: messages.url })
    t.strictSame(await overMessages.ended, { code: 0, answer: 'It says one.\n' })
    t.match(messages.asked[0], {
      url: '/v1/messages',
      headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' }
    })
    t.strictSame(messages.asked[0]!.body.tools, (await app.get('/tools?format=anthropic&agent=coder')).tools)
    t.match(messages.asked[1]!.body.messages.at(-1), {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: '1', content: /one/ },
        { type: 'tool_result', tool_use_id: '2', content: /^INVALID_PARAMS: /, is_error: true }
      ]
    })

    const call = { type: 'function_call', call_id: '1', name: 'read_file', arguments: '{"path":"a.txt"}' }
    const text = (words: string) => ({ type: 'message', content: [{ type: 'output_text', text: words }] })
    const responses = await model(t, [
      { body: { output: [text('Reading.'), call] } },
      { body: { output: [text('It says one.')] } }
    ])
    const overResponses = agent(t, program, app, { MODEL_API: 'openai-responses', MODEL_URL: responses.url })
    t.strictSame(await overResponses.ended, { code: 0, answer: 'It says one.\n' })
    t.strictSame(overResponses.lines, ['Reading.', 'read_file: success'])
    t.match(responses.asked[0], { url: '/responses', headers: { authorization: 'Bearer k' } })
    t.strictSame(responses.asked[0]!.body.tools, (await app.get('/tools?format=openai-responses&agent=coder')).tools)
    const { input } = responses.asked[1]!.body
    t.strictSame(input.slice(1, 3), [text('Reading.'), call])
    t.match(input.slice(3), [{ type: 'function_call_output', call_id: '1', output: /one/ }])
  })

  t.test(`${language}: stopping it cancels pending calls`, options, async t => {
    const app = await startApp(t, { 'a.txt': 'one\n' })
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const { url } = await model(t, [says(null, wants('1', 'write_file', { path: 'a.txt', content: 'two\n' }))])
      const { child, line, ended } = agent(t, program, app, { MODEL_URL: url })
      const [, id] = await line(APPROVE)
      child.kill(signal)
      t.strictSame(await ended, { code: 1, answer: '' }, signal)
      await waitUntil('the call to be cancelled', async () => (await app.get(`/calls/${id}`)).status === 'cancelled')
    }
    t.equal(app.read('a.txt'), 'one\n')
  })

  t.test(`${language}: a fatal error ends it with the reason`, options, async t => {
    const app = await startApp(t)
    const { url } = await model(t, [{ status: 401, body: { error: 'no such key' } }])
    const refused = agent(t, program, app, { MODEL_URL: url })
    t.equal((await refused.ended).code, 1)
    t.match(refused.lines, [/The model answered 401: .*no such key/])
    const lost = agent(t, program, app, { MODEL_URL: url, TOOLGATE_TOKEN: 'none' })
    t.equal((await lost.ended).code, 1)
    t.match(lost.lines, [/valid token/])
    const unset = agent(t, program, app, { MODEL_URL: '' })
    t.equal((await unset.ended).code, 2)
    t.match(unset.lines, [/^Usage: /])
  })

  t.test(`${language}: ends an endless model`, options, async t => {
    const app = await startApp(t)
    const turns = Array.from({ length: 50 }, (_, i) => says(null, wants(`${i}`, 'no_such_tool', {})))
    const { url, asked } = await model(t, turns)
    const endless = agent(t, program, app, { MODEL_URL: url })
    t.equal((await endless.ended).code, 1)
    t.match(endless.lines, [/in 50 turns/])
    t.equal(asked.length, 50)
  })
}
