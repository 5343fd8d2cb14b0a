// Tests of calls that wait at servers whose events are far behind, on any database of a hub.
import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Test } from 'tap'
import type { Database } from '../../src/hub/database/database.ts'
import { type Json, toApproval } from '../start-app.ts'
import { fillJournal } from '../support/fill-journal.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { waitUntil } from '../support/wait.ts'
import { caughtUp, enroll, startHub, startServer } from './start-hub.ts'

const JOURNAL = '666666666666'
const BACKLOG = 60_000
const DIGEST = 'a'.repeat(64)

const waitingCall = (tool_call_id: string, more: object = {}) => {
  const time = '2030-01-01T00:00:00.000Z'
  const approval = { digest: DIGEST, preview: { title: `Run ${tool_call_id}` } }
  const data = { time, type: 'tool.call', tool_call_id, tool: 'run', requires_approval: true, approval, ...more }
  return { tool_call_id, time, data: JSON.stringify(data) }
}

export async function hubWaitingSuite(t: Test, openDatabase: () => Promise<Database>) {
  const hub = await startHub(t, await openDatabase())

  await t.test('a report stands for the calls of its journal until the events overtake it', async t => {
    const { token, server_id } = await enroll(hub, 'behind')
    const report = (head: number, calls: readonly object[], by = token) =>
      hub.request('PUT', '/uplink/waiting', { journal_id: JOURNAL, head, calls }, by)
    const event = (seq: number, call: ReturnType<typeof waitingCall>) => {
      const { seq: _, ...fields } = JSON.parse(call.data)
      return {
        seq,
        type: fields.type,
        time: call.time,
        tool_call_id: call.tool_call_id,
        data: JSON.stringify({ seq, ...fields })
      }
    }
    const send = (head: number, events: readonly object[]) =>
      hub.request('POST', '/uplink/events', { journal_id: JOURNAL, head, events }, token)
    const waiting = async () =>
      (await hub.get('/approvals')).approvals
        .filter((each: Json) => each.server_id === server_id)
        .map(({ tool_call_id }: Json) => tool_call_id)

    await send(5_000, [event(1, waitingCall('tc_old'))])
    t.same(await waiting(), ['tc_old'], 'as far as the hub knows')
    t.equal((await report(5_000, [waitingCall('tc_a'), waitingCall('tc_b')])).status, 204)
    t.same(await waiting(), ['tc_a', 'tc_b'], 'the report is newer')
    t.match(await hub.get('/servers'), { servers: [{ server_id, waiting: 2, behind: 4_999 }] })
    t.match(await hub.get(`/servers/${server_id}/calls/tc_a`), {
      title: 'Run tc_a',
      status: 'awaiting_approval',
      truncated: true,
      events: [{ approval: { digest: DIGEST } }]
    })
    t.equal((await report(5_010, [waitingCall('tc_b')])).status, 204)
    t.same(await waiting(), ['tc_b'], 'another report replaces it')
    const decision = { server_id, tool_call_id: 'tc_b', digest: DIGEST }
    t.match(await hub.request('POST', '/approve', { ...decision, digest: 'b'.repeat(64) }), { status: 409 })
    t.match(await hub.request('POST', '/approve', decision), { status: 202, body: { state: 'sent' } })
    t.match(await hub.request('POST', '/reject', decision), { status: 409 }, 'the first decision wins')
    await send(5_010, [event(5_009, waitingCall('tc_b'))])
    t.same(await waiting(), ['tc_b'])
    await send(5_010, [
      event(5_010, { ...waitingCall('tc_b'), data: '{"seq":5010,"type":"tool.result","status":"success"}' })
    ])
    t.same(await waiting(), ['tc_old'], 'the events have overtaken the report')
    t.equal((await report(5_010, [waitingCall('tc_a')])).status, 204, 'a report that comes too late')
    t.same(await waiting(), ['tc_old'])

    const cut = waitingCall('tc_c', { approval: { digest: DIGEST, preview: { title: 'x', cut: true } } })
    await report(6_000, [cut])
    t.match(await hub.request('POST', '/approve', { ...decision, tool_call_id: 'tc_c' }), { status: 400 })
    const { token: other } = await enroll(hub, 'other')
    t.equal((await report(6_000, [], other)).status, 403, 'the journal of another server')
    t.equal((await hub.request('PUT', '/uplink/waiting', { journal_id: JOURNAL, head: 1, calls: [] })).status, 403)
    t.equal((await report(6_000, [{ ...waitingCall('tc_d'), data: '{"a":\n1}' }])).status, 400)
    t.equal(
      (
        await report(
          6_000,
          Array.from({ length: 501 }, (_, i) => waitingCall(`tc_${i}`))
        )
      ).status,
      400
    )
    t.same(await waiting(), ['tc_c'], 'what was refused changes nothing')
  })

  await t.test('people decide while the hub catches up', async t => {
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-test-')))
    t.teardown(() => removeFolder(folder))
    await fillJournal(path.join(folder, 'state'), BACKLOG)
    const server = await startServer(t, hub, 'returned', { folder })
    const { server_id } = server
    const waiting = await server.call('shell_exec', { command: 'touch a.txt' })
    const { behind } = await waitUntil('the hub knows of the call', async () => {
      const { approvals } = await hub.get('/approvals')
      const isThere = approvals.some(({ tool_call_id }: Json) => tool_call_id === waiting.tool_call_id)
      return isThere && (await hub.get('/servers')).servers.find((each: Json) => each.server_id === server_id)
    })
    t.ok(behind > 0, `the hub lacks ${behind} events`)
    t.equal((await hub.request('POST', '/approve', { server_id, ...toApproval(waiting) })).status, 202)
    const done = await waitUntil('the call has ended', async () => {
      const call = await server.get(`/calls/${waiting.tool_call_id}?wait_ms=1000`)
      return call.finished_at && call
    })
    t.match(done, { status: 'success', approved_by: { via: 'hub' } })
    await caughtUp(server)
    await waitUntil('the journal says so at the hub', async () => {
      const call = await hub.get(`/servers/${server_id}/calls/${waiting.tool_call_id}`)
      return call.status === 'success'
    })
    const { approvals } = await hub.get('/approvals')
    t.notOk(approvals.some((each: Json) => each.server_id === server_id))
  })
}
