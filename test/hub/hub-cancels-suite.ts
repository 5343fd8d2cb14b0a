// Tests of cancels by people at a hub, on any of its databases.
import type { Test } from 'tap'
import type { Database } from '../../src/hub/database/database.ts'
import type { Json } from '../start-app.ts'
import { waitUntil } from '../support/wait.ts'
import { answeredDecision, caughtUp, endedCall, enroll, startHub, startServer } from './start-hub.ts'

const ALLOW_SLEEP = { effect: 'allow' as const, match: { command: 'sleep', mode: 'prefix' as const } }

export async function hubCancelsSuite(t: Test, openDatabase: () => Promise<Database>) {
  const hub = await startHub(t, await openDatabase())
  const server = await startServer(t, hub, 'busy', {
    settings: { tiers: { administrator: [], user: [ALLOW_SLEEP], workspace: [] } }
  })
  const { server_id } = server
  const cancel = (tool_call_id: string, more: object = {}) =>
    hub.request('POST', '/cancel', { server_id, tool_call_id, ...more })
  const answered = (decisionId: number) => answeredDecision(hub, decisionId)
  const ended = (id: string) => endedCall(server, id)
  const start = async (command: string, more: object = {}) => {
    const { body } = await server.request('POST', '/calls?wait_ms=0', {
      tool: 'shell_exec',
      params: { command },
      ...more
    })
    await caughtUp(server)
    return body.tool_call_id as string
  }
  const eventsOf = async (id: string) => (await hub.get(`/servers/${server_id}/calls/${id}`)).events

  await t.test('a running call ends, with the person in the journal', async t => {
    const id = await start('sleep 600')
    const sent = await cancel(id, { reason: 'Too long' })
    t.match(sent, { status: 202, body: { verdict: 'cancel', state: 'sent', person_name: 'Ada' } })
    t.match(await ended(id), { status: 'cancelled', reason: 'Too long' })
    const { decision_id } = sent.body
    t.match(await answered(decision_id), { state: 'applied', refusal: null })
    await caughtUp(server)
    const by = { source: 'user', token: { id: 'hub:person:Ada', name: 'Ada' }, via: 'hub', decision_id }
    t.match(
      (await eventsOf(id)).filter(({ type }: Json) => type === 'tool.cancel'),
      [{ by, reason: 'Too long' }]
    )
    t.match((await hub.get(`/calls?server_id=${server_id}`)).calls, [{ tool_call_id: id, status: 'cancelled' }])
  })

  await t.test('a waiting call and a job end, and what has ended stays as it is', async t => {
    const waiting = await start('touch a.txt')
    t.match(await answered((await cancel(waiting)).body.decision_id), { state: 'applied' })
    t.match(await ended(waiting), { status: 'cancelled', reason: 'Cancelled by a person at the hub.' })

    const job = await server.call('shell_background', { command: 'sleep 600' })
    t.equal(job.status, 'success')
    await caughtUp(server)
    t.match(await answered((await cancel(job.tool_call_id)).body.decision_id), { state: 'applied' })
    await waitUntil('the job has ended', async () => {
      const { jobs } = await server.get('/jobs')
      return jobs.find((each: Json) => each.task_id === job.tool_call_id)?.status === 'stopped'
    })

    const read = await server.call('list_directory', { path: '.' })
    // A read is answered before its event is in the journal.
    const sent = await waitUntil('the hub has the call', async () => {
      const { status, body } = await cancel(read.tool_call_id)
      return status === 202 && body
    })
    t.match(await answered(sent.decision_id), {
      state: 'refused',
      refusal: 'The call has already ended: success.'
    })
    t.equal((await server.get(`/calls/${read.tool_call_id}`)).status, 'success')
  })

  await t.test('one cancel at a time is under way, by a person, for a call of that server', async t => {
    const { token, server_id: silent } = await enroll(hub, 'silent')
    const time = '2030-01-01T00:00:00.000Z'
    const type = 'tool.call'
    const call = { seq: 1, time, type, tool_call_id: 'tc_1', tool: 'run', requires_approval: false }
    const events = [{ seq: 1, type, time, tool_call_id: 'tc_1', data: JSON.stringify(call) }]
    await hub.request('POST', '/uplink/events', { journal_id: '555555555555', head: 1, events }, token)
    const body = { server_id: silent, tool_call_id: 'tc_1' }
    const both = await Promise.all([hub.request('POST', '/cancel', body), hub.request('POST', '/cancel', body)])
    t.same(both.map(({ status }) => status).sort(), [202, 409])
    const { decision_id } = both.find(({ status }) => status === 202)!.body
    const refusal = `/uplink/decisions/${decision_id}/refusal`
    t.equal((await hub.request('POST', refusal, { reason: 'It is gone' }, token)).status, 204)
    t.match(await hub.get(`/decisions/${decision_id}`), { state: 'refused', refusal: 'It is gone' })
    t.equal((await hub.request('POST', '/cancel', body)).status, 202, 'another one can follow')
    t.equal((await hub.request('POST', '/cancel', body, token)).status, 403)
    t.equal((await cancel('tc_1')).status, 404, 'a call of another server')
    t.equal((await cancel('tc_1', { digest: 'x' })).status, 400)
  })
}
