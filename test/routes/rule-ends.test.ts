// Rules that end by themselves, and rules with a limit. Costs about 4 s of processor time.
// tier: full
import fc from 'fast-check'
import t from 'tap'
import { RuleBudgets } from '../../src/engine/approvals/rule-budgets.ts'
import { type Json, startApp, type TestApp } from '../start-app.ts'
import { runs } from '../support/property.ts'

const TOUCH = { command: 'touch', mode: 'prefix' }
const allow = (more: object = {}) => ({ effect: 'allow', match: TOUCH, scope: 'user', ...more })
const add = (app: TestApp, rule: object) => app.request('POST', '/rules', rule)
const touch = (app: TestApp, more: object = {}) => app.call('shell_exec', { command: 'touch a' }, more)
const listed = async (app: TestApp): Promise<Json[]> => (await app.get('/rules')).rules

t.test('a rule ends with its last use', async t => {
  const app = await startApp(t)
  const events = await app.events('?types=rules.changed')
  const { rule_id, ...rule } = (await add(app, allow({ uses: 2 }))).body
  t.match(rule, { uses: 2, used: 0, expires_at: null })
  t.match(await touch(app), { status: 'success', approved_by: { source: 'rule', rule_id } })
  t.match(await listed(app), [{ rule_id, uses: 2, used: 1, last_used_at: /Z$/ }])
  t.match(await touch(app), { status: 'success', approved_by: { rule_id } })
  t.same(await listed(app), [])
  t.match(await events.type('rules.changed', ({ change }) => change === 'used_up'), [
    {},
    { change: 'added', rule_id },
    { change: 'used_up', rule_id }
  ])
  t.equal((await touch(app)).status, 'awaiting_approval')
  t.match(await app.request('DELETE', `/rules/${rule_id}`), { status: 404 })
})

t.test('calls at the same time do not use a rule more often than it may be used', async t => {
  const app = await startApp(t)
  await add(app, allow({ uses: 3 }))
  const calls = await Promise.all(Array.from({ length: 8 }, () => touch(app)))
  t.equal(calls.filter(({ status }) => status === 'success').length, 3)
  t.equal(calls.filter(({ status }) => status === 'awaiting_approval').length, 5)
  t.same(await listed(app), [])
})

t.test('counts persist across restarts, and only what a rule allows is counted', async t => {
  const app = await startApp(t)
  await add(app, allow({ uses: 3 }))
  await add(app, allow({ match: { command: 'make' }, limit: { calls: 1, per: '1h' } }))
  await touch(app)
  const asked = await app.call('shell_exec', { command: 'touch a; rm -r b' })
  t.equal(asked.status, 'awaiting_approval', 'the rule covers a part of the line')
  await app.post('/calls', { tool: 'shell_exec', params: { command: 'touch a' }, dry_run: true })
  await app.post('/policy/explain', { tool: 'shell_exec', params: { command: 'touch a' } })
  await app.call('shell_exec', { command: 'make' })
  const before = await listed(app)
  t.match(before, [{ used: 1 }, { used: 1, spent: [{ calls: 1 }] }])
  await app.close()
  const again = await startApp(t, {}, { folder: app.folder })
  t.same(await listed(again), before)
  t.match(await again.call('shell_exec', { command: 'make' }), { status: 'awaiting_approval' })
  await touch(again)
  await touch(again)
  t.match(await listed(again), [{ match: { command: 'make' } }])
})

t.test('a limit makes a rule ask, for each agent or session by itself', async t => {
  const app = await startApp(t)
  const { rule_id } = (await add(app, allow({ limit: { calls: 2, per: '1h', each: 'agent' } }))).body
  for (const agent of ['coder', 'coder', 'writer']) t.equal((await touch(app, { agent })).status, 'success')
  const asked = await touch(app, { agent: 'coder' })
  t.match(asked, {
    status: 'awaiting_approval',
    approval: {
      level: 'ask',
      reason:
        /^A rule allows 2 calls per 1h for each agent\. This limit is reached until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\.$/,
      always_options: []
    }
  })
  const approved = await app.post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, {
    digest: asked.approval.digest
  })
  t.equal(approved.status, 'success')
  t.match(
    await listed(app),
    [
      {
        rule_id,
        used: 3,
        spent: [
          { subject: 'coder', calls: 2 },
          { subject: 'writer', calls: 1 }
        ]
      }
    ],
    'what a person approves does not count'
  )
  t.match((await touch(app, { agent: 'writer' })).status, 'success')
  await app.request('DELETE', `/rules/${rule_id}`)
  await add(app, allow({ limit: { calls: 1, per: '1d', each: 'session' } }))
  t.equal((await touch(app, { session_id: 'one' })).status, 'success')
  t.equal((await touch(app, { session_id: 'one' })).status, 'awaiting_approval')
  t.equal((await touch(app, { session_id: 'two' })).status, 'success')
})

t.test('a call counts for each rule with a limit that allows it', async t => {
  const app = await startApp(t)
  await add(app, allow())
  await add(app, allow({ match: { tool: 'shell_exec' }, limit: { calls: 2, per: '5m' } }))
  await touch(app)
  await touch(app)
  t.match(await touch(app), { status: 'awaiting_approval', approval: { reason: /^A rule allows 2 calls per 5m\./ } })
  t.match(await listed(app), [{ used: 2 }, { used: 2, spent: [{ calls: 2 }] }])
})

