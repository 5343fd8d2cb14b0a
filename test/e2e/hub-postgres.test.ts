// The hub on PostgreSQL: what it does on any database, two hubs on one, and the loss of a hub or of the database.
// tier: e2e
import t from 'tap'
import { listCalls } from '../../src/hub/archive.ts'
import { LOCKS } from '../../src/hub/database/migrations.ts'
import { PostgresDatabase } from '../../src/hub/database/postgres.ts'
import { hubApproverSuite } from '../hub/hub-approver-suite.ts'
import { hubCancelsSuite } from '../hub/hub-cancels-suite.ts'
import { hubRetentionSuite } from '../hub/hub-retention-suite.ts'
import { hubRulesSuite } from '../hub/hub-rules-suite.ts'
import { hubSuite } from '../hub/hub-suite.ts'
import { hubWaitingSuite } from '../hub/hub-waiting-suite.ts'
import { caughtUp, enroll, eventsOf, startHub, startServer } from '../hub/start-hub.ts'
import { needs } from '../support/needs.ts'
import { startPostgres } from '../support/postgres.ts'
import { waitUntil } from '../support/wait.ts'

t.test('as on any database', needs('postgres'), async t => {
  const { createDatabase } = await startPostgres(t)
  const open = () => PostgresDatabase.open(createDatabase())
  await hubSuite(t, open)
  await hubRulesSuite(t, open)
  await hubApproverSuite(t, open)
  await hubCancelsSuite(t, open)
  await hubWaitingSuite(t, open)
  await hubRetentionSuite(t, open)
})

t.test('nothing is lost or doubled when a hub, or the database, is killed', needs('postgres'), async t => {
  const postgres = await startPostgres(t)
  const url = postgres.createDatabase()
  const first = await startHub(t, await PostgresDatabase.open(url))
  const second = await startHub(t, await PostgresDatabase.open(url))
  const server = await startServer(t, first, 'worker')
  const reads = []
  for (let round = 0; round < 12; round += 1) {
    server.write('a.txt', `${round}\n`)
    if (round === 3) await postgres.kill()
    reads.push(await server.call('read_file', { path: 'a.txt' }))
    if (round === 5) await postgres.start()
    if (round === 8) await second.close()
  }
  t.ok(
    reads.every(({ status }) => status === 'success'),
    'calls never wait for the hub'
  )
  await caughtUp(server)
  const { head } = await server.get('/state')
  const third = await startHub(t, await PostgresDatabase.open(url))
  const events = await eventsOf(third, server.server_id, head)
  t.same(
    events.map(({ seq }) => seq),
    Array.from({ length: head }, (_, i) => i + 1),
    'each once, in order'
  )
  const results = events.filter(({ type }) => type === 'tool.result')
  t.same(
    results.map(({ tool_call_id }) => tool_call_id),
    reads.map(({ tool_call_id }) => tool_call_id)
  )
})

t.test('hubs that start at the same time bring the tables up to date once', needs('postgres'), async t => {
  const { createDatabase } = await startPostgres(t)
  const url = createDatabase()
  const hubs = await Promise.all(Array.from({ length: 4 }, async () => startHub(t, await PostgresDatabase.open(url))))
  for (const hub of hubs) t.same(await hub.get('/servers'), { servers: [] })
  const server = await startServer(t, hubs[0]!, 'one')
  await server.call('list_directory', { path: '.' })
  await caughtUp(server)
  for (const hub of hubs) t.match(await hub.get('/servers'), { servers: [{ name: 'one' }] })
})

t.test('a decision at one hub reaches a server that is connected to another', needs('postgres'), async t => {
  const postgres = await startPostgres(t)
  const url = postgres.createDatabase()
  const first = await startHub(t, await PostgresDatabase.open(url))
  const second = await startHub(t, await PostgresDatabase.open(url))
  const server = await startServer(t, first, 'far')
  const { tool_call_id, approval } = await server.call('shell_exec', { command: 'touch none.txt' })
  await caughtUp(server)
  const decision = { server_id: server.server_id, tool_call_id, digest: approval.digest }
  await postgres.kill()
  t.match(await second.request('POST', '/approve', decision), { status: 503 }, 'the database is away')
  await postgres.start()
  const sent = await waitUntil('the decision is taken', async () => {
    const { status, body } = await second.request('POST', '/approve', decision)
    return status === 202 && body
  })
  const call = await waitUntil('the call has ended', async () => {
    const now = await server.get(`/calls/${tool_call_id}?wait_ms=1000`)
    return now.finished_at && now
  })
  t.match(call.approved_by, { via: 'hub', decision_id: sent.decision_id })
  await waitUntil('the hub knows', async () => (await first.get(`/decisions/${sent.decision_id}`)).state === 'applied')
})

t.test('a part of a title is found by an index', needs('postgres'), async t => {
  const { createDatabase } = await startPostgres(t)
  const url = createDatabase()
  await startHub(t, await PostgresDatabase.open(url))
  const database = await PostgresDatabase.open(url)
  t.teardown(() => database.close())
  await database.query(
    `INSERT INTO servers (server_id, name, token_hash, enrolled_by, facts) VALUES ('s', 's', 'h', 'a', '{}')`
  )
  await database.query(`INSERT INTO journals (journal_id, server_id) VALUES ('j', 's')`)
  await database.query(
    `INSERT INTO calls (journal_id, tool_call_id, tool, status, title, created_at, call_seq)
     SELECT 'j', n::text, 'run', 'success', 'Run ' || md5(n::text), now(), n FROM generate_series(1, 20000) n`
  )
  await database.query('VACUUM ANALYZE calls')
  // As the hub asks, whose statement is kept here as it is sent.
  let asked = { text: '', values: [] as readonly unknown[] }
  const spy = {
    query: async <R extends object>(text: string, values: readonly unknown[] = []): Promise<R[]> => {
      asked = { text, values }
      return database.query<R>(text, values)
    }
  }
  const [row] = await listCalls(spy, { text: 'c4ca4238a0b9', limit: 100 })
  t.match(row, { title: 'Run c4ca4238a0b923820dcc509a6f75849b' })
  const plan = await database.query(`EXPLAIN ${asked.text}`, asked.values)
  t.match(JSON.stringify(plan), /calls_by_title/)
})

t.test('a request that takes too long for the database says so', needs('postgres'), async t => {
  const { createDatabase } = await startPostgres(t)
  const database = await PostgresDatabase.open(createDatabase())
  t.teardown(() => database.close())
  const slow = database.transaction(async db => {
    await db.query('SET LOCAL statement_timeout = 1')
    await db.query('SELECT pg_sleep(60)')
  })
  await t.rejects(slow, { code: 'OVERLOADED', message: /took too long/ })
})

t.test('a heartbeat waits for no writer', needs('postgres'), async t => {
  const { createDatabase } = await startPostgres(t)
  const url = createDatabase()
  const hub = await startHub(t, await PostgresDatabase.open(url))
  const { token } = await enroll(hub, 'idle')
  const writer = await PostgresDatabase.open(url)
  t.teardown(() => writer.close())
  await writer.transaction(async db => {
    await db.query('SELECT pg_advisory_xact_lock($1)', [LOCKS.ingest])
    const heartbeat = { journal_id: 'abcdefabcdef', head: 0, events: [] }
    t.same((await hub.request('POST', '/uplink/events', heartbeat, token)).body, { stored: 0 })
  })
  t.match(await hub.get('/servers'), { servers: [{ name: 'idle', state: 'connected', behind: 0 }] })
})
