// Tests every operation of openapi.yaml with requests made from its schemas: valid, nearly valid and hostile ones, as callers with and
// without the right to approve. `npm run campaign -- fuzz` sends ten times as many.
// tier: full
import { promisify } from 'node:util'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { ERRORS, type ErrorCode } from '../../../src/protocol/error-codes.ts'
import { CALL_TOKEN, type Json, startApp, type TestApp, TOKEN } from '../../start-app.ts'
import { roundsOf } from '../../support/property.ts'
import { waitUntil } from '../../support/wait.ts'
import { documentedResponse, findSchemaError, responsePointer } from './operations.ts'
import { anyRequest, CALL_IDS, type FuzzRequest, PLACEHOLDERS } from './requests.ts'
import { type Answer, closeConnections, type LiveIds, send, toTarget } from './send.ts'

const TOKENS = { approver: TOKEN, caller: CALL_TOKEN, stranger: 'no-token-of-anyone' }
const REQUESTS = 20_000
const HEALTH_EVERY = 20
/** Connections of the test itself, besides those of the fuzz. */
const MAX_OWN_CONNECTIONS = 8

/** Starts a server with calls in several states, of both callers. */
async function start(t: Test): Promise<{ app: TestApp; live: LiveIds }> {
  const app = await startApp(t, { 'a.txt': 'a\n'.repeat(50), 'src/b.txt': 'b\n', '.env': 'KEY=value\n' })
  const as = { authorization: `Bearer ${CALL_TOKEN}` }
  const calls = [
    ['read_file', { path: 'a.txt' }, {}],
    ['read_file', { path: 'missing.txt' }, as],
    ['write_file', { path: 'n.txt', content: 'n\n' }, {}],
    ['edit_file', { path: 'a.txt', old: 'a\na\n', new: 'c\n' }, as],
    ['shell_exec', { command: 'echo a' }, as],
    ['shell_exec', { command: 'echo b' }, {}],
    ['todo_write', { todos: [{ content: 'x', status: 'pending' }] }, as],
    ['glob', { pattern: '**/*' }, as]
  ] as const
  for (const [i, [tool, params, headers]] of calls.entries()) {
    const request = { tool, params, session_id: 's', tool_call_id: CALL_IDS[i] }
    const { status, body } = await app.request('POST', '/calls', request, headers)
    if (status >= 300) throw new Error(`${tool}: ${JSON.stringify(body)}`)
  }
  const { rule_id } = await app.post('/rules', { effect: 'ask', match: { tool: 'web_fetch' }, scope: 'user' })
  const { token_id } = await app.post('/tokens', { name: 'x', rights: ['call'] })
  const clientInfo = { name: 'fuzz', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  const opened = await app.request('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'initialize', params })
  const live = {
    [PLACEHOLDERS.rule]: rule_id,
    [PLACEHOLDERS.token]: token_id,
    [PLACEHOLDERS.session]: opened.headers.get('mcp-session-id')!
  }
  return { app, live }
}

/** Returns what is wrong with an answer; undefined if it is as documented. */
function findFault(request: FuzzRequest, { status, type, text }: Answer): string | undefined {
  const { route, suffix, parts } = request
  if (/"code":"INTERNAL"/.test(text)) return `INTERNAL: ${text}`
  const isProblem = type === 'application/problem+json'
  const body: Json = /json$/.test(type) ? JSON.parse(text) : text
  if (isProblem) {
    if (body.status !== status) return `The problem has the status ${body.status}, the answer ${status}.`
    if (status !== 431 && ERRORS[body.code as ErrorCode]?.status !== status)
      return `${status} is not the status of ${body.code}.`
    if (/node_modules|\.[jt]s:\d/.test(text)) return `The problem shows the inside: ${text}`
    const error = findSchemaError('/components/schemas/Problem', body)
    if (error) return `The problem is not as documented: ${error}`
  }
  if (status === 431 && toTarget(request).length + JSON.stringify(parts.header).length > 8_000) return undefined
  const documented = documentedResponse(route.operation, status)
  // A path that is malformed or leads elsewhere does not belong to this route.
  const isElsewhere =
    suffix !== '' || Object.values(parts.path).some(each => typeof each !== 'string' || /^\.{0,2}$|[%/]/.test(each))
  if (isProblem && isElsewhere && (status === 400 || status === 404)) return undefined
  if (!documented) return `${status} is not documented: ${text.slice(0, 500)}`
  if (status === 204 || status === 304 || documented.content === undefined)
    return text === '' ? undefined : `${status} has a body.`
  if (parts.query.toolset !== undefined && type === 'application/json') return undefined
  if (!(type in documented.content))
    return `${status} with ${type || 'no type'} is not documented: ${text.slice(0, 200)}`
  if (isProblem)
    return documented.description.includes(body.code)
      ? undefined
      : `${body.code} is not documented: ${text.slice(0, 300)}`
  if (type === 'text/event-stream' || !/json$/.test(type)) return undefined
  const error = findSchemaError(responsePointer(route, status, type), body)
  return error && `${status} is not as documented: ${error} in ${text.slice(0, 500)}`
}

const show = (request: FuzzRequest) => {
  const { route, sender, parts, body, raw } = request
  const said = JSON.stringify({ header: parts.header, body, raw })
  return `${sender} ${route.method} ${toTarget(request).slice(0, 300)} ${said.slice(0, 600)}`
}

t.test('every answer is as documented, whatever is sent', async t => {
  const { app, live } = await start(t)
  t.teardown(closeConnections)
  const requests = fc.sample(anyRequest, roundsOf(REQUESTS))
  const faults = new Map<string, string>()
  const statuses = new Map<number, number>()
  for (const [i, request] of requests.entries()) {
    const answer = await send(app.url, request, TOKENS, live)
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    const fault = findFault(request, answer)
    if (fault) {
      const { method, path } = request.route
      const key = `${method} ${path} ${answer.status} ${/"code":"\w+"/.exec(answer.text)?.[0] ?? ''}${fault.slice(0, 60)}`
      if (!faults.has(key)) faults.set(key, `${i}: ${fault}\n  ${show(request)}`)
    }
    if (i % HEALTH_EVERY === 0) t.equal((await app.request('GET', '/health')).status, 200)
  }
  t.strictSame([...faults.values()], [])
  t.ok((statuses.get(200) ?? 0) > requests.length / 10, 'many requests are valid')

  closeConnections()
  await waitUntil('calls, streams and connections to end', async () => {
    const [{ running }, { server }] = await Promise.all([app.get('/state'), app.get('/stats')])
    return running.length === 0 && server.streams === 0 && (await countConnections(app)) <= MAX_OWN_CONNECTIONS
  })
  t.strictSame(await findInternalErrors(app), [])
  t.strictSame(await findInvalidEvents(app), [])
})

const countConnections = (app: TestApp) => promisify(app.app.http.server.getConnections).call(app.app.http.server)

/** Returns the calls that ended with an internal error. */
async function findInternalErrors(app: TestApp): Promise<Json[]> {
  const found: Json[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Json = await app.get(`/calls?status=error&limit=500${cursor && `&cursor=${cursor}`}`)
    found.push(...page.calls.filter(({ error }: Json) => error.code === 'INTERNAL'))
    cursor = page.cursor
  }
  return found
}

/** Returns how events since the start break their schema. */
async function findInvalidEvents(app: TestApp): Promise<string[]> {
  const { tool_call_id } = await app.call('todo_read', {})
  const stream = await app.events('?after=0')
  const events = await stream.type('tool.result', event => event.tool_call_id === tool_call_id)
  stream.close()
  return events.flatMap(({ id: _, event: __, ...data }) => {
    const error = findSchemaError('/components/schemas/Event', data)
    return error ? [`${error} in ${JSON.stringify(data).slice(0, 500)}`] : []
  })
}
