// Calls that several persons have to approve.
// tier: full
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import type { ConfiguredRule } from '../../src/protocol/rules.ts'
import { CALL_TOKEN, type Json, type StartOptions, startApp, type TestApp, TOKEN } from '../start-app.ts'

const JOINT: ConfiguredRule = { effect: 'ask', match: { tool: 'write_file' }, approvals: 2 }

const withRules = (user: ConfiguredRule[], more: Partial<ConfiguredRule>[][] = []): StartOptions => ({
  settings: { tiers: { administrator: [], user, workspace: (more[0] ?? []) as ConfiguredRule[] } }
})

const start = (t: Test, options: StartOptions = withRules([JOINT])) => startApp(t, { 'a.txt': 'one' }, options)

const overwrite = (app: TestApp, content = 'two') => app.call('write_file', { path: 'a.txt', content })

const withToken = (token: string, client = 'tester') => ({
  authorization: `Bearer ${token}`,
  'x-toolgate-client': client
})

/** Creates a token for a person. */
const createToken = async (app: TestApp, name: string, maker = TOKEN): Promise<Json> =>
  (await app.request('POST', '/tokens', { name, rights: ['approve'] }, withToken(maker))).body

/** Opens a console with a token. */
async function openConsole(app: TestApp, maker: string): Promise<Json> {
  const { code } = (await app.request('POST', '/codes', {}, withToken(maker))).body
  return (await app.request('POST', '/session', { code })).body
}

const approve = (app: TestApp, { tool_call_id, approval }: Json, token: string, more: object = {}, client?: string) =>
  app.request(
    'POST',
    `/calls/${tool_call_id}/approve?wait_ms=60000`,
    { digest: approval.digest, ...more },
    withToken(token, client)
  )

t.test('two persons approve a call, each once', async t => {
  const app = await start(t)
  const events = await app.events()
  const ana = await createToken(app, 'Ana')
  const asked = await overwrite(app)
  t.match(asked, {
    status: 'awaiting_approval',
    approval: { level: 'ask', approvals_needed: 2, approvals: undefined, always_options: [] }
  })
  const first = await approve(app, asked, ana.token, { reason: 'looks right' }, 'emacs')
  const given = {
    person: ana.token_id,
    token: { id: ana.token_id, name: 'Ana' },
    client: 'emacs',
    reason: 'looks right',
    at: /Z$/
  }
  t.match(first, {
    status: 202,
    body: { status: 'awaiting_approval', approval: { digest: asked.approval.digest, approvals_needed: 2 } }
  })
  t.match(first.body.approval.approvals, [given])
  t.equal(first.body.approval.expires_at, asked.approval.expires_at)
  t.equal(app.read('a.txt'), 'one')
  t.match((await app.get('/approvals')).approvals, [{ approval: { approvals: [given] } }])
  const renewed = (await events.type('tool.call', ({ approval }) => approval?.approvals !== undefined)).at(-1)
  t.match(renewed, { requires_approval: true, approval: { approvals_needed: 2, approvals: [given] } })

  const again = await approve(app, asked, ana.token, {}, 'vscode')
  t.match(again, {
    status: 409,
    body: { code: 'CONFLICT', details: { person: ana.token_id, approvals_needed: 2, approvals: [given] } }
  })
  t.match(
    again.body.detail,
    /^The call needs the approval of 2 different persons, and this one has already approved it\. Approvals so far: Ana \(emacs\) at .*Z\. Another person must approve it with another token, or at the hub\.$/
  )
  t.equal(again.body.details.decision, undefined, 'front ends do not take it for the end of the call')

  const second = await approve(app, asked, TOKEN)
  t.match(second, { status: 200, body: { status: 'success' } })
  t.match(second.body.approved_by, { source: 'user', digest: asked.approval.digest })
  t.match(second.body.approved_by.earlier_approvals, [given])
  t.equal(app.read('a.txt'), 'two')
  const since = await events.type('tool.result')
  t.match(
    since.filter(({ event }) => event === 'tool.decision'),
    [{ decision: 'approved', by: { earlier_approvals: [given] } }],
    'one decision, when it is final'
  )
})

