// A hub answers as a server does, for the console: the client of servers works on the calls of all of them.
// tier: full
import t from 'tap'
import { connect, type Event } from '../../src/client/client.ts'
import { waitUntil } from '../support/wait.ts'
import { openEmbedded } from './embedded-database.ts'
import { caughtUp, enroll, PERSON_TOKEN, startHub, startServer } from './start-hub.ts'

t.test('calls of two servers by the client of a server', async t => {
  const hub = await startHub(t, await openEmbedded())
  const client = connect({ url: `${hub.url}/console`, token: PERSON_TOKEN })
  const one = await startServer(t, hub, 'one')
  const two = await startServer(t, hub, 'two')
  one.write('a.txt', 'hello\n')
  const read = await one.call('read_file', { path: 'a.txt' })
  const failed = await two.call('read_file', { path: 'none.txt' })
  const remove = await one.call('shell_exec', { command: 'rm a.txt' })
  const other = await two.call('shell_exec', { command: 'touch b.txt' })
  await Promise.all([caughtUp(one), caughtUp(two)])
  const idAt = (server: { server_id: string }, { tool_call_id }: { tool_call_id: string }) =>
    `${tool_call_id}@${server.server_id}`

  const state = await client.state()
  t.match(state, {
    journal_id: 'hub',
    pending: [
      { tool_call_id: idAt(one, remove), server_name: 'one', tool: 'shell_exec', params: { command: 'rm a.txt' } },
      { tool_call_id: idAt(two, other), server_name: 'two', status: 'awaiting_approval' }
    ]
  })
  const { preview, digest, level, reason, always_options } = (state.pending[0] as typeof remove).approval
  const shown = remove.approval
  t.same(
    { preview, digest, level, reason },
    { preview: shown.preview, digest: shown.digest, level: shown.level, reason: shown.reason }
  )
  t.equal(
    (state.pending[1] as typeof other).approval.group,
    other.approval.group,
    'calls can be reviewed together here, too'
  )
  t.same(always_options, [], 'a rule is remembered at the server alone')
  t.match(await client.get(idAt(one, read)), { status: 'success', result: { data: { content: 'hello\n' } } })
  t.match(await client.get(idAt(two, failed)), { status: 'error', error: { code: failed.error.code } })
  await t.rejects(client.get('tc_none'), { code: 'NOT_FOUND' })
  await t.rejects(client.get(idAt(two, read)), { code: 'NOT_FOUND' }, 'it is of another server')

  const gone = new AbortController()
  const events = client.events({ after: `hub-${state.head}`, signal: gone.signal })
  await t.rejects(client.approve(idAt(one, remove), { digest: other.approval.digest }), { code: 'PREVIEW_CHANGED' })
  const sent = await client.approve(idAt(one, remove), { digest, confirm: true })
  t.match(sent, { decision: { state: 'sent', verdict: 'approve', person_name: 'Ada' } })
  const seen: Event[] = []
  for await (const event of events) {
    seen.push(event)
    if (event.type === 'tool.result') break
  }
  gone.abort()
  const decided = seen.find(({ type }) => type === 'tool.decision')
  t.match(decided, { tool_call_id: idAt(one, remove), server_name: 'one', by: { via: 'hub', token: { name: 'Ada' } } })
  t.ok(
    seen.every(({ seq }, i) => seq > (seen[i - 1]?.seq ?? state.head)),
    'in the order of the hub'
  )
  t.match(await client.get(idAt(one, remove)), { approved_by: { token: { name: 'Ada' } }, finished_at: /^\d{4}-/ })
  t.match(await client.reject(idAt(two, other), { reason: 'no' }), { decision: { verdict: 'reject' } })
  const rejected = await waitUntil('it is rejected', async () => {
    const call = await client.get(idAt(two, other))
    return call.status === 'rejected' && call
  })
  t.match(rejected, { reason: 'no', rejected_by: { token: { name: 'Ada' } } })
  t.same((await client.state()).pending, [])
})

t.test('what is sent and not answered is listed, and large events come without their large fields', async t => {
  const hub = await startHub(t, await openEmbedded())
  const { server_id, token } = await enroll(hub, 'quiet')
  const time = new Date().toISOString()
  const digest = 'a'.repeat(64)
  const large = 'x'.repeat(100_000)
  const fields = { seq: 1, type: 'tool.call', time, tool: 'shell_exec', tool_call_id: 'tc_1', requires_approval: true }
  const call = {
    ...fields,
    params: { command: large },
    approval: { level: 'ask', digest, preview: { title: 'x', cut: true } }
  }
  const events = [{ seq: 1, type: 'tool.call', time, tool_call_id: 'tc_1', data: JSON.stringify(call) }]
  const batch = { journal_id: '0123456789ab', head: 1, events }
  t.equal((await hub.request('POST', '/uplink/events', batch, token)).status, 200)
  const target = `/console/calls/tc_1@${server_id}`
  const { status, body } = await hub.request('POST', `${target}/approve`, { digest })
  t.match({ status, body }, { status: 400, body: { detail: /preview is shortened/ } })
  t.match(await hub.request('GET', `${target}/preview`), {
    status: 400,
    body: { detail: /approve the call at that server/i }
  })
  t.equal((await hub.request('POST', `${target}/reject`, {})).status, 202)
  t.match(await hub.get('/approvals'), {
    approvals: [{ tool_call_id: 'tc_1', decision: { verdict: 'reject', state: 'sent' } }]
  })
  t.match((await hub.get('/console/state')).pending, [{ decision: { person_name: 'Ada' }, params: { command: large } }])
  const again = await hub.request('POST', `${target}/reject`, {})
  t.match(again, { status: 409, body: { detail: 'Ada has already rejected the call.' } })

  const client = connect({ url: `${hub.url}/console`, token: PERSON_TOKEN })
  for await (const event of client.events({ after: 'hub-0' })) {
    t.match(event, { type: 'tool.call', truncated: true, tool: 'shell_exec', server_seq: 1 })
    t.notOk('params' in event)
    break
  }
  for await (const event of client.events({ after: 'hub-1000' })) {
    t.match(event, { type: 'stream.gap', reason: 'ahead', asked: 1_000, seq: 1 }, 'the database was restored')
    break
  }
  const viewer = (await hub.request('POST', '/accounts', { name: 'Vera', role: 'viewer' })).body.token
  for (const verdict of ['approve', 'reject'])
    t.equal((await hub.request('POST', `${target}/${verdict}`, { digest }, viewer)).status, 403)
  t.equal((await hub.request('GET', '/console/state', undefined, viewer)).status, 200)
  t.equal((await fetch(`${hub.url}/console/state`)).status, 401)
  t.equal((await hub.request('GET', '/console/state', undefined, token)).status, 403, 'no server reads others')
})
