// Tests of calls that a person at the hub has to approve, on any database of a hub.
import type { Test } from 'tap'
import type { Settings } from '../../src/config/settings.ts'
import type { Database } from '../../src/hub/database/database.ts'
import { type Json, startApp, toApproval } from '../start-app.ts'
import { waitUntil } from '../support/wait.ts'
import {
  answeredDecision,
  caughtUp,
  type EnrolledApp,
  endedCall,
  OTHER_PERSON_TOKEN,
  startHub,
  startServer
} from './start-hub.ts'

const TOUCH = { command: 'touch', mode: 'prefix' as const }
const BY_HUB = { effect: 'ask' as const, match: TOUCH, approver: 'hub' as const, reason: 'Two people' }

/** Settings in which the administrator demands that the hub approves `touch`. */
const demanding = (on_outage: Settings['hub']['on_outage'], hub: object = {}): Partial<Settings> => ({
  hub: { on_outage, ...hub },
  tiers: {
    administrator: [BY_HUB, { ...BY_HUB, match: { tool: 'undo' } }],
    user: [{ effect: 'allow', match: TOUCH }],
    workspace: []
  }
})

const touch = (server: Pick<EnrolledApp, 'call'>, name: string) =>
  server.call('shell_exec', { command: `touch ${name}` })

const ended = (server: Pick<EnrolledApp, 'get'>, { tool_call_id }: Json) => endedCall(server, tool_call_id)