t.test('labels, consoles and tokens that a person makes do not count as another person', async t => {
  const app = await start(t)
  const ana = await createToken(app, 'Ana')
  const friend = await createToken(app, 'Bob', ana.token)
  const [ours, hers] = [await openConsole(app, TOKEN), await openConsole(app, ana.token)]
  const asked = await overwrite(app)
  t.equal((await approve(app, asked, ours.token, {}, 'console')).status, 202)
  for (const [token, client] of [
    [ours.token, 'emacs'],
    [TOKEN, 'toolgate'],
    [(await openConsole(app, ours.token)).token, 'Ana']
  ] as const)
    t.match(await approve(app, asked, token, {}, client), { status: 409, body: { details: { person: 'server' } } })
  t.match(await approve(app, asked, CALL_TOKEN), { status: 403 })

  const other = await overwrite(app, 'three')
  t.equal((await approve(app, other, friend.token)).status, 202)
  for (const token of [ana.token, hers.token])
    t.match(await approve(app, other, token), { status: 409, body: { details: { person: ana.token_id } } })
  t.match(await approve(app, other, TOKEN), { status: 200, body: { status: 'success' } })
})

t.test('approvals at the same time count once for each person', async t => {
  const app = await start(t)
  const ana = await createToken(app, 'Ana')
  const asked = await overwrite(app)
  const same = await Promise.all(Array.from({ length: 5 }, () => approve(app, asked, ana.token)))
  t.same(same.map(({ status }) => status).sort(), [202, 409, 409, 409, 409])
  t.equal((await approve(app, asked, TOKEN)).body.status, 'success')

  const next = await overwrite(app, 'three')
  const both = await Promise.all([approve(app, next, ana.token), approve(app, next, TOKEN)])
  t.same(both.map(({ body }) => body.status).sort(), ['awaiting_approval', 'success'])
  t.equal(app.read('a.txt'), 'three')
})

t.test('a rejection by one person ends the call', async t => {
  const app = await start(t)
  const ana = await createToken(app, 'Ana')
  const asked = await overwrite(app)
  await approve(app, asked, ana.token)
  t.match(await app.request('POST', `/calls/${asked.tool_call_id}/reject`, {}, withToken(ana.token)), {
    body: { status: 'rejected', rejected_by: { token: { name: 'Ana' } } }
  })
  t.match(await approve(app, asked, TOKEN), { status: 409, body: { details: { decision: 'rejected' } } })
})

t.test('a changed preview needs all approvals', async t => {
  const app = await start(t)
  const ana = await createToken(app, 'Ana')
  const asked = await overwrite(app)
  await approve(app, asked, ana.token)
  app.write('a.txt', 'changed')
  const refused = await approve(app, asked, TOKEN)
  t.match(refused, { status: 409, body: { code: 'PREVIEW_CHANGED', details: { approval: { approvals_needed: 2 } } } })
  t.equal(refused.body.details.approval.approvals, undefined)
  const now = await app.get(`/calls/${asked.tool_call_id}`)
  t.match(now, { status: 'awaiting_approval', approval: { approvals: undefined } })
  t.match(await approve(app, now, TOKEN), { status: 202 })
  t.match(await approve(app, now, TOKEN), { status: 409, body: { code: 'CONFLICT' } })
  t.match(await approve(app, now, ana.token), { status: 200, body: { status: 'success' } })
})

t.test('an approval persists across a restart', async t => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-joint-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const first = await start(t, { ...withRules([JOINT]), folder })
  const ana = await createToken(first, 'Ana')
  const friend = await createToken(first, 'Bob', ana.token)
  const asked = await overwrite(first)
  const { approval } = (await approve(first, asked, ana.token)).body
  await first.close()
  const again = await startApp(t, {}, { ...withRules([JOINT]), folder })
  t.same((await again.get(`/calls/${asked.tool_call_id}`)).approval, approval)
  for (const { token } of [ana, friend]) t.match(await approve(again, asked, token), { status: 409 })
  t.match(await approve(again, asked, TOKEN), {
    body: { status: 'success', approved_by: { earlier_approvals: [{ person: ana.token_id }] } }
  })
})

