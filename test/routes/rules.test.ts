// tier: full
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { beforeItPasses, timeIn } from '../expiring.ts'
import { createNormalizer } from '../normalizer.ts'
import { type Json, startApp, type TestApp } from '../start-app.ts'
import { waitUntil } from '../support/wait.ts'

const overwrite = (app: TestApp, more: object = {}, path = 'a.txt') =>
  app.call('write_file', { path, content: `${Math.random()}` }, more)
const allow = (match: object, more: object = {}) => ({ effect: 'allow', match, scope: 'user', ...more })
const add = async (app: TestApp, rule: object) => (await app.request('POST', '/rules', rule)).body

t.test('creates, lists, publishes and revokes a rule', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const normal = createNormalizer()
  const events = await app.events('?types=rules.changed')
  t.equal((await overwrite(app)).status, 'awaiting_approval')
  const made = await app.request('POST', '/rules', allow({ tool: 'write_file' }, { reason: 'trusted' }), {
    'x-toolgate-client': 'emacs'
  })
  t.equal(made.status, 201)
  const rule = {
    rule_id: 'rule_1',
    effect: 'allow',
    match: { tool: 'write_file' },
    scope: 'user',
    reason: 'trusted',
    expires_at: null,
    used: 0,
    created_at: 'TIME',
    created_by: 'emacs'
  }
  t.strictSame(normal(made.body), rule)
  t.strictSame(normal(await app.get('/rules')), { rules: [rule] })
  t.match(await overwrite(app), { status: 'success', approved_by: { source: 'rule', rule_id: made.body.rule_id } })
  const revoked = await app.request('DELETE', `/rules/${made.body.rule_id}`)
  t.match([revoked.status, normal(revoked.body)], [200, { ...rule, used: 1, last_used_at: 'TIME' }])
  t.match(await app.request('DELETE', `/rules/${made.body.rule_id}`), { status: 404, body: { code: 'NOT_FOUND' } })
  t.equal((await overwrite(app)).status, 'awaiting_approval', 'revoked, it asks again')
  const told = await events.type('rules.changed', ({ change }) => change === 'revoked')
  t.match(told.slice(1), [
    { change: 'added', rule_id: made.body.rule_id },
    { change: 'revoked', rule_id: made.body.rule_id }
  ])
})

t.test('a deny rule rejects at once, and is named', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const { rule_id } = await add(
    app,
    allow({ tool: 'write_file', path: 'a.txt' }, { effect: 'deny', reason: 'keep it' })
  )
  const call = await overwrite(app)
  t.match(call, { status: 'rejected', reason: 'keep it', rejected_by: { source: 'rule', rule_id }, attempts: 0 })
  t.equal(call.approval, undefined)
  await add(app, allow({ tool: 'read_file' }, { effect: 'ask' }))
  t.equal((await app.call('read_file', { path: 'a.txt' })).status, 'awaiting_approval')
})

t.test('permission for a command in one folder does not cover another', async t => {
  const app = await startApp(t, { 'e/a.txt': 'one', 'f/a.txt': 'two' })
  const touch = (params: object) => app.call('shell_exec', params)
  const asked = await touch({ command: 'make one', cwd: 'e' })
  t.match(asked.approval.always_options[0], {
    label: /^Always allow exactly `make one` in e,/,
    rule: { match: { cwd: 'e' } }
  })
  await add(app, allow({ command: 'make', mode: 'prefix', isolation: 'none' }))
  for (const params of [
    { command: 'make one', cwd: 'e' },
    { command: 'cd e && make one' },
    { command: 'cd e; make one' },
    { command: 'true || cd e && make one' },
    { command: '(cd e; make one)' },
    { command: 'cd f/../e && make one' }
  ])
    t.equal((await touch(params)).status, 'awaiting_approval', JSON.stringify(params))
  for (const params of [{ command: 'make one' }, { command: 'make one', cwd: 'e/..' }, { command: '(cd e); make one' }])
    t.not((await touch(params)).status, 'awaiting_approval', JSON.stringify(params))
  await add(app, allow({ command: 'make', mode: 'prefix', isolation: 'none', cwd: 'e' }))
  t.not((await touch({ command: 'cd e && make one' })).status, 'awaiting_approval')
  t.equal((await touch({ command: 'make one', cwd: 'f' })).status, 'awaiting_approval')
})

t.test('bounds the number of files that are looked up', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const read = async (times: number) => {
    const params = { command: `cat ${'a.txt '.repeat(times)}` }
    const { body } = await app.request('POST', '/policy/explain', { tool: 'shell_exec', params })
    const looked = body.parts[0].operands.filter((operand: Json) => operand.resolved !== undefined).length
    return [body.command.class, looked]
  }
  t.strictSame(await read(200), ['auto', 200])
  t.strictSame(await read(201), ['strict', 0])
})