export async function hubApproverSuite(t: Test, openDatabase: () => Promise<Database>) {
  await t.test('a call that the hub has to approve is not approved at its server', async t => {
    const hub = await startHub(t, await openDatabase())
    const server = await startServer(t, hub, 'watched', { settings: demanding('local') })
    await caughtUp(server)
    const waiting = await touch(server, 'a.txt')
    t.match(waiting, {
      status: 'awaiting_approval',
      approval: { approver: 'hub', reason: 'Two people', always_options: [] }
    })
    const refusal = { status: 403, body: { code: 'PERMISSION_DENIED', detail: /a person at the hub approves/ } }
    t.match(await server.request('POST', '/approve', toApproval(waiting)), refusal)
    t.match(
      await server.request('POST', '/approve', { ...toApproval(waiting), modified_params: { command: 'touch b.txt' } }),
      refusal,
      'with other params that the rule is about'
    )
    const written = await server.call('write_file', { path: 'c.txt', content: 'one\n' })
    t.equal(written.status, 'success')
    const undo = `/calls/${written.tool_call_id}/undo`
    const { digest } = await server.get(undo)
    t.match(
      (await server.request('POST', undo, { digest, confirm: true })).body,
      { status: 'awaiting_approval', approval: { approver: 'hub' } },
      'approved with the request'
    )
    await caughtUp(server)
    const { server_id } = server
    const sent = await hub.request('POST', '/approve', { server_id, ...toApproval(waiting) })
    t.equal(sent.status, 202)
    t.match(await ended(server, waiting), { status: 'success', approved_by: { via: 'hub', token: { name: 'Ada' } } })
    const other = await touch(server, 'd.txt')
    t.match(await server.request('POST', '/reject', { tool_call_id: other.tool_call_id }), { status: 200 })
  })

  await t.test('rules of the hub can demand it, for calls that wait already too', async t => {
    const hub = await startHub(t, await openDatabase())
    const server = await startServer(t, hub, 'demanded')
    const waiting = await touch(server, 'a.txt')
    const { version } = (await hub.request('PUT', '/rules', { rules: [BY_HUB], replaces: null })).body
    await waitUntil('the rules are in force', async () => (await server.get('/rules')).hub?.version === version)
    t.match(await server.request('POST', '/approve', toApproval(waiting)), { status: 403 })
    await hub.request('PUT', '/rules', { rules: [], replaces: version })
    await waitUntil('no rule is in force', async () => (await server.get('/rules')).hub?.rules.length === 0)
    t.match(await server.request('POST', '/approve', toApproval(waiting)), { status: 202 })
  })

  await t.test('two persons at the hub approve a call, each once', async t => {
    const hub = await startHub(t, await openDatabase())
    const tiers = { administrator: [{ ...BY_HUB, approvals: 2 }], user: [], workspace: [] }
    const server = await startServer(t, hub, 'joint', { settings: { tiers } })
    const { server_id } = server
    await caughtUp(server)
    const waiting = await touch(server, 'a.txt')
    await caughtUp(server)
    const approve = (token?: string) =>
      hub.request('POST', '/approve', { server_id, ...toApproval(waiting) }, ...(token === undefined ? [] : [token]))
    const { decision_id } = (await approve()).body
    t.match(await answeredDecision(hub, decision_id), { state: 'applied', refusal: null })
    const approvals = [{ person: 'hub:person:Ada', token: { name: 'Ada' }, via: 'hub', decision_id }]
    t.match(await server.get(`/calls/${waiting.tool_call_id}`), {
      status: 'awaiting_approval',
      approval: { approvals_needed: 2, approvals }
    })
    t.match((await hub.get('/console/state')).pending, [
      { decision: undefined, approval: { approvals_needed: 2, approvals: [{ person: 'hub:person:Ada' }] } }
    ])
    t.match(await approve(), { status: 409, body: { detail: 'Ada has already approved the call.' } })
    t.equal((await approve(OTHER_PERSON_TOKEN)).status, 202)
    t.match(await ended(server, waiting), {
      status: 'success',
      approved_by: { token: { name: 'Ben' }, earlier_approvals: approvals }
    })
  })

  await t.test('while the hub is away, hub.on_outage decides', async t => {
    const hub = await startHub(t, await openDatabase())
    const start = (on_outage: Settings['hub']['on_outage']) =>
      startServer(t, hub, on_outage, { settings: demanding(on_outage), hubOutageAfterMs: 200 })
    const [local, wait, refuse] = [await start('local'), await start('wait'), await start('refuse')]
    const all = [local, wait, refuse]
    for (const server of all) await caughtUp(server)
    const calls = new Map<EnrolledApp, Json>()
    for (const server of all) calls.set(server, await touch(server, 'a.txt'))
    for (const call of calls.values()) t.match(call, { status: 'awaiting_approval', approval: { approver: 'hub' } })
    await hub.close()
    t.match(await ended(refuse, calls.get(refuse)), {
      status: 'rejected',
      reason: /a person at the hub approves this call, but the hub .* cannot be reached .*Send the call again/,
      rejected_by: { source: 'config' }
    })
    t.match(await touch(refuse, 'b.txt'), { status: 'rejected', reason: /cannot be reached/ }, 'a later call, at once')
    const approved = await waitUntil('the hub is away', async () => {
      const { status } = await local.request('POST', '/approve', toApproval(calls.get(local)))
      return status === 202
    })
    t.ok(approved)
    t.match(await ended(local, calls.get(local)), { status: 'success', approved_by: { source: 'user' } })
    const waiting = calls.get(wait)
    await waitUntil('the waiting server refuses since the hub is away', async () => {
      const { status, body } = await wait.request('POST', '/approve', toApproval(waiting))
      return status === 403 && /cannot be reached .*The call waits for the hub/.test(body.detail)
    })
    t.match(await wait.get(`/calls/${waiting.tool_call_id}`), { status: 'awaiting_approval' })
  })

  await t.test('without a hub, it is away', async t => {
    const refusing = await startApp(t, {}, { settings: demanding('refuse') })
    t.match(await touch(refusing, 'a.txt'), { status: 'rejected', reason: /this server is not enrolled at a hub/ })
    const deciding = await startApp(t, {}, { settings: demanding('local') })
    const call = await touch(deciding, 'a.txt')
    t.match(await deciding.request('POST', '/approve', toApproval(call)), { status: 202 })
  })
}
