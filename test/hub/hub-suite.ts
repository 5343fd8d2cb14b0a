// Tests of a hub that hold on any of its databases.
import type { Test } from 'tap'
import type { Database } from '../../src/hub/database/database.ts'
import { formatDecider } from '../../src/protocol/format-decider.ts'
import type { Json } from '../start-app.ts'
import { waitUntil } from '../support/wait.ts'
import {
  answeredDecision,
  caughtUp,
  endedCall,
  enroll,
  eventsOf,
  PERSON_TOKEN,
  startHub,
  startServer
} from './start-hub.ts'

const JOURNAL = '0123456789ab'

const event = (seq: number, more: object = {}, type = 'agent.state') => {
  const time = new Date(1_800_000_000_000 + seq).toISOString()
  const data = { seq, time, type, ...more }
  const { tool_call_id } = data as { tool_call_id?: string }
  return { seq, type, time, ...(tool_call_id !== undefined && { tool_call_id }), data: JSON.stringify(data) }
}

const batch = (events: readonly object[], more: object = {}) => ({
  journal_id: JOURNAL,
  head: (events.at(-1) as { seq: number } | undefined)?.seq ?? 0,
  events,
  ...more
})

const toSeqs = (events: readonly Json[]) => events.map(({ seq }) => seq)