t.test('neither modified params nor an always option are accepted', async t => {
  const app = await start(t)
  const asked = await overwrite(app)
  const modified_params = { path: 'a.txt', content: 'mine' }
  t.match(await approve(app, asked, TOKEN, { modified_params }), {
    status: 400,
    body: { code: 'INVALID_PARAMS', errors: [{ pointer: '/modified_params' }] }
  })
  t.match(await approve(app, asked, TOKEN, { always: 'path:workspace' }), {
    status: 400,
    body: { errors: [{ pointer: '/always' }] }
  })
  const edited = await app.call('shell_exec', { command: 'touch x; rm a.txt' })
  await app.post('/rules', { effect: 'ask', match: { command: 'rm b.txt' }, scope: 'user', approvals: 2 })
  t.match(await approve(app, edited, TOKEN, { confirm: true, modified_params: { command: 'rm b.txt' } }), {
    status: 400,
    body: { errors: [{ pointer: '/modified_params' }] }
  })
  t.equal((await app.get(`/calls/${edited.tool_call_id}`)).status, 'awaiting_approval')
})

t.test('a batch counts as one approval of each call', async t => {
  const app = await start(t)
  const ana = await createToken(app, 'Ana')
  const asked = [await overwrite(app), await app.call('write_file', { path: 'b.txt', content: 'b' })]
  const calls = asked.map(({ tool_call_id, approval }) => ({ tool_call_id, digest: approval.digest }))
  const batch = (token: string) => app.request('POST', '/approve', { calls }, withToken(token))
  const first = await batch(ana.token)
  t.match(first.body.results, [
    { status: 'awaiting_approval', approval: { approvals: [{ person: ana.token_id }] } },
    { status: 'awaiting_approval', approval: { approvals: [{ person: ana.token_id }] } }
  ])
  const conflict = { problem: { code: 'CONFLICT' } }
  t.match((await batch(ana.token)).body.results, [conflict, conflict])
  t.match((await batch(TOKEN)).body.results, [{ status: 'queued' }, { status: 'queued' }])
})

t.test('a toolset learns that further approvals are missing', async t => {
  const app = await start(t)
  for (const toolset of ['codey', 'synapsis', 'emacs-agent', 'opencode', 'workspace']) {
    const call = await overwrite(app, toolset)
    const { digest } = call.approval
    const answer = await app.post(`/approve?toolset=${toolset}`, { tool_call_id: call.tool_call_id, digest })
    t.match(JSON.stringify(answer), /"approvals_needed":2,"approvals":\[\{"person":"server"/, toolset)
  }
})

t.test('a rule applies whatever a saved rule allows, and the largest number counts', async t => {
  const app = await start(t, withRules([], [[JOINT]]))
  await app.post('/rules', { effect: 'allow', match: { tool: 'write_file' }, scope: 'user' })
  t.match(await overwrite(app), { status: 'awaiting_approval', approval: { approvals_needed: 2 } })
  await app.post('/rules', { effect: 'ask', match: { path: 'a.txt' }, scope: 'user', approvals: 3 })
  t.match(await overwrite(app), { approval: { approvals_needed: 3, always_options: [] } })
  const { rule_id } = await app.post('/rules', { effect: 'deny', match: { path: 'a.txt' }, scope: 'user' })
  t.match(await overwrite(app), { status: 'rejected' })
  await app.request('DELETE', `/rules/${rule_id}`)
  t.match(await overwrite(app), { status: 'awaiting_approval' })
})

t.test('only ask rules take a number of approvals, within its limits', async t => {
  const app = await start(t)
  const add = (more: object) => app.request('POST', '/rules', { match: { tool: 'x' }, scope: 'user', ...more })
  t.match(await add({ effect: 'ask', approvals: 5 }), { status: 201, body: { approvals: 5 } })
  t.match(await add({ effect: 'allow', approvals: 2 }), { status: 400, body: { errors: [{ pointer: '/approvals' }] } })
  for (const approvals of [0, 6, 1.5]) t.match(await add({ effect: 'ask', approvals }), { status: 400 })
})
