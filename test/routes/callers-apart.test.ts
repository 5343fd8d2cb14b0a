// Tests that a caller without the right to approve reaches only the calls made with the same token: by every operation of openapi.yaml, by
// every tool, and by the event stream.
// tier: full
import t, { type Test } from 'tap'
import { agentToken, type Json, listenToEvents, startApp } from '../start-app.ts'
import { ROUTES } from '../support/openapi.ts'
import { waitUntil } from '../support/wait.ts'

/** Stands in every param, output and note of the one caller, and nowhere in the files. */
const MARKER = 'alice-private-7731'
const SESSION = 'session-of-alice'
const ALICE = { authorization: `Bearer ${agentToken('alice')}` }
const MALLORY = { authorization: `Bearer ${agentToken('mallory')}` }

/** Starts a server on which one caller has calls in all states: ended, waiting, running, and a job. */
async function start(t: Test) {
  const app = await startApp(t, { 'a.txt': 'a\n' })
  const { request, post } = app
  const as =
    (headers: Record<string, string>) =>
    async (tool: string, params: object, more: object = {}) =>
      (await request('POST', '/calls?wait_ms=0', { tool, params, session_id: SESSION, ...more }, headers)).body
  const alice = as(ALICE)
  const settled = (id: string) =>
    waitUntil('the call to end', async () => {
      const call = await app.get(`/calls/${id}`)
      return 'finished_at' in call && call
    })
  const approved = async (asked: Json) => {
    await post(`/calls/${asked.tool_call_id}/approve?wait_ms=0`, { digest: asked.approval.digest, confirm: true })
    return asked.tool_call_id as string
  }
  const waitForApproval = (id: string) =>
    waitUntil('the call to wait', async () => {
      const call = await app.get(`/calls/${id}`)
      return call.status === 'awaiting_approval' && call
    })
  const ask = async (tool: string, params: object, more: object = {}) => {
    const { tool_call_id } = await alice(tool, params, more)
    return waitForApproval(tool_call_id)
  }
  const noted = await alice('todo_write', { todos: [{ content: MARKER, status: 'pending' }] })
  const ended = await approved(await ask('shell_exec', { command: `echo ${MARKER}` }))
  const waiting = (await ask('shell_exec', { command: `echo ${MARKER} waiting` })).tool_call_id
  const job = await approved(await ask('shell_background', { command: `echo ${MARKER} job; exec sleep 60` }))
  const changed = (await alice('write_file', { path: 'new.txt', content: 'new\n' }, { context: MARKER })).tool_call_id
  await Promise.all([noted.tool_call_id, ended, job, changed].map(settled))
  await waitUntil('the output of the job', async () =>
    JSON.stringify(await app.get(`/calls/${job}/output`)).includes(`${MARKER} job`)
  )
  return { ...app, alice, mallory: as(MALLORY), ids: { ended, waiting, job, changed } }
}

/** Returns whether an answer shows something of the other caller, besides what the request itself named. */
const shows = (answer: unknown, ids: Record<string, string>, ...named: string[]) => {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
  return text.includes(MARKER) || Object.values(ids).some(id => !named.includes(id) && text.includes(id))
}