t.test('a line counts for the rule with a limit on one of its commands', async t => {
  const app = await startApp(t)
  for (const command of ['touch', 'mkdir']) await add(app, allow({ match: { command, mode: 'prefix' } }))
  await add(app, allow({ limit: { calls: 1, per: '5m' } }))
  const run = (command: string) => app.call('shell_exec', { command })
  t.equal((await run('mkdir a && touch a/b')).status, 'success')
  t.match(await run('mkdir c && touch c/d'), {
    status: 'awaiting_approval',
    approval: { reason: /^A rule allows 1 call per 5m\./ }
  })
  t.equal((await run('mkdir e')).status, 'success', 'a command that the rule does not cover')
})

t.test('rules of the configuration have limits, too', async t => {
  const rule = { effect: 'allow', match: TOUCH, limit: { calls: 1, per: '10m' } } as const
  const settings = { tiers: { administrator: [], user: [rule], workspace: [] } } as const
  const app = await startApp(t, {}, { settings: settings as never })
  t.match(await touch(app), { status: 'success', approved_by: { source: 'config' } })
  t.equal((await touch(app)).status, 'awaiting_approval')
  const { precedence } = await app.post('/policy/explain', { tool: 'shell_exec', params: { command: 'touch a' } })
  t.match(
    precedence.find(({ tier }: Json) => tier === 'user'),
    { decision: 'ask', reason: /^A rule allows 1 call per 10m\./ }
  )
  await app.close()
  const again = await startApp(t, {}, { folder: app.folder, settings: settings as never })
  t.equal((await touch(again)).status, 'awaiting_approval', 'after a restart')
})

t.test('a test of a rule ignores uses and limits', async t => {
  const app = await startApp(t)
  await add(app, allow({ limit: { calls: 1, per: '1d' } }))
  for (let i = 0; i < 3; i++) await touch(app)
  const rule = allow({ match: { tool: 'none' } })
  const { before, after } = await app.post('/rules/test', { rule, since: '2020-01-01T00:00:00Z' })
  t.match([before, after], [{ allow: 3 }, { allow: 3 }])
})

t.test('an approval with always limits the rule that it saves', async t => {
  const app = await startApp(t)
  const asked = await touch(app, { session_id: 'one' })
  const { id } = asked.approval.always_options.find(({ scope }: Json) => scope === 'workspace')
  const approve = (more: object) =>
    app.request('POST', `/calls/${asked.tool_call_id}/approve?wait_ms=120000`, {
      digest: asked.approval.digest,
      ...more
    })
  t.match(await approve({ always_limits: { uses: 1 } }), {
    status: 400,
    body: { code: 'INVALID_PARAMS', errors: [{ pointer: '/always_limits', message: 'must be sent with always' }] }
  })
  const until = { expires_at: '2100-01-01T00:00:00Z', for: '1h' }
  t.match(await approve({ always: id, always_limits: until }), { status: 400 })
  t.equal((await approve({ always: id, always_limits: { for: '2h', uses: 5, scope: 'session' } })).status, 200)
  const [rule] = await listed(app)
  t.match(rule, { scope: 'session', session_id: 'one', uses: 5, used: 0 })
  const lifetime = Date.parse(rule.expires_at) - Date.parse(rule.created_at)
  t.ok(Math.abs(lifetime - 7_200_000) < 60_000, `${lifetime} ms`)
  t.equal((await touch(app, { session_id: 'two' })).status, 'awaiting_approval')
  t.equal((await touch(app, { session_id: 'one' })).status, 'success')
})

t.test('invalid ends are refused', async t => {
  const app = await startApp(t)
  for (const [more, pointer] of [
    [{ for: '2 hours' }, '/for'],
    [{ for: '0h' }, '/for'],
    [{ uses: 0 }, '/uses'],
    [{ effect: 'deny', uses: 1 }, '/uses'],
    [{ effect: 'ask', limit: { calls: 1, per: '1h' } }, '/limit'],
    [{ limit: { calls: 1 } }, '/limit'],
    [{ for: '1h', expires_at: '2100-01-01T00:00:00Z' }, '/for']
  ] as const) {
    const { status, body } = await add(app, allow(more))
    t.match([status, body.errors[0].pointer], [400, new RegExp(`^${pointer}`)], JSON.stringify(more))
  }
})

t.test('never counts more calls within the period than the limit', t => {
  const limit = { calls: 3, per: '1m' } as const
  const budget = { rule: 'r', subject: '', limit }
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 40_000 }), { maxLength: 60 }), waits => {
      const budgets = new RuleBudgets({ state: () => new Map() }, 0)
      const allowed: number[] = []
      let now = 1_000_000
      for (const wait of waits) {
        now += wait
        const until = budgets.spentUntil(budget, now)
        const recent = allowed.filter(at => at > now - 60_000).length
        if (until === undefined) {
          budgets.count(budget, now)
          allowed.push(now)
          if (recent >= limit.calls) return false
        } else if (until <= now || until > now + 61_000 || budgets.spentUntil(budget, until) !== undefined) return false
      }
      return true
    }),
    runs(300)
  )
  t.pass()
  t.end()
})
