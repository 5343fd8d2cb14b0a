// Tests that every route which answers with calls or lists has a maximum size, whatever callers make, and says where the rest is. The maxima are
// those of docs/api.md; largest-answers.test.ts has those of previews.
// tier: full
import t from 'tap'
import { connect } from '../../src/client/client.ts'
import { agentToken, type Json, startApp, type TestApp, TOKEN } from '../start-app.ts'
import { DOCUMENT, ROUTES, resolveReference, type Schema } from '../support/openapi.ts'

const KIB = 1024
const MIB = 1024 * KIB
/** Bytes of a page, of all pages of the state, of the outcomes of 100 calls, and of a job in a list. */
const MAX_PAGE = 2.5 * MIB
const MAX_STATE = 8 * MIB
const MAX_OUTCOMES = 15 * MIB
const MAX_LISTED_JOB = 32 * KIB

/** Bounds of answers, by the operation that has calls or lists. */
const BOUNDS: Record<string, string> = {
  addRule: 'one rule with at most 20 subjects of its limit',
  approve: 'outcomes',
  approveCall: 'one call',
  backgroundCall: 'one call',
  cancelCall: 'one call',
  clearMode: 'first page',
  downloadFile: 'one call',
  dropBuffers: 'setting buffers.max_files',
  explainPolicy: '50 parts',
  getCall: 'one call',
  getJob: 'one job, of which at most 200 quarantined paths',
  issueToken: 'rights',
  listApprovals: 'pages',
  listBuffers: 'settings buffers.max_files and buffers.max_bytes',
  listCalls: 'pages',
  listChanges: 'pages',
  listDelegations: 'pages',
  listJobs: 'setting commands.max_jobs, and 100 that ended',
  listMcpServers: 'configuration',
  listModes: 'pages',
  listNotifications: '32 channels of each configuration and 32 browsers',
  listRules: 'pages',
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
  revokeRule: 'one rule with at most 20 subjects of its limit',
  revokeToken: 'rights',
  runToolCalls: 'outcomes',
  showUndo: 'pages',
  state: 'pages',
  stats: 'tools and minutes',
  submitBatch: 'outcomes',
  submitCall: 'one call',
  testNotifications: 'configuration',
  testRules: 'its limit, at most 500',
  undoCall: 'one call',
  unsubscribeFromPush: '32 channels of each configuration and 32 browsers',
  uploadFile: 'one call',
  writeInput: 'one job, of which at most 200 quarantined paths'
}

const hasListOrCall = (schema: Schema): boolean =>
  schema.$ref === '#/components/schemas/Call' ||
  schema === DOCUMENT.components.schemas.Call ||
  (schema.anyOf ?? []).some((member: Schema) => hasListOrCall(resolveReference(member))) ||
  Object.values((schema.properties ?? {}) as Record<string, Schema>).some(({ type }) => type === 'array')

