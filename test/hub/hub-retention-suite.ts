// Tests of the deletion of old events at a hub, which hold on any of its databases.
import type { Test } from 'tap'
import type { Database } from '../../src/hub/database/database.ts'
import type { Json } from '../start-app.ts'
import { waitUntil } from '../support/wait.ts'
import { answeredDecision, caughtUp, enroll, sameDatabase, startHub, startServer } from './start-hub.ts'

export async function hubRetentionSuite(t: Test, openDatabase: () => Promise<Database>) {
  await t.test('old events and calls are deleted, and no others', async t => {
    const database = await openDatabase()
    const hub = await startHub(t, database)
    const server = await startServer(t, hub, 'aging')
    const atHub = ({ tool_call_id }: Json) =>
      waitUntil('the hub has the end of the call', async () => {
        const { status, body } = await hub.request('GET', `/servers/${server.server_id}/calls/${tool_call_id}`)
        return status === 200 && body.ended_at !== null
      })
    server.write('a.txt', 'one\n')
    const old = await server.call('read_file', { path: 'a.txt' })
    const decided = await server.call('shell_exec', { command: 'touch b.txt' })
    const waiting = await server.call('shell_exec', { command: 'rm a.txt' })
    await caughtUp(server)
    const { body } = await hub.request('POST', '/approve', {
      server_id: server.server_id,
      tool_call_id: decided.tool_call_id,
      digest: decided.approval.digest
    })
    await answeredDecision(hub, body.decision_id)
    await atHub(decided)
    // Events of a server that is gone, among them a call that waits.
    const gone = await enroll(hub, 'gone')
    const time = new Date().toISOString()
    const call = { seq: 1, type: 'tool.call', time, tool_call_id: 'tc_gone', tool: 'run', requires_approval: true }
    const more = Array.from({ length: 2_500 }, (_, i) => ({ seq: i + 2, type: 'agent.state', time }))
    const events = [call, ...more].map(event => ({
      seq: event.seq,
      type: event.type,
      time,
      ...('tool_call_id' in event && { tool_call_id: event.tool_call_id }),
      data: JSON.stringify(event)
    }))
    const send = (part: object[]) =>
      hub.request('POST', '/uplink/events', { journal_id: 'fedcbafedcba', head: 2_501, events: part }, gone.token)
    for (let from = 0; from < events.length; from += 500)
      t.equal((await send(events.slice(from, from + 500))).status, 200)
    t.equal((await hub.request('DELETE', `/servers/${gone.server_id}`)).status, 204)
    await database.query(`UPDATE events SET received_at = now() - interval '40 days'`)
    // The last event of a call that lasted long.
    const long = await server.call('read_file', { path: 'a.txt' })
    await atHub(long)
    await database.query(
      `UPDATE events SET received_at = now() - interval '40 days' WHERE tool_call_id = $1 AND type <> 'tool.result'`,
      [long.tool_call_id]
    )
    const recent = await server.call('read_file', { path: 'a.txt' })
    await atHub(recent)

    const cleaning = await startHub(t, sameDatabase(database), 0, { maxAgeDays: 30 })
    await waitUntil('old events are deleted', async () => {
      const [row] = await database.query<{ total: number }>(
        `SELECT count(*) AS total FROM events WHERE journal_id = 'fedcbafedcba'`
      )
      return row?.total === 0
    })
    const { calls } = await cleaning.get('/calls')
    t.same(
      calls.map(({ tool_call_id }: Json) => tool_call_id),
      [recent, long, waiting].map(({ tool_call_id }) => tool_call_id)
    )
    t.equal((await cleaning.request('GET', `/servers/${server.server_id}/calls/${old.tool_call_id}`)).status, 404)
    t.equal((await cleaning.request('GET', `/decisions/${body.decision_id}`)).status, 404)
    const whole = await cleaning.get(`/servers/${server.server_id}/calls/${long.tool_call_id}`)
    t.match(whole.events[0], { type: 'tool.call' }, 'a call stays whole')
    t.match((await cleaning.get('/approvals')).approvals, [{ tool_call_id: waiting.tool_call_id }])
    const { token } = await enroll(cleaning, 'again')
    const sent = { journal_id: 'fedcbafedcbb', head: 1, events: events.slice(0, 1) }
    t.same((await cleaning.request('POST', '/uplink/events', sent, token)).body, { stored: 1 })
    await database.query(`DELETE FROM events WHERE journal_id = 'fedcbafedcbb'`)
    t.same((await cleaning.request('POST', '/uplink/events', sent, token)).body, { stored: 1 })
    const [row] = await database.query<{ total: number }>(
      `SELECT count(*) AS total FROM events WHERE journal_id = 'fedcbafedcbb'`
    )
    t.equal(row?.total, 0, 'an event that was deleted is not stored again')
  })
}