t.test('no operation of the API reaches a call of another token', async t => {
  const { request, mallory, ids, get } = await start(t)
  const before = await get(`/calls/${ids.waiting}`)
  for (const { method, path, operation } of ROUTES) {
    const types = Object.keys(operation.responses[200]?.content ?? {})
    if (types.length === 1 && types[0] === 'text/event-stream') continue
    const query = (operation.parameters ?? [])
      .filter(each => each.in === 'query' && ['session_id', 'id_prefix', 'tool_call_id'].includes(each.name))
      .map(({ name }) => `${name}=${name === 'session_id' ? SESSION : ids.ended}`)
    for (const id of path.includes('{id}') ? Object.values(ids) : ['']) {
      const target = path.replace('{id}', id).replaceAll(/\{\w+\}/g, '0')
      const sendsBytes = operation.requestBody?.content['application/octet-stream'] !== undefined
      const bodies =
        method === 'GET' ? [undefined] : sendsBytes ? ['x'] : [{}, { tool_call_id: ids.waiting }, { text: 'x' }]
      for (const body of bodies)
        for (const search of ['', ...query.map(each => `?${each}`)]) {
          const { status, body: answer } = await request(method, target + search, body, MALLORY)
          const name = `${method} ${target}${search} ${JSON.stringify(body) ?? ''}`
          const isByQuery = search.startsWith('?tool_call_id=') && path === '/files/{path}'
          t.notOk(shows(answer, ids, id, ...(isByQuery ? [ids.ended] : [])), `${name} shows nothing`)
          if (path.startsWith('/calls/{id}') || path.startsWith('/jobs/{id}') || isByQuery)
            t.ok([400, 403, 404].includes(status), `${name} is refused`, { status, answer })
        }
    }
  }
  t.same(await get(`/calls/${ids.waiting}`), before)
  t.match(await get(`/jobs/${ids.job}`), { status: 'running' })
  t.match((await request('GET', `/calls/${ids.ended}`, undefined, MALLORY)).body, {
    status: 404,
    code: 'NOT_FOUND',
    detail: `There is no call ${ids.ended}.`
  })
  t.match((await request('GET', `/calls/${ids.ended}`, undefined, ALICE)).body, {
    status: 'success',
    result: { data: { stdout: `${MARKER}\n` } }
  })
  const { tool_call_id } = await mallory('todo_read', {})
  const { calls } = (await request('GET', '/calls', undefined, MALLORY)).body
  t.equal(calls[0].tool_call_id, tool_call_id)
  t.same([...new Set(calls.slice(1).map(({ tool, params }: Json) => `${tool} ${params.path}`))].sort(), [
    'download_file 0',
    'upload_file 0'
  ])
})

/** Returns params for a tool: ids of the other caller where it takes an id, else the least that its schema requires. */
function paramsFor(schema: Json, id: string): Json {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf ?? schema.oneOf) return paramsFor((schema.anyOf ?? schema.oneOf)[0], id)
  if (schema.type === 'object') {
    const wanted = Object.keys(schema.properties ?? {}).filter(
      name => schema.required?.includes(name) || /(^|_)ids?$/.test(name)
    )
    return Object.fromEntries(wanted.map(name => [name, paramsFor(schema.properties[name], id)]))
  }
  if (schema.type === 'array') return [paramsFor(schema.items ?? { type: 'string' }, id)]
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1
  if (schema.type === 'boolean') return false
  return id
}

t.test('no tool reaches a call of another token, whatever session it names', async t => {
  const { mallory, ids, get } = await start(t)
  const { tools } = (await get('/tools')) as Json
  t.ok(tools.length > 40)
  for (const { name, input } of tools)
    for (const id of name.includes('task') || name === 'undo' ? Object.values(ids) : [ids.ended]) {
      const answer = await mallory(name, paramsFor(input, id))
      const call = answer.tool_call_id
        ? await waitUntil(`${name} to end or wait`, async () => {
            const now = await get(`/calls/${answer.tool_call_id}`)
            return !['queued', 'running'].includes(now.status) && now
          })
        : answer
      const { params: _, requested_params: __, ...rest } = call
      t.notOk(shows(rest, ids, id), `${name} shows nothing`)
    }
  t.match(await get(`/jobs/${ids.job}`), { status: 'running' })
})

t.test('events of others are left out, and resuming leaves no gap', async t => {
  const { url, ids, alice, mallory, events } = await start(t)
  const person = await events('?after=0')
  const own = await listenToEvents(t, `${url}/events?after=0`, ALICE)
  const other = await listenToEvents(t, `${url}/events?after=0`, MALLORY)
  const { tool_call_id } = await mallory('todo_read', {})
  const isLast = (event: Json) => event.type === 'tool.result' && event.tool_call_id === tool_call_id
  const seen = await other.until(isLast)
  t.notOk(shows(seen, ids, ''), 'the other caller sees nothing')
  const all = (await person.until(isLast)).filter(({ seq, type }) => seq !== undefined && type !== 'stream.snapshot')
  const { tool_call_id: last } = await alice('todo_read', {})
  const isOwnLast = (event: Json) => event.type === 'tool.result' && event.tool_call_id === last
  const ofAlice = await own.until(isOwnLast)
  all.push(...(await person.until(isOwnLast)))
  const expected = all.filter(event => event.tool_call_id !== tool_call_id && event.session_id !== undefined)
  const numbers = (list: Json[]) => list.filter(({ type }) => type !== 'stream.snapshot').map(({ seq }) => seq)
  t.same(
    numbers(ofAlice).filter(seq => expected.some(event => event.seq === seq)),
    numbers(expected)
  )
  for (const seq of numbers(ofAlice).slice(0, -1)) {
    const resumed = await listenToEvents(t, `${url}/events`, { ...ALICE, 'last-event-id': String(seq) })
    t.same(
      numbers(await resumed.until(isOwnLast)),
      numbers(ofAlice).filter(each => each > seq),
      `resumed after ${seq}`
    )
  }
})