t.test('every operation that answers with calls or lists has a bound', async t => {
  const listing = ROUTES.map(({ operation }) => operation)
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
  for (let n = 0; n < 20; n++)
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
  for (let n = 0; n < 4; n++) {
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

/** Reads all pages of a list, each within the bound. */
async function readPages(app: TestApp, target: string, list: string): Promise<{ pages: Json[]; items: Json[] }> {
  const pages: Json[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const query: string = cursor && `${target.includes('?') ? '&' : '?'}cursor=${cursor}`
    const { bytes, body }: { bytes: number; body: Json } = await measure(app, 'GET', target + query)
    t.ok(bytes <= MAX_PAGE, `${target} has ${bytes} bytes`)
    pages.push(body)
    cursor = body.cursor
  }
  return { pages, items: pages.flatMap(page => page[list]) }
}

t.test('rules are pages, in which nothing is lost that others remove meanwhile', async t => {
  const app = await startApp(t)
  const ids: string[] = []
  for (let n = 0; n < 30; n++) {
    const match = { command: `${n} ${'c'.repeat(100 * KIB)}` }
    ids.push((await app.post('/rules', { effect: 'deny', match, scope: 'user' })).rule_id)
  }
  const { pages, items } = await readPages(app, '/rules', 'rules')
  t.ok(pages.length > 1)
  t.strictSame(
    items.map(({ rule_id }) => rule_id),
    ids
  )
  const first = await app.get('/rules?limit=3')
  t.strictSame(
    first.rules.map(({ rule_id }: Json) => rule_id),
    ids.slice(0, 3)
  )
  for (const id of ids.slice(1, 5)) await app.request('DELETE', `/rules/${id}`)
  const second = await app.get(`/rules?limit=2&cursor=${first.cursor}`)
  t.strictSame(
    second.rules.map(({ rule_id }: Json) => rule_id),
    ids.slice(5, 7)
  )
  const client = connect({ url: app.url, token: TOKEN })
  t.strictSame(
    (await client.rules()).map(({ rule_id }) => rule_id),
    [ids[0], ...ids.slice(5)],
    'the client reads all pages'
  )
})

t.test('modes are pages, in the order in which they were set', async t => {
  const app = await startApp(t)
  const name = (n: number) => `${n}-${'s'.repeat(90)}`
  const set = (n: number) => app.request('PUT', `/sessions/${name(n)}/mode`, { mode: 'plan', token_id: 'server:call' })
  for (let n = 0; n < 510; n++) {
    const { status, body } = await set(n)
    if (status !== 200) throw new Error(JSON.stringify(body))
  }
  const { pages, items } = await readPages(app, '/modes', 'modes')
  t.strictSame(
    items.map(({ session_id }) => session_id),
    Array.from({ length: 510 }, (_, n) => name(n))
  )
  t.match(pages, [
    { default: 'ask', modes: { length: 500 } },
    { default: 'ask', cursor: undefined }
  ])
  const first = await app.get('/modes?limit=2')
  await set(1)
  t.match(await app.get('/modes?limit=501'), { code: 'INVALID_PARAMS' })
  const second = await app.get(`/modes?cursor=${first.cursor}`)
  const third = await app.get(`/modes?cursor=${second.cursor}`)
  t.strictSame(
    [...second.modes, ...third.modes].map(({ session_id }: Json) => session_id),
    [...Array.from({ length: 508 }, (_, n) => name(n + 2)), name(1)],
    'one that was set again is the last'
  )
  const client = connect({ url: app.url, token: TOKEN })
  t.equal((await client.modes()).modes.length, 510)
  const cleared = await measure(app, 'DELETE', `/sessions/${name(0)}/mode?token_id=server:call`)
  t.ok(cleared.bytes <= MAX_PAGE)
  t.match(cleared.body, { modes: { length: 500 }, cursor: String })
  t.equal((await client.clearMode(name(1), { token_id: 'server:call' })).modes.length, 508)
})

t.test('what an undo would do is pages with one digest', async t => {
  const app = await startApp(t)
  await app.post('/rules', { effect: 'allow', match: { tool: '*' }, scope: 'user' })
  const text = (n: number) => `${n} ${'t'.repeat(KIB)}\n`
  const names = Array.from({ length: 520 }, (_, n) => `f/${String(n).padStart(3, '0')}.txt`)
  for (const [n, file] of names.entries()) app.write(file, text(n))
  const patch = names.map((file, n) => `*** Update File: ${file}\n-${text(n)}+${n}\n`).join('')
  const call = await app.call('apply_patch', { patch: `*** Begin Patch\n${patch}*** End Patch\n` })
  t.equal(call.status, 'success', JSON.stringify(call.error))
  const target = `/calls/${call.tool_call_id}/undo`
  const { pages, items } = await readPages(app, target, 'files')
  t.strictSame(
    pages.map(({ files }) => files.length),
    [500, 20]
  )
  t.equal(new Set(pages.map(({ digest }) => digest)).size, 1)
  t.strictSame(
    items.map(({ path }) => path),
    names
  )
  const client = connect({ url: app.url, token: TOKEN })
  const shown = await client.previewUndo(call.tool_call_id)
  t.strictSame(shown, { available: true, files: items, digest: pages[0].digest })
  app.write(names[5]!, 'other\n')
  const refused = await measure(app, 'POST', target, { digest: shown.digest }).catch(error => error)
  t.match(refused.message, /PREVIEW_CHANGED/)
  const { body } = await app.request('POST', target, { digest: shown.digest })
  t.match(body.details, { available: false, files: Array, cursor: String })
  t.ok(Buffer.byteLength(JSON.stringify(body)) <= MAX_PAGE)
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
  for (const name of ['x'.repeat(256), 'é'.repeat(256), '🙂'.repeat(256)]) {
    const mode = { mode: 'plan', token_id: 'server:call' }
    t.match(await request('PUT', `/sessions/${encodeURIComponent(name)}/mode`, mode), {
      status: 200,
      body: { session_id: name }
    })
  }
})

t.test('the state and the lists of many waiting calls in sessions with long names are pages', async t => {
  const app = await startApp(t)
  const nameSession = (n: number) => `${'🙂'.repeat(250)}${n}`
  const submit = async (n: number, headers: Record<string, string> = {}) => {
    const request = { tool: 'shell_exec', params: { command: `: ${n} ${'z'.repeat(KIB)}` } }
    const context = 'é'.repeat(4_000)
    return app.request('POST', '/calls?wait_ms=0', { ...request, context, session_id: nameSession(n) }, headers)
  }
  for (let n = 0; n < 1_002; n++) t.equal((await submit(n)).status, 202)
  const agents = ['a', 'b'].map(agent => ({ authorization: `Bearer ${agentToken(agent)}` }))
  for (let n = 0; n < 60; n++) await submit(n % 3, agents[n % 2])

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
    t.equal(new Set(ids).size, 1_062)
  }
})

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64'
)