export async function hubSuite(t: Test, openDatabase: () => Promise<Database>) {
  const hub = await startHub(t, await openDatabase())
  const send = (token: string, body: object) => hub.request('POST', '/uplink/events', body, token)

  await t.test('calls of a server are at the hub, with what waits there', async t => {
    const server = await startServer(t, hub, 'laptop')
    server.write('a.txt', 'one\n')
    const read = await server.call('read_file', { path: 'a.txt' })
    const waiting = await server.call('shell_exec', { command: 'rm a.txt' })
    t.match([read.status, waiting.status], ['success', 'awaiting_approval'])
    await caughtUp(server)
    const { calls } = await hub.get(`/calls?server_id=${server.server_id}`)
    t.match(calls, [
      { server_name: 'laptop', tool_call_id: waiting.tool_call_id, tool: 'shell_exec', status: 'awaiting_approval' },
      { server_name: 'laptop', tool_call_id: read.tool_call_id, tool: 'read_file', status: 'success' }
    ])
    t.match((await hub.get('/approvals')).approvals, [
      { tool_call_id: waiting.tool_call_id, digest: waiting.approval.digest, title: waiting.approval.preview.title }
    ])
    const whole = await hub.get(`/servers/${server.server_id}/calls/${read.tool_call_id}`)
    t.equal(whole.events.at(-1).result.data.content, 'one\n', 'the result comes with its event')
    t.match(await hub.get('/servers'), {
      servers: [{ server_id: server.server_id, name: 'laptop', state: 'connected', behind: 0, waiting: 1 }]
    })
    await server.post('/reject', { tool_call_id: waiting.tool_call_id, reason: 'no' })
    await caughtUp(server)
    t.same((await hub.get('/approvals')).approvals, [])
  })

  await t.test('a server goes on while the hub is away, and sends everything afterwards', async t => {
    const database = await openDatabase()
    const first = await startHub(t, database)
    const server = await startServer(t, first, 'builder')
    await server.call('list_directory', { path: '.' })
    await caughtUp(server)
    const { port } = first
    first.close().catch(() => {})
    await waitUntil('the hub is gone', async () => {
      server.write('b.txt', 'x')
      await server.call('read_file', { path: 'b.txt' })
      return (await server.get('/capabilities')).hub.state === 'unreachable'
    })
    t.match((await server.call('read_file', { path: 'b.txt' })).status, 'success')
    const again = await startHub(t, await openDatabase(), port)
    const refused = await waitUntil('the hub refuses a token that it does not know', async () => {
      const { hub: state } = await server.get('/capabilities')
      return /401/.test(state.reason ?? '') && state
    })
    t.match(refused, { state: 'unreachable', reason: /401/ })
    await again.close()
  })

  await t.test('each event is stored once, in order', async t => {
    const { token, server_id } = await enroll(hub, 'sender')
    t.same((await hub.request('GET', `/uplink/journals/${JOURNAL}`, undefined, token)).body, { stored: 0 })
    t.same((await send(token, batch([event(1), event(2), event(5)]))).body, { stored: 5 })
    t.same((await send(token, batch([event(2), event(5), event(7)]))).body, { stored: 7 }, 'sent twice')
    t.same((await send(token, batch([event(3)]))).body, { stored: 7 }, 'too late')
    const sent = Array.from({ length: 20 }, (_, i) => event(8 + i))
    const answers = await Promise.all([
      send(token, batch(sent)),
      send(token, batch(sent.slice(0, 10))),
      send(token, batch(sent))
    ])
    t.same(
      answers.map(({ status }) => status),
      [200, 200, 200]
    )
    const events = await eventsOf(hub, server_id, 24)
    t.same(toSeqs(events), [1, 2, 5, 7, ...sent.map(({ seq }) => seq)])
    t.same(
      events.map(({ id }) => id),
      events.map(({ id }) => id).toSorted((a, b) => a - b)
    )
    const gap = { after: 27, until: 40, reason: 'They were deleted.' }
    t.same((await send(token, batch([event(41)], { gap }))).body, { stored: 41 })
    t.same((await send(token, batch([]))).body, { stored: 41 }, 'a sign of life')
  })

  await t.test('odd events do no harm', async t => {
    const { token, server_id } = await enroll(hub, 'odd')
    const other = { journal_id: 'aaaaaaaaaaaa' }
    const odd = [
      { ...event(1, { tool_call_id: 'tc_1', tool: 'x\0y', requires_approval: true }, 'tool.call') },
      event(2),
      { ...event(3, { text: '\0\ud800' }) },
      { ...event(4, {}, 'tool.result'), tool_call_id: 'tc_none' },
      { ...event(5, { approval: 7 }, 'tool.call'), tool_call_id: 'tc_2' },
      { ...event(6, { note: 'ü'.repeat(300_000) }) }
    ]
    t.same((await send(token, batch(odd, other))).body, { stored: 6 })
    t.match(await hub.get(`/calls?server_id=${server_id}&tool=x%EF%BF%BDy`), { calls: [{ tool_call_id: 'tc_1' }] })
    const refusals: [object, number][] = [
      [batch([event(3), event(2)]), 400],
      [batch([{ ...event(9), type: 'a\0b' }]), 400],
      [batch([{ ...event(9), type: 'a\ndata: b' }]), 400],
      [batch([{ ...event(9), seq: -1 }]), 400],
      [batch([{ ...event(9), data: '{}' }]), 400],
      [batch([{ ...event(9), data: 'no JSON' }]), 400],
      [batch([{ ...event(9), data: event(8).data }]), 400],
      [batch([{ ...event(9), data: '{"seq":9,\n"a":1}' }]), 400],
      [batch([{ ...event(9), time: 'now' }]), 400],
      [batch([{ ...event(90), time: '0000-01-01T00:00:00Z' }], other), 400],
      [batch([{ ...event(9), data: '{"seq":9,"a":"\0"}' }], other), 400],
      [batch(Array.from({ length: 501 }, (_, i) => event(100 + i))), 400],
      [{ ...batch([]), journal_id: '../../x' }, 400]
    ]
    const large = Array.from({ length: 3 }, (_, i) =>
      event(10 + i, { tool_call_id: 'tc_9', text: 'x'.repeat(5_000_000) })
    )
    for (const one of large) t.equal((await send(token, batch([one], other))).status, 200)
    t.equal((await eventsOf(hub, server_id, 9)).length, 9, 'large events are read in pages')
    for (const [body, status] of refusals)
      t.equal((await send(token, body)).status, status, JSON.stringify(body).slice(0, 80))
  })

  await t.test('people decide at the hub', async t => {
    const server = await startServer(t, hub, 'decided')
    const { server_id } = server
    const wait = async (command: string) => {
      const { tool_call_id, approval } = await server.call('shell_exec', { command })
      await caughtUp(server)
      return { server_id, tool_call_id, digest: approval.digest as string }
    }
    const answered = (decisionId: number) => answeredDecision(hub, decisionId)
    const ended = (id: string) => endedCall(server, id)

    server.write('a.txt', 'one\n')
    const first = await wait('touch a.txt')
    const sent = await hub.request('POST', '/approve', first)
    t.match(sent, { status: 202, body: { verdict: 'approve', state: 'sent', person_name: 'Ada' } })
    const done = await ended(first.tool_call_id)
    const { decision_id } = sent.body
    t.match(done, {
      status: 'success',
      approved_by: { source: 'user', token: { id: 'hub:person:Ada', name: 'Ada' }, via: 'hub', decision_id }
    })
    t.match(await answered(decision_id), { state: 'applied', refusal: null })
    t.match(await hub.request('POST', '/approve', first), { status: 409, body: { code: 'CONFLICT' } }, 'it has ended')

    const second = await wait('touch b.txt')
    const { digest } = first
    t.match(await hub.request('POST', '/approve', { ...second, digest }), {
      status: 409,
      body: { code: 'PREVIEW_CHANGED' }
    })
    const rejected = await hub.request('POST', '/reject', {
      ...second,
      reason: 'Not now',
      user_message: 'Ask Bo',
      comments: [{ path: 'b.txt', line: 1, text: 'Which?' }]
    })
    t.match(await ended(second.tool_call_id), {
      status: 'rejected',
      reason: 'Not now',
      user_message: 'Ask Bo',
      comments: [{ path: 'b.txt', line: 1, text: 'Which?' }],
      rejected_by: { via: 'hub', token: { name: 'Ada' } }
    })
    t.match(await answered(rejected.body.decision_id), { state: 'applied' })

    const third = await wait('touch c.txt')
    const both = await Promise.all([hub.request('POST', '/approve', third), hub.request('POST', '/reject', third)])
    t.same(both.map(({ status }) => status).sort(), [202, 409], 'the first decision wins')
    await ended(third.tool_call_id)

    const strict = await wait('rm -rf /tmp/none')
    t.equal((await server.get(`/calls/${strict.tool_call_id}`)).approval.level, 'strict')
    const unconfirmed = await hub.request('POST', '/approve', strict)
    t.match(await answered(unconfirmed.body.decision_id), { state: 'refused', refusal: /confirm/ })
    const confirmed = await hub.request('POST', '/approve', { ...strict, confirm: true })
    await ended(strict.tool_call_id)
    t.match(await answered(confirmed.body.decision_id), { state: 'applied' })

    const local = await wait('touch d.txt')
    await server.post('/reject', { tool_call_id: local.tool_call_id })
    const late = await hub.request('POST', '/approve', local)
    t.ok(
      late.status === 409 || (await answered(late.body.decision_id)).state === 'refused',
      'a local decision came first'
    )
    t.equal((await server.get(`/calls/${local.tool_call_id}`)).status, 'rejected')

    const other = await enroll(hub, 'bystander')
    t.equal((await hub.request('GET', '/uplink/decisions', undefined, PERSON_TOKEN)).status, 403)
    t.equal((await hub.request('POST', '/approve', local, other.token)).status, 403)
    const foreign = await hub.request('POST', `/uplink/decisions/${decision_id}/refusal`, { reason: 'x' }, other.token)
    t.equal(foreign.status, 204)
    t.match(await hub.get(`/decisions/${decision_id}`), { state: 'applied' }, 'of another server: no effect')
    t.equal((await hub.request('POST', '/approve', { ...local, tool_call_id: 'tc_none' })).status, 404)
    t.equal((await hub.request('GET', '/decisions/999999')).status, 404)
  })

  await t.test('a preview that is cut is approved at its server alone', async t => {
    const { token, server_id } = await enroll(hub, 'cut')
    const digest = 'a'.repeat(64)
    const approval = { digest, preview: { title: 'rm', cut: true } }
    const call = event(1, { tool_call_id: 'tc_7', tool: 'run', requires_approval: true, approval }, 'tool.call')
    await send(token, batch([call], { journal_id: '333333333333' }))
    const decision = { server_id, tool_call_id: 'tc_7', digest }
    t.match(await hub.request('POST', '/approve', decision), {
      status: 400,
      body: { detail: /approve the call at that server/i }
    })
    t.match(await hub.request('POST', '/reject', decision), { status: 202 })
  })

  await t.test('content that a server removes is gone from the hub', async t => {
    const { token, server_id } = await enroll(hub, 'cleaner')
    const own = { journal_id: '222222222222' }
    const of = { tool_call_id: 'tc_9', session_id: 's' }
    const call = event(
      1,
      { ...of, tool: 'run', params: { text: 'SECRET' }, approval: { preview: { title: 'SECRET' } } },
      'tool.call'
    )
    const result = event(2, { ...of, status: 'success', result: { content: 'SECRET' } }, 'tool.result')
    await send(token, batch([call, result], own))
    t.match((await hub.get(`/calls?server_id=${server_id}`)).calls, [{ title: 'SECRET', status: 'success' }])
    await send(token, batch([event(3, { ...of, reason: 'purged' }, 'tool.content_removed')], own))
    const { calls } = await hub.get(`/calls?server_id=${server_id}`)
    t.match(calls, [{ title: null, tool: 'run', status: 'success' }])
    const whole = await hub.get(`/servers/${server_id}/calls/tc_9`)
    t.notMatch(JSON.stringify(whole), /SECRET/)
    t.match(whole.events, [
      { seq: 1, content_removed: true },
      { seq: 2, content_removed: true },
      { seq: 3, reason: 'purged' }
    ])
  })

  await t.test('calls are found by a part of their title', async t => {
    const { token, server_id } = await enroll(hub, 'titled')
    const titles = ['Run npm test', 'Delete 100% of C:\\temp', 'Edit a_b.ts', 'Edit axb.ts', 'Grüße']
    const calls = titles.map((title, i) =>
      event(i + 1, { tool_call_id: `tc_${i}`, tool: 'run', approval: { preview: { title } } }, 'tool.call')
    )
    await send(token, batch(calls, { journal_id: '777777777777' }))
    const found = async (text: string) => {
      const { calls } = await hub.get(`/calls?server_id=${server_id}&text=${encodeURIComponent(text)}`)
      return calls.map(({ title }: Json) => title).toReversed()
    }
    const searches: [string, string[]][] = [
      ['NPM', ['Run npm test']],
      ['0% of c:\\t', ['Delete 100% of C:\\temp']],
      ['a_b', ['Edit a_b.ts']],
      ['%', ['Delete 100% of C:\\temp']],
      ['grüß', ['Grüße']],
      ['none', []]
    ]
    for (const [text, expected] of searches) t.same(await found(text), expected, text)
  })

  await t.test('calls are found by the person who decided, at the hub or at the server', async t => {
    const server = await startServer(t, hub, 'decided')
    const calls = []
    for (const file of ['a', 'b', 'c']) calls.push(await server.call('shell_exec', { command: `touch ${file}.txt` }))
    await server.call('list_directory', { path: '.' })
    await caughtUp(server)
    const [atServer, atHub, rejected] = calls as [Json, Json, Json]
    const { tool_call_id, approval } = atHub
    const { body } = await hub.request('POST', '/approve', {
      server_id: server.server_id,
      tool_call_id,
      digest: approval.digest
    })
    await answeredDecision(hub, body.decision_id)
    await server.post('/approve', { tool_call_id: atServer.tool_call_id, digest: atServer.approval.digest })
    await server.post('/reject', { tool_call_id: rejected.tool_call_id, reason: 'no' })
    for (const call of calls) await endedCall(server, call.tool_call_id)
    await caughtUp(server)
    const found = async (name: string): Promise<Json[]> =>
      (await hub.get(`/calls?server_id=${server.server_id}&decided_by=${encodeURIComponent(name)}`)).calls
    t.match(await found('aDA'), [{ tool_call_id, decided_by: 'Ada', status: 'success' }])
    t.equal((await found('Ada')).length, 1)
    const { approved_by } = await server.get(`/calls/${atServer.tool_call_id}`)
    t.match(
      await found(formatDecider(approved_by)),
      [
        { tool_call_id: rejected.tool_call_id, status: 'rejected' },
        { tool_call_id: atServer.tool_call_id, status: 'success' }
      ],
      'as clients of the server show it'
    )
    t.same(await found('%'), [], 'the call that no one decided is not found')
    const { token } = await enroll(hub, 'odd decider')
    const long = { source: 'user', token: { name: 'x\0'.repeat(5_000) }, client: 7 }
    const odd = [
      event(1, { tool_call_id: 'tc_1', tool: 'run' }, 'tool.call'),
      event(2, { tool_call_id: 'tc_1', decision: 'approved', by: long }, 'tool.decision'),
      event(3, { tool_call_id: 'tc_1', decision: 'approved', by: { source: 'rule', client: 'r' } }, 'tool.decision')
    ]
    t.same((await send(token, batch(odd, { journal_id: 'abababababab' }))).body, { stored: 3 })
    const [oddCall] = (await hub.get('/calls?decided_by=x%EF%BF%BDx')).calls
    t.equal(oddCall.decided_by.length, 256)
  })

  await t.test('a batch leaves of a call what its events leave one after the other', async t => {
    const make = {
      asks: {
        type: 'tool.call',
        tool: 'run',
        requires_approval: true,
        approval: { digest: 'd', preview: { title: 'T' } }
      },
      'asks again': { type: 'tool.call', tool: 'run', requires_approval: true, approval: { digest: 'e' } },
      runs: { type: 'tool.call', tool: 'run', agent: 'a', approval: { preview: { title: 'T' } } },
      approved: { type: 'tool.decision', decision: 'approved' },
      rejected: { type: 'tool.decision', decision: 'rejected', by: { source: 'user', token: { name: 'Eve' } } },
      'approved by Ada': {
        type: 'tool.decision',
        decision: 'approved',
        by: { source: 'user', token: { name: 'Ada' } }
      },
      ends: { type: 'tool.result', status: 'success' },
      removed: { type: 'tool.content_removed' }
    }
    const lives: (keyof typeof make)[][] = [
      ['asks'],
      ['runs', 'ends'],
      ['asks', 'approved'],
      ['asks', 'approved', 'ends'],
      ['asks', 'rejected', 'ends'],
      ['asks', 'approved', 'asks again'],
      ['asks', 'asks again', 'approved', 'ends'],
      ['asks', 'ends', 'approved'],
      ['runs', 'ends', 'removed'],
      ['asks', 'removed', 'approved'],
      ['asks', 'approved by Ada', 'ends'],
      ['asks', 'approved by Ada', 'asks again', 'rejected', 'ends']
    ]
    // All lives at once, one event of each in turn, in batches that are cut at each place.
    const turns = Math.max(...lives.map(({ length }) => length))
    const events = Array.from({ length: turns }, (_, turn) =>
      lives.flatMap((life, i) => (life[turn] === undefined ? [] : [{ tool_call_id: `tc_${i}`, ...make[life[turn]] }]))
    )
      .flat()
      .map(({ type, ...more }, i) => event(i + 1, more, type))
    const callsAfter = async (name: string, journal_id: string, batches: object[][]) => {
      const { token, server_id } = await enroll(hub, name)
      for (const part of batches) t.equal((await send(token, batch(part, { journal_id }))).status, 200)
      const { calls } = await hub.get(`/calls?server_id=${server_id}`)
      const whole = await Promise.all(
        calls.map(
          async ({ tool_call_id }: Json) => (await hub.get(`/servers/${server_id}/calls/${tool_call_id}`)).events
        )
      )
      return {
        calls: calls.map(({ n: _n, server_id: _s, server_name: _m, journal_id: _j, ...rest }: Json) => rest),
        whole
      }
    }
    const oneByOne = await callsAfter(
      'slow',
      '333333333300',
      events.map(each => [each])
    )
    t.equal(oneByOne.calls.length, lives.length)
    for (let cut = 1; cut <= events.length; cut += 1) {
      const parts = [events.slice(0, cut), events.slice(cut)].filter(({ length }) => length > 0)
      const journal = `4444444444${String(cut).padStart(2, '0')}`
      t.same(await callsAfter(`cut ${cut}`, journal, parts), oneByOne, `cut after ${cut}`)
    }
  })

  await t.test('a token does what it is for, and nothing else', async t => {
    const [one, other] = [await enroll(hub, 'one'), await enroll(hub, 'other')]
    const own = { journal_id: '111111111111' }
    t.equal((await send(one.token, batch([event(1)], own))).status, 200)
    t.match(await send(other.token, batch([event(2)], own)), { status: 403 }, "another server's journal")
    t.equal((await hub.request('GET', '/uplink/journals/111111111111', undefined, other.token)).status, 403)
    for (const target of ['/servers', '/calls', '/approvals', '/events', `/servers/${one.server_id}/calls/tc_1`])
      t.equal((await hub.request('GET', target, undefined, one.token)).status, 403, target)
    t.equal((await hub.request('POST', '/enrolments', {}, one.token)).status, 403)
    t.equal((await send(PERSON_TOKEN, batch([]))).status, 403, 'people send no events')
    t.equal((await hub.request('GET', '/servers', undefined, 'a-guess')).status, 401)
    const { code } = (await hub.request('POST', '/enrolments', {})).body
    const facts = { facts: { host: 'h', version: '1', roots: [] } }
    t.equal((await hub.request('GET', '/servers', undefined, code)).status, 403)
    t.equal((await hub.request('POST', '/uplink/servers', facts, code)).status, 201)
    t.match(await hub.request('POST', '/uplink/servers', facts, code), { status: 401 }, 'a code is used once')
    const codes = (await hub.request('POST', '/enrolments', {})).body
    const tries = await Promise.all(
      Array.from({ length: 5 }, () => hub.request('POST', '/uplink/servers', facts, codes.code))
    )
    t.equal(tries.filter(({ status }) => status === 201).length, 1, 'also at the same time')
    t.equal((await hub.request('DELETE', `/servers/${one.server_id}`)).status, 204)
    t.equal((await send(one.token, batch([event(2)], own))).status, 401, 'a revoked token')
    t.match(
      (await hub.get('/servers')).servers.find(({ server_id }: Json) => server_id === one.server_id),
      { state: 'revoked' }
    )
    t.equal((await hub.request('DELETE', '/servers/sv_none')).status, 404)
  })
}