t.test('keys and ids are those of the token', async t => {
  const { request } = await startApp(t, { 'a.txt': 'a\n' })
  const read = { tool: 'read_file', params: { path: 'a.txt' } }
  const send = async (headers: object, body: object = read, key = 'k-1') =>
    (await request('POST', '/calls', body, { ...headers, 'idempotency-key': key } as Record<string, string>)).body
  const first = await send(ALICE)
  const second = await send(MALLORY)
  t.not(first.tool_call_id, second.tool_call_id)
  t.equal((await send(ALICE)).tool_call_id, first.tool_call_id)
  t.match(await send(MALLORY, { tool: 'list_directory', params: { path: '.' } }), { status: 409, code: 'CONFLICT' })
  t.match(await send(MALLORY, { ...read, tool_call_id: first.tool_call_id }, 'k-2'), { status: 409, code: 'CONFLICT' })
})

t.test('ownership outlives a restart, and rules for a session are for its token', async t => {
  const first = await startApp(t, { 'a.txt': 'a\n' })
  const submit = async (app: typeof first, headers: Record<string, string>, command: string) =>
    (await app.request('POST', '/calls', { tool: 'shell_exec', params: { command }, session_id: SESSION }, headers))
      .body
  const asked = await submit(first, ALICE, 'touch b.txt')
  const { id } = asked.approval.always_options.find(({ scope }: Json) => scope === 'session')
  t.match(
    await first.post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, {
      digest: asked.approval.digest,
      always: id
    }),
    { status: 'success' }
  )
  t.match(await submit(first, ALICE, 'touch b.txt'), { status: 'success', approved_by: { source: 'rule' } })
  t.match(await submit(first, MALLORY, 'touch b.txt'), { status: 'awaiting_approval' })
  const rulesOf = async (headers: Record<string, string>) =>
    (await first.request('GET', '/rules', undefined, headers)).body.rules
  t.match(await rulesOf(ALICE), [{ scope: 'session', token_id: 'server:agent:alice' }])
  t.same(await rulesOf(MALLORY), [])
  t.equal((await rulesOf({})).length, 1)
  const waiting = await submit(first, ALICE, 'touch c.txt')
  await first.close()

  const second = await startApp(t, {}, { folder: first.folder })
  const path = `/calls/${waiting.tool_call_id}`
  t.match(await second.request('GET', path, undefined, MALLORY), { status: 404 })
  t.match((await second.request('POST', `${path}/cancel`, {}, MALLORY)).status, 404)
  t.match((await second.request('POST', `${path}/cancel`, {}, ALICE)).body, { status: 'cancelled' })
  t.match(await submit(second, ALICE, 'touch b.txt'), { status: 'success' })
  t.match(await submit(second, MALLORY, 'touch b.txt'), { status: 'awaiting_approval' })
})

t.test('a session created by another token is not its own', async t => {
  const { request } = await startApp(t, {})
  const submit = async (headers: Record<string, string>, tool: string, params: object) =>
    (await request('POST', '/calls', { tool, params, session_id: SESSION }, { ...headers, 'x-toolgate-client': 'c' }))
      .body
  t.match(await submit(ALICE, 'write_file', { path: 'n.txt', content: 'n\n' }), { status: 'success' })
  t.match(await submit(MALLORY, 'move_file', { from: 'n.txt', to: 'm.txt' }), { status: 'awaiting_approval' })
  t.match(await submit(ALICE, 'move_file', { from: 'n.txt', to: 'm.txt' }), { status: 'success' })
})
