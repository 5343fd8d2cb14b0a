// Tests of the rights of each agent: its tools and its rules, under any client name.
// tier: full
import t from 'tap'
import type { Agents, TierRule } from '../../src/config/agents.ts'
import { agentToken, CALL_TOKEN, startApp, type TestApp } from '../start-app.ts'

const MERE = { authorization: `Bearer ${CALL_TOKEN}` }
const settings = (agents: Agents, user: TierRule[] = []) => ({
  settings: { agents, tiers: { administrator: [], user, workspace: [] } }
})
const send = async (app: TestApp, agent: string | undefined, tool: string, params: object, headers = MERE) => {
  const { status, body } = await app.request('POST', '/calls', { tool, params, ...(agent && { agent }) }, headers)
  return status === 200 || status === 202 ? body.status : body.code
}
const overwrite = (app: TestApp, agent?: string, headers = MERE) =>
  send(app, agent, 'write_file', { path: 'a.txt', content: `${Math.random()}` }, headers)

t.test('the rules of an agent apply to its calls alone', async t => {
  const rules: TierRule[] = [
    { effect: 'allow', match: { tool: 'write_file' }, for_agent: 'coder' },
    { effect: 'deny', match: { tool: 'write_file' }, for_agent: 'reviewer' }
  ]
  const app = await startApp(t, { 'a.txt': 'one' }, settings({ coder: {}, reviewer: {} }, rules))
  t.equal(await overwrite(app, 'coder'), 'success')
  t.equal(await overwrite(app, 'reviewer'), 'rejected')
  t.equal(await overwrite(app, 'another'), 'awaiting_approval')
  t.equal(await overwrite(app), 'awaiting_approval')
})

t.test('the default entry applies to every agent without its own, named or not, and to no person', async t => {
  const app = await startApp(
    t,
    { 'a.txt': 'one' },
    settings({ '*': { tools: { deny: ['write_file'] } }, coder: {} }, [
      { effect: 'ask', match: { tool: 'read_file' }, for_agent: '*' }
    ])
  )
  const read = (agent?: string) => send(app, agent, 'read_file', { path: 'a.txt' })
  for (const agent of ['another', '__proto__', undefined]) {
    t.equal(await overwrite(app, agent), 'UNKNOWN_TOOL', agent ?? 'unnamed')
    t.equal(await read(agent), 'awaiting_approval', agent ?? 'unnamed')
  }
  t.equal(await overwrite(app, 'coder'), 'awaiting_approval', 'the tool is there')
  t.equal(await read('coder'), 'success')
  t.equal(await overwrite(app, undefined, {} as typeof MERE), 'awaiting_approval', 'a person')
  t.equal(await overwrite(app, 'another', {} as typeof MERE), 'UNKNOWN_TOOL', 'a person speaking as an agent')
  const names = async (headers: object) =>
    (await app.request('GET', '/tools', undefined, headers as typeof MERE)).body.tools.map(
      ({ name }: { name: string }) => name
    )
  t.notOk((await names(MERE)).includes('write_file'))
  t.ok((await names({})).includes('write_file'))
})

t.test('a read-only agent only reads, and gets the reason of denials', async t => {
  const app = await startApp(t, { 'a.txt': 'one' }, settings({ reviewer: { read_only: true } }))
  const { error } = await app.call('write_file', { path: 'a.txt', content: 'two' }, { agent: 'reviewer' })
  t.match(error, { code: 'PERMISSION_DENIED', message: /This agent is read-only/ })
  t.equal(await send(app, 'reviewer', 'read_file', { path: 'a.txt' }), 'success')
  t.equal(await overwrite(app, 'coder'), 'awaiting_approval')
})

t.test('explain uses the rules of the agent', async t => {
  const app = await startApp(
    t,
    { 'a.txt': 'one' },
    settings({ coder: {} }, [
      { effect: 'allow', match: { tool: 'write_file' }, reason: 'the coder may', for_agent: 'coder' }
    ])
  )
  const explain = (agent: string) =>
    app.post('/policy/explain', { tool: 'write_file', params: { path: 'a.txt', content: '' }, agent })
  t.match((await explain('coder')).verdict, { decision: 'allow', reason: 'the coder may' })
  t.match((await explain('another')).verdict, { decision: 'ask' })
})

t.test('a token issued to an agent acts for that one alone', async t => {
  const app = await startApp(
    t,
    { 'a.txt': 'one' },
    settings({ coder: {}, reader: { tools: { allow: ['read_file'] } } })
  )
  const as = (agent: string) => ({ authorization: `Bearer ${agentToken(agent)}` })
  const read = { tool: 'read_file', params: { path: 'a.txt' } }
  const write = { tool: 'write_file', params: { path: 'a.txt', content: 'two' } }
  t.match((await app.request('POST', '/calls', read, as('reader'))).body, { status: 'success', agent: 'reader' })
  t.match(await app.request('POST', '/calls', write, as('reader')), { status: 404, body: { code: 'UNKNOWN_TOOL' } })

  const forbidden = { status: 403, body: { code: 'FORBIDDEN', detail: /to the agent reader/ } }
  const posing = { ...write, agent: 'coder' }
  t.match(await app.request('POST', '/calls', posing, as('reader')), forbidden)
  t.match(await app.request('POST', '/calls', { ...posing, dry_run: true }, as('reader')), forbidden)
  t.match(await app.request('POST', '/policy/explain', posing, as('reader')), forbidden)
  t.match(await app.request('GET', '/tools?agent=coder', undefined, as('reader')), forbidden)
  t.match((await app.request('POST', '/calls/batch', { calls: [posing] }, as('reader'))).body, {
    results: [{ problem: { code: 'FORBIDDEN' } }]
  })
  const listed = (await app.request('GET', '/tools', undefined, as('reader'))).body.tools
  t.same(
    listed.map(({ name }: { name: string }) => name),
    ['read_file']
  )
  const { tool_call_id } = (await app.request('POST', '/calls', write, as('coder'))).body
  t.equal((await app.request('POST', '/approve', { tool_call_id }, as('coder'))).status, 403)
})
