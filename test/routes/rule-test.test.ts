// Tests of POST /rules/test: past calls, decided with changed rules.
// tier: quick
import { once } from 'node:events'
import t from 'tap'
import { Type } from 'typebox'
import { connect } from '../../src/client/client.ts'
import { defineTool } from '../../src/tool/tool.ts'
import { createNormalizer } from '../normalizer.ts'
import { agentToken, CALL_TOKEN, type Json, startApp, type TestApp, TOKEN } from '../start-app.ts'
import { within } from '../support/wait.ts'

const NOTE = defineTool({
  name: 'note',
  category: 'custom',
  description: 'Takes a note.',
  input: Type.Object({}),
  output: Type.Object({}),
  timeout_ms: 120_000,
  effect: 'read',
  request: () => ({}),
  run: () => ({}),
  present: () => ({ title: 'note', content: '' })
})
const EPOCH = '1970-01-01T00:00:00Z'
const as = (token: string) => ({ authorization: `Bearer ${token}` })
const test = (app: TestApp, body: object) => app.post('/rules/test', { since: EPOCH, ...body })
const NPM_TEST = { effect: 'allow', match: { tool: 'shell_exec', command: 'npm test', mode: 'prefix' }, scope: 'user' }
const counts = (some: Partial<Record<'allow' | 'ask' | 'strict' | 'deny', number>>) => ({
  ...{ allow: 0, ask: 0, strict: 0, deny: 0 },
  ...some
})

t.test('a rule that would be added: counts, and the calls that it would have allowed', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const head = async () => (await app.get('/state')).head
  const states = await app.events('?types=agent.state&session_id=s2')
  const first = await app.call('shell_exec', { command: 'npm test' }, { session_id: 's1' })
  await app.request('POST', `/calls/${first.tool_call_id}/reject`, {})
  await app.call('shell_exec', { command: 'npm test && touch x' }, { session_id: 's1' })
  await app.call('shell_exec', { command: 'rm -rf a.txt' }, { session_id: 's1' })
  await app.call('read_file', { path: 'a.txt' })
  await app.call('shell_exec', { command: 'npm test -- --grep x' }, { session_id: 's2' })
  // The last event of that call.
  await states.type('agent.state', ({ state }) => state === 'awaiting_approval')
  const before = await head()
  const normal = createNormalizer()
  const changed = (at: number, session_id: string, more: object) => ({
    tool_call_id: `tc_${at}`,
    tool: 'shell_exec',
    session_id,
    workspace: 'default',
    created_at: 'TIME',
    before: 'ask',
    after: 'allow',
    reason: 'user rule: allow tool shell_exec, command npm test, mode prefix',
    ...more
  })
  const answer = await test(app, { rule: NPM_TEST })
  t.strictSame(normal(answer), {
    since: 'TIME',
    tested: 5,
    cut: false,
    before: counts({ allow: 1, ask: 3, strict: 1 }),
    after: counts({ allow: 3, ask: 1, strict: 1 }),
    changed: [
      changed(1, 's2', { title: 'npm test -- --grep x', status: 'awaiting_approval' }),
      changed(2, 's1', {
        title: 'npm test',
        status: 'rejected',
        decided_by: { source: 'user', client: 'node', at: 'TIME' }
      })
    ],
    changed_total: 2,
    not_evaluated: []
  })
  const some = await test(app, { rule: NPM_TEST, session_id: 's1' })
  t.match(some, { tested: 3, changed_total: 1 })
  const capped = await test(app, { rule: NPM_TEST, limit: 1 })
  t.match([capped.changed.length, capped.changed_total, capped.changed[0].session_id], [1, 2, 's2'])
  t.match(await test(app, { rule: NPM_TEST, since: new Date(Date.now() + 60_000).toISOString() }), { tested: 0 })
  t.strictSame([await app.get('/rules'), await head()], [{ rules: [] }, before], 'nothing is saved or recorded')
})

t.test('a rule is tested in its scope', async t => {
  const app = await startApp(t, {})
  for (const session_id of ['s1', 's2']) await app.call('shell_exec', { command: 'npm test' }, { session_id })
  const total = async (rule: object) => (await test(app, { rule: { ...NPM_TEST, ...rule } })).changed_total
  t.equal(await total({ scope: 'session', session_id: 's1' }), 1)
  t.equal(await total({ scope: 'workspace' }), 2)
})

t.test('a rule that would be revoked', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const deny = { effect: 'deny', match: { path: 'a.txt' }, scope: 'user' }
  const { rule_id } = await app.post('/rules', deny)
  await app.call('read_file', { path: 'a.txt' })
  await app.call('edit_file', { path: 'a.txt', old: 'one', new: 'two' })
  const answer = await test(app, { revoke: rule_id })
  t.match(answer, { before: counts({ deny: 2 }), after: counts({ allow: 1, ask: 1 }), changed_total: 2 })
  t.match(answer.changed, [
    { title: 'a.txt', status: 'rejected', decided_by: { source: 'rule', rule_id }, after: 'ask' },
    { title: 'a.txt', status: 'rejected', after: 'allow' }
  ])
  t.match((await app.get('/rules')).rules, [{ rule_id }])
})

t.test('another mode: edits that were made are taken for edits that fit', async t => {
  const app = await startApp(t, { 'a.txt': 'one' }, { settings: { approval: { ttl_ms: 0, mode: 'accept-edits' } } })
  const edit = await app.call('edit_file', { path: 'a.txt', old: 'one', new: 'two' })
  t.equal(edit.status, 'success')
  await app.call('shell_exec', { command: 'npm test' })
  t.match(await test(app, { mode: 'accept-edits' }), { tested: 2, changed_total: 0 })
  t.match(await test(app, { mode: 'ask' }), {
    changed_total: 1,
    changed: [
      {
        tool_call_id: edit.tool_call_id,
        title: edit.result.title,
        status: 'success',
        decided_by: { source: 'mode', mode: 'accept-edits' },
        before: 'allow',
        after: 'ask'
      }
    ]
  })
  t.match(await test(app, { mode: 'plan' }), { after: counts({ deny: 2 }) })
  t.equal(app.read('a.txt'), 'two')
})

