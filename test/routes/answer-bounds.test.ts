// Tests that every route which answers with calls or lists has a maximum size, whatever callers make, and says where the rest is. The maxima are
// those of docs/api.md; largest-answers.test.ts has those of previews.
// tier: full
import { readFileSync } from 'node:fs'
import t from 'tap'
import { parse } from 'yaml'
import { agentToken, type Json, startApp, type TestApp, TOKEN } from '../start-app.ts'

const KIB = 1024
const MIB = 1024 * KIB
/** Bytes of a page, of all pages of the state, of the outcomes of 100 calls, and of a job in a list. */
const MAX_PAGE = 2.5 * MIB
const MAX_STATE = 8 * MIB
const MAX_OUTCOMES = 15 * MIB
const MAX_LISTED_JOB = 32 * KIB

/** Bounds of answers, by the operation that has calls or lists. */
const BOUNDS: Record<string, string> = {
  appendUpload: 'one call',
  approve: 'outcomes',
  approveCall: 'one call',
  backgroundCall: 'one call',
  cancelCall: 'one call',
  clearMode: 'made by approvers',
  downloadFile: 'one call',
  dropBuffers: 'setting buffers.max_files',
  explainPolicy: '50 parts',
  getCall: 'one call',
  issueToken: 'rights',
  listApprovals: 'pages',
  listBuffers: 'settings buffers.max_files and buffers.max_bytes',
  listCalls: 'pages',
  listDelegations: '100 and 32 MiB of a front end',
  listJobs: 'settings commands.max_jobs and commands.keep_jobs',
  listMcpServers: 'configuration',
  listModes: 'made by approvers',
  listRules: 'made by approvers',
  listShells: '16 of a session',
  listTokens: '64 tokens and 16 consoles',
  listTools: 'configuration',
  logoutMcpServer: 'configuration',
  nameSession: 'rights',
  openSession: 'rights',
  previewCall: '8 MiB of files and 32 MiB of preview',
  purgeCall: 'one call',
  putBuffers: 'setting buffers.max_files',
  reject: 'outcomes',
  rejectCall: 'one call',
  resetShell: '16 of a session',
  restartMcpServer: 'configuration',
  revokeToken: 'rights',
  showUndo: 'files that one call changed, or those of paths',
  state: 'pages',
  stats: 'tools and minutes',
  submitBatch: 'outcomes',
  submitCall: 'one call',
  testRules: 'its limit, at most 500',
  undoCall: 'one call',
  uploadFile: 'one call'
}

type Schema = Json
interface Operation {
  operationId: string
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}
const { paths } = parse(readFileSync('openapi.yaml', 'utf8')) as { paths: Record<string, Record<string, Operation>> }

const hasListOrCall = (schema: Schema): boolean =>
  schema.$ref === '#/components/schemas/Call' ||
  (schema.anyOf ?? []).some(hasListOrCall) ||
  Object.values((schema.properties ?? {}) as Record<string, Schema>).some(({ type }) => type === 'array')

t.test('every operation that answers with calls or lists has a bound', async t => {
  const listing = Object.values(paths)
    .flatMap(methods => Object.values(methods))
    .filter(({ responses }) =>
      Object.entries(responses).some(
        ([status, { content }]) =>
          status < '300' && content?.['application/json'] && hasListOrCall(content['application/json'].schema)
      )
    )
    .map(({ operationId }) => operationId)
  t.strictSame(listing.sort(), Object.keys(BOUNDS).sort())
})