t.test('rules apply in their scope: a session, a workspace, or everywhere', async t => {
  const second = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-second-')))
  t.teardown(() => rmSync(second, { recursive: true }))
  writeFileSync(path.join(second, 'a.txt'), 'two')
  const first = await startApp(t, { 'a.txt': 'one' })
  const roots = [
    { name: 'default', path: first.root },
    { name: 'second', path: second }
  ]
  const app = await startApp(t, {}, { settings: { roots } })
  const places = [
    { session_id: 's', workspace: 'default' },
    { session_id: 's', workspace: 'second' },
    { session_id: 'other', workspace: 'default' },
    { session_id: 'other', workspace: 'second' }
  ]
  const allowed = async () => Promise.all(places.map(async place => (await overwrite(app, place)).status === 'success'))
  const cases: [object, boolean[]][] = [
    [{ scope: 'session', session_id: 's', workspace: 'second' }, [false, true, false, false]],
    [{ scope: 'session', session_id: 's' }, [true, false, false, false]],
    [{ scope: 'workspace', workspace: 'second' }, [false, true, false, true]],
    [{ scope: 'workspace' }, [true, false, true, false]],
    [{ scope: 'user' }, [true, true, true, true]]
  ]
  for (const [where, expected] of cases) {
    const { rule_id } = await add(app, allow({ tool: 'write_file' }, where))
    t.strictSame(await allowed(), expected, JSON.stringify(where))
    await app.request('DELETE', `/rules/${rule_id}`)
  }
  t.match(await app.request('POST', '/rules', allow({ tool: '*' }, { scope: 'workspace', workspace: 'none' })), {
    status: 400,
    body: { errors: [{ pointer: '/workspace' }] }
  })
  t.match(await app.request('POST', '/calls', { tool: 'todo_read', params: {}, workspace: 'none' }), {
    status: 400,
    body: { errors: [{ pointer: '/workspace', message: 'must be one of default, second' }] }
  })
})

t.test('a rule of a repository applies in that repository alone', async t => {
  const app = await startApp(
    t,
    { 'a.txt': 'one' },
    {
      settings: {
        tiers: {
          administrator: [],
          user: [],
          workspace: [
            { effect: 'deny', match: { tool: 'write_file' }, workspace: '/somewhere/else' },
            { effect: 'deny', match: { tool: 'copy_file' } }
          ]
        }
      }
    }
  )
  t.equal((await overwrite(app)).status, 'awaiting_approval')
  t.match(await app.call('copy_file', { source: 'a.txt', dest: 'b.txt' }), {
    status: 'rejected',
    rejected_by: { source: 'config' }
  })
})

t.test('a rule may expire', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const events = await app.events('?types=rules.changed')
  const { rule_id } = await add(app, allow({ tool: 'write_file' }, { expires_at: '2999-01-01T00:00:00+02:00' }))
  t.equal((await overwrite(app)).status, 'success')
  const past = await beforeItPasses(async ms => {
    const added = await app.request('POST', '/rules', allow({ tool: 'edit_file' }, { expires_at: timeIn(ms) }))
    return added.status === 201 ? added.body : undefined
  })
  await waitUntil('the rule to expire', async () => (await app.get('/rules')).rules.length === 1)
  t.equal((await app.call('edit_file', { path: 'a.txt', old: '0.', new: 'x' })).status, 'awaiting_approval')
  t.strictSame(
    (await app.get('/rules')).rules.map((rule: Json) => rule.rule_id),
    [rule_id]
  )
  t.match((await events.type('rules.changed', ({ change }) => change === 'expired')).at(-1), { rule_id: past.rule_id })
})

t.test('rejects a rule that can never match, with the error', async t => {
  const app = await startApp(t)
  const cases: [object, string[]][] = [
    [{}, ['/effect', '/match', '/scope']],
    [allow({}), ['/match']],
    [allow({ tool: 'x' }, { expires_at: '2020-01-01T00:00:00Z' }), ['/expires_at']],
    [allow({ tool: '[' }), ['/match']],
    [allow({ path: '{a' }), ['/match']],
    [allow({ command: 'npm "test"', mode: 'prefix' }), ['/match']],
    [allow({ mode: 'prefix' }), ['/match', '/match']],
    [allow({ unknown: 1 }), ['/match/unknown']],
    [allow({ tool: '*' }, { effect: 'maybe' }), ['/effect']],
    [allow({ tool: '*' }, { scope: 'session' }), ['/session_id']],
    [allow({ tool: '*' }, { expires_at: 'tomorrow' }), ['/expires_at']],
    [allow({ tool: '*' }, { extra: 1 }), ['/extra']]
  ]
  for (const [rule, pointers] of cases) {
    const answer = await app.request('POST', '/rules', rule)
    t.match(answer, { status: 400, body: { code: 'INVALID_PARAMS' } })
    const found = new Set<string>(answer.body.errors?.map(({ pointer }: Json) => pointer))
    t.strictSame([...found].sort(), [...new Set(pointers)], JSON.stringify(rule))
  }
  t.strictSame(await app.get('/rules'), { rules: [] })
  t.equal((await app.call('todo_read', {})).status, 'success', 'and nothing is broken by the try')
})

t.test('explains the policy on a call without making it', async t => {
  const app = await startApp(t, { 'a.txt': 'one' })
  const before = (await app.get('/state')).head
  const explain = (tool: string, params: object) => app.post('/policy/explain', { tool, params })
  t.match(await explain('read_file', { path: 'a.txt' }), {
    dry_run: true,
    verdict: { decision: 'allow', matched_rules: [{ tier: 'tool', effect: 'read' }] }
  })
  t.match(await explain('write_file', { path: 'a.txt', content: '' }), {
    verdict: { decision: 'ask', always_options: [{ id: 'path:session' }] },
    preview: { title: 'Overwrite a.txt' }
  })
  t.match(await explain('shell_exec', { command: 'rm -rf /' }), {
    verdict: { decision: 'deny', code: 'COMMAND_BLOCKED' }
  })
  const unknown = await app.request('POST', '/policy/explain', { tool: 'x', params: {} })
  t.match(unknown, { status: 404, body: { code: 'UNKNOWN_TOOL' } })
  t.equal((await app.get('/state')).head, before)
})