t.test('an edit that fits only nearly is asked about in each mode, made or not', async t => {
  const app = await startApp(t, { 'a.py': 'def other_function():\n    pass\n', 'b.txt': 'some words\n' })
  const edit = await app.call('edit_file', { path: 'a.py', old: 'def othr_funktion():', new: 'def g():' })
  t.match(edit.approval.reason, /similar/)
  t.match(await test(app, { mode: 'accept-edits' }), { tested: 1, changed_total: 0 })
  await app.request('POST', `/calls/${edit.tool_call_id}/approve?wait_ms=120000`, { digest: edit.approval.digest })
  t.equal(app.read('a.py'), 'def g():\n    pass\n')
  t.match(await test(app, { mode: 'accept-edits' }), { tested: 1, changed_total: 0 })
  const exact = await app.call('edit_file', { path: 'b.txt', old: 'some words', new: 'some word' })
  await app.request('POST', `/calls/${exact.tool_call_id}/approve?wait_ms=120000`, { digest: exact.approval.digest })
  t.match(await test(app, { mode: 'accept-edits' }), { tested: 2, changed: [{ tool_call_id: exact.tool_call_id }] })
})

t.test('calls of call-only tokens and agents are decided as theirs', async t => {
  const agents = { helper: { read_only: true } }
  const app = await startApp(t, { '.env': 'A=1', 'a.txt': 'one' }, { settings: { agents } as Json })
  const send = (token: string, tool: string, params: object) =>
    app.request('POST', '/calls', { tool, params }, as(token))
  await send(CALL_TOKEN, 'read_file', { path: '.env' })
  await send(agentToken('helper'), 'edit_file', { path: 'a.txt', old: 'one', new: 'two' })
  await app.call('edit_file', { path: 'a.txt', old: 'one', new: 'two' })
  t.match(await test(app, { rule: { effect: 'allow', match: { path: '**' }, scope: 'user' } }), {
    tested: 3,
    before: counts({ ask: 1, deny: 2 }),
    changed_total: 1
  })
})

t.test('counts the calls that it cannot evaluate, with the reason', async t => {
  const first = await startApp(t, { 'a.txt': 'one' }, { tools: [NOTE] })
  const { tool_call_id } = await first.call('read_file', { path: 'a.txt' })
  await first.request('POST', `/calls/${tool_call_id}/purge`, {})
  await first.call('read_file', { path: '../outside' })
  await first.call('note', {})
  await first.call('shell_exec', { command: 'npm test -- --token=hunter2abc' })
  await first.call('read_file', { path: 'a.txt' })
  await first.close()
  const { folder } = first
  const second = await startApp(t, {}, { folder })
  t.match(await test(second, { mode: 'plan' }), {
    tested: 1,
    not_evaluated: [
      { reason: 'credentials_masked', count: 1 },
      { reason: 'UNKNOWN_TOOL', count: 1 },
      { reason: 'INVALID_PATH', count: 1 },
      { reason: 'content_removed', count: 1 }
    ]
  })
})

t.test('refuses what is no test', async t => {
  const app = await startApp(t, {})
  const cases: [object, number, string[]?][] = [
    [{}, 400, ['/rule']],
    [{ rule: NPM_TEST, mode: 'ask' }, 400, ['/rule']],
    [{ mode: 'none' }, 400, ['/mode']],
    [{ mode: 'ask', since: 'yesterday' }, 400, ['/since']],
    [{ mode: 'ask', limit: 0 }, 400, ['/limit']],
    [{ rule: { ...NPM_TEST, match: {} } }, 400, ['/rule/match']],
    [{ rule: { ...NPM_TEST, scope: 'session' } }, 400, ['/rule/session_id']],
    [{ rule: { ...NPM_TEST, effect: 'none' } }, 400, ['/rule/effect']],
    [{ revoke: 'rule_none' }, 404]
  ]
  for (const [body, status, pointers] of cases) {
    const answer = await app.request('POST', '/rules/test', { since: EPOCH, ...body })
    t.equal(answer.status, status, JSON.stringify(body))
    t.strictSame(
      answer.body.errors?.map(({ pointer }: Json) => pointer),
      pointers
    )
  }
  t.equal((await app.request('POST', '/rules/test', { since: EPOCH, mode: 'ask' }, as(CALL_TOKEN))).status, 403)
})

t.test('ends when the client disconnects', async t => {
  const started = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<unknown>()
  let isTest = false
  const slow = defineTool({
    ...{ ...NOTE, name: 'slow' },
    plan: async (_, { signal }) => {
      if (!isTest) return { state: undefined }
      started.resolve()
      await once(signal, 'abort')
      ended.resolve(signal.reason)
      return { state: undefined }
    }
  })
  const app = await startApp(t, {}, { tools: [slow] })
  await app.call('slow', {})
  isTest = true
  const abort = new AbortController()
  const client = connect({ url: app.url, token: TOKEN })
  const answer = client.testRules({ mode: 'plan', since: EPOCH }, { signal: abort.signal })
  await within('the test to start', started.promise)
  abort.abort()
  await t.rejects(answer)
  t.match(await within('the evaluation to end', ended.promise), { name: 'AbortError' })
})