/** Returns an answer and its size. */
async function measure(
  app: TestApp,
  method: string,
  target: string,
  body?: unknown
): Promise<{ bytes: number; body: Json }> {
  const response = await fetch(app.url + target, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${target}: ${text.slice(0, 500)}`)
  return { bytes: Buffer.byteLength(text), body: JSON.parse(text) }
}

t.test('a batch has whole calls as long as there is room', async t => {
  const app = await startApp(t)
  app.write('large.png', Buffer.concat([PNG, Buffer.alloc(MIB, 7)]))
  const calls = Array.from({ length: 12 }, () => ({ tool: 'read_file', params: { path: 'large.png' } }))
  const { bytes, body } = await measure(app, 'POST', '/calls/batch', { calls })
  t.ok(bytes <= MAX_OUTCOMES, `${bytes} bytes`)
  const whole = body.results.filter((each: Json) => !each.truncated)
  t.ok(whole.length > 0)
  for (const { status, truncated, tool_call_id, href } of body.results) {
    t.equal(status, 'success')
    if (truncated) t.equal(href, `/calls/${tool_call_id}`)
  }
  const cut = body.results.find((each: Json) => each.truncated)
  t.strictSame((await app.get(cut.href)).result, whole[0].result)
})

t.test('decisions about many large calls are bounded alike', async t => {
  const app = await startApp(t)
  const content = 'c'.repeat(900 * KIB)
  app.write('a.txt', 'a\n')
  const ids: string[] = []
  for (let n = 0; n < 30; n++)
    ids.push((await app.call('write_file', { path: 'a.txt', content: `${n}${content}` })).tool_call_id)
  const { bytes, body } = await measure(app, 'POST', '/reject', { tool_call_ids: ids })
  t.ok(bytes <= MAX_OUTCOMES, `${bytes} bytes`)
  t.strictSame(
    body.results.map(({ tool_call_id, status }: Json) => `${tool_call_id} ${status}`),
    ids.map(id => `${id} rejected`)
  )
  t.ok(body.results.some(({ truncated }: Json) => truncated))
  const log = await measure(app, 'GET', '/calls?limit=500')
  t.ok(log.bytes <= MAX_PAGE, `${log.bytes} bytes`)
})

t.test('large jobs are abbreviated in lists, and whole by themselves', async t => {
  const app = await startApp(t)
  await app.post('/rules', { effect: 'allow', match: { tool: 'shell_background' }, scope: 'user' })
  const command = `exec sleep 300; : ${'\u0001'.repeat(60 * KIB)}`
  const description = '\u0001'.repeat(100 * KIB)
  const ids: string[] = []
  for (let n = 0; n < 8; n++) {
    const { tool_call_id, status } = await app.call('shell_background', { command, description })
    if (status === 'awaiting_approval') {
      const { digest } = (await app.get(`/calls/${tool_call_id}`)).approval
      const { whole_digest } = await app.get(`/calls/${tool_call_id}/preview`)
      await app.post(`/calls/${tool_call_id}/approve?wait_ms=120000`, { digest, whole_digest, confirm: true })
    }
    ids.push(tool_call_id)
  }
  const { bytes, body } = await measure(app, 'GET', '/jobs')
  t.ok(bytes <= ids.length * MAX_LISTED_JOB, `${bytes} bytes`)
  t.strictSame(
    body.jobs.map(({ task_id, truncated, href }: Json) => ({ task_id, truncated, href })),
    ids.toReversed().map(task_id => ({ task_id, truncated: true, href: `/jobs/${task_id}` }))
  )
  t.match(await app.get(body.jobs[0].href), { description, truncated: undefined })
  const state = await measure(app, 'GET', '/state')
  t.strictSame(state.body.jobs, body.jobs.toReversed())
})

t.test('rules and modes have no longer names than calls', async t => {
  const { request } = await startApp(t)
  const long = 'x'.repeat(257)
  const rule = { effect: 'ask', match: { tool: 'read_file' }, scope: 'session', session_id: 's' }
  for (const [method, target, body] of [
    ['POST', '/rules', { ...rule, session_id: long }],
    ['POST', '/rules', { ...rule, workspace: long }],
    ['PUT', `/sessions/${long}/mode`, { mode: 'plan' }],
    ['PUT', '/sessions/s/mode', { mode: 'plan', token_id: long }],
    ['PUT', '/sessions/s/mode', { mode: 'plan', workspace: long }]
  ] as const)
    t.match(await request(method, target, body), { status: 400, body: { code: 'INVALID_PARAMS' } }, target)
})

t.test('the state and the lists of many waiting calls in sessions with long names are pages', async t => {
  const app = await startApp(t)
  const nameSession = (n: number) => `${'🙂'.repeat(250)}${n}`
  const submit = async (n: number, headers: Record<string, string> = {}) => {
    const request = { tool: 'shell_exec', params: { command: `: ${n} ${'z'.repeat(KIB)}` } }
    const context = 'é'.repeat(4_000)
    return app.request('POST', '/calls?wait_ms=0', { ...request, context, session_id: nameSession(n) }, headers)
  }
  for (let n = 0; n < 1_010; n++) t.equal((await submit(n)).status, 202)
  const agents = ['a', 'b'].map(agent => ({ authorization: `Bearer ${agentToken(agent)}` }))
  for (let n = 0; n < 200; n++) await submit(n % 3, agents[n % 2])

  const state = await measure(app, 'GET', '/state')
  t.ok(state.bytes <= MAX_STATE, `${state.bytes} bytes`)
  t.equal(Object.keys(state.body.sessions).length, 1_000)
  t.match(state.body, { sessions_truncated: true, pending_cursor: /^\d+$/ })
  for (const [target, name] of [
    ['/approvals?limit=500', 'approvals'],
    ['/calls?limit=500', 'calls']
  ] as const) {
    const ids: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { bytes: number; body: Json } = await measure(app, 'GET', target + (cursor && `&cursor=${cursor}`))
      t.ok(page.bytes <= MAX_PAGE, `${target} has ${page.bytes} bytes`)
      ids.push(...page.body[name].map(({ tool_call_id }: Json) => tool_call_id))
      cursor = page.body.cursor ?? null
    }
    t.equal(new Set(ids).size, 1_210)
  }
})

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64'
)
