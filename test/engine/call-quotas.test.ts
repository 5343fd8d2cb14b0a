// Tests that one token cannot fill the queue, the list of approvals or the slots for jobs: others and those who may approve go on.
// tier: quick
import t, { type Test } from 'tap'
import { defaultSettings } from '../../src/config/merge.ts'
import { agentToken, type Json, type StartOptions, startApp } from '../start-app.ts'

async function start(t: Test, settings: StartOptions['settings'] = {}) {
  const app = await startApp(t, { 'a.txt': 'a\n' }, { settings })
  const headers = (agent: string) => ({ authorization: `Bearer ${agentToken(agent)}` })
  const submit = (agent: string, tool: string, params: object, session_id = 's') =>
    app.request('POST', '/calls', { tool, params, session_id }, headers(agent))
  /** Sends calls that wait for a decision, and counts the answers by their status. */
  async function flood(agent: string, count: number, session_id = 's') {
    const calls = Array.from({ length: count }, (_, n) => ({
      tool: 'shell_exec',
      params: { command: `touch ${session_id}-${n}` },
      session_id
    }))
    const { results } = (await app.request('POST', '/calls/batch?wait_ms=0', { calls }, headers(agent))).body
    const counts: Record<string, number> = {}
    for (const { status, problem } of results as Json[]) {
      const name = problem?.code ?? status
      counts[name] = (counts[name] ?? 0) + 1
    }
    return counts
  }
  return { ...app, submit, flood, headers }
}

t.test('a session and a token may have so many calls that wait for approval', async t => {
  const { submit, flood, get, post, request, headers } = await start(t)
  const waiting = async () => (await get('/approvals')).approvals as Json[]
  await flood('alice', 100, 'one')
  const refused = await submit('alice', 'shell_exec', { command: 'touch x' }, 'one')
  t.match(refused, {
    status: 429,
    body: {
      code: 'QUOTA_EXCEEDED',
      detail:
        'This session has 100 calls that wait for approval; the maximum is 100. Wait until some of them end, or cancel some.',
      details: { limit: 'waiting_approvals_per_session', max: 100, retry_after_s: 10 }
    }
  })
  t.equal(refused.headers.get('retry-after'), '10')
  await flood('alice', 100, 'two')
  t.match(await submit('alice', 'shell_exec', { command: 'touch x' }, 'three'), {
    status: 429,
    body: { details: { limit: 'waiting_approvals_per_token', max: 200 } }
  })
  t.equal((await waiting()).length, 200)
  t.equal((await request('GET', '/calls?limit=500', undefined, headers('alice'))).body.calls.length, 200)

  t.match(await submit('alice', 'read_file', { path: 'a.txt' }, 'one'), { status: 200, body: { status: 'success' } })
  t.match(await submit('bob', 'shell_exec', { command: 'touch y' }), { status: 202 })
  const [first] = await waiting()
  t.match(await post(`/calls/${first.tool_call_id}/approve?wait_ms=120000`, { digest: first.approval.digest }), {
    status: 'success'
  })
  t.match(await submit('alice', 'shell_exec', { command: 'touch x' }, 'three'), { status: 202 })
})

t.test('a token may fill half of the queue, and no token the part of those who may approve', async t => {
  const limits = { ...defaultSettings().limits, queue: 20 }
  const { submit, flood, call, post, get } = await start(t, { limits })
  t.same(await flood('alice', 12), { awaiting_approval: 10, QUOTA_EXCEEDED: 2 })
  t.match(await submit('alice', 'read_file', { path: 'a.txt' }, 'other'), {
    status: 429,
    body: { details: { limit: 'open_calls_per_token', max: 10, retry_after_s: 1 } }
  })
  t.same(await flood('bob', 12), { awaiting_approval: 8, OVERLOADED: 4 })
  t.match(await call('read_file', { path: 'a.txt' }), { status: 'success' })
  const [first] = (await get('/approvals')).approvals
  await post(`/calls/${first.tool_call_id}/reject`, {})
  t.match(await submit('alice', 'read_file', { path: 'a.txt' }), { status: 200 })
})

t.test('a token leaves slots for the jobs of others', async t => {
  const commands = { ...defaultSettings().commands, max_jobs: 2 }
  const { submit, post } = await start(t, { commands })
  const startJob = async (agent: string) => {
    const { body } = await submit(agent, 'shell_background', { command: 'exec sleep 60' })
    return post(`/calls/${body.tool_call_id}/approve?wait_ms=120000`, { digest: body.approval.digest })
  }
  t.match(await startJob('alice'), { status: 'success' })
  t.match(await startJob('alice'), {
    status: 'error',
    error: { code: 'QUOTA_EXCEEDED', details: { limit: 'running_jobs_per_token', max: 1 } }
  })
  t.match(await startJob('bob'), { status: 'success' })
})
