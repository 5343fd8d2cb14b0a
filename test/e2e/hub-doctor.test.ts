// toolgate doctor looks at a hub, at its database, and at the connection of a server to it.
// tier: e2e
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import t from 'tap'
import { LOCKS } from '../../src/hub/database/migrations.ts'
import { PostgresDatabase } from '../../src/hub/database/postgres.ts'
import { createProject, UNSANDBOXED } from '../cli/toolgate.ts'
import type { Json } from '../start-app.ts'
import { needs } from '../support/needs.ts'
import { startPostgres } from '../support/postgres.ts'
import { waitUntil, within } from '../support/wait.ts'

t.test('what a hub and its database lack is said with what helps', needs('postgres'), async t => {
  const postgres = await startPostgres(t)
  const database = postgres.createDatabase()
  const { start, program, project, serveIn } = createProject(t, { token: 'a-token-of-an-account' })
  const doctor = async (...args: string[]) => {
    const { stdout, code } = await program(['doctor', '--json', ...args], { env: UNSANDBOXED })
    const found = new Map((JSON.parse(stdout) as Json[]).map(one => [one.check, one]))
    return { code, of: (check: string) => found.get(check) }
  }
  const empty = await doctor('--database', database)
  t.match(empty.of('database'), { state: 'ok', found: /^PostgreSQL \d+\.\d+, \d+ MiB$/ })
  t.match(empty.of('database tables'), { state: 'warn', found: 'none yet' })
  t.match(empty.of('database disk'), { state: 'ok' })
  t.equal(empty.code, 0)

  const token = path.join(project, 'token')
  const hub = start(['hub', '--port', '0', '--json', '--database', database, '--token-file', token])
  const [line] = await within('the hub to listen', once(createInterface({ input: hub.stdout }), 'line'))
  const { url } = JSON.parse(String(line))
  const well = await doctor('--hub', url, '--database', database)
  for (const check of [
    'hub',
    'hub clock',
    'database',
    'database tables',
    'database lock',
    'database clock',
    'database disk'
  ])
    t.match(well.of(check), { state: 'ok' }, check)

  const client = await PostgresDatabase.open(database)
  t.teardown(() => client.close())
  await client.query('UPDATE hub_version SET version = version + 1')
  t.match((await doctor('--database', database)).of('database tables'), {
    state: 'fail',
    found: /this version of Toolgate supports/
  })
  await client.query('UPDATE hub_version SET version = 1')
  t.match((await doctor('--database', database)).of('database tables'), { state: 'warn', found: /^version 1 of/ })
  await client.query('SELECT pg_advisory_lock($1)', [LOCKS.ingest])
  t.match((await doctor('--database', database)).of('database lock'), { state: 'ok' }, 'held for a moment')

  const { stdout } = await program(['hub', 'enroll', '--hub', url, '--token-file', token, '--json'])
  const { code } = JSON.parse(stdout)
  const server = await serveIn(UNSANDBOXED, '--hub', url, '--hub-code', code)
  await waitUntil('the server is connected', async () => {
    const { state, found } = (await doctor()).of('hub')
    return state === 'ok' && /all events delivered|\d+ events not delivered yet/.test(found)
  })
  await postgres.kill()
  t.match((await doctor('--hub', url)).of('hub'), { state: 'fail', found: /returned status 503/ })
  t.match((await doctor('--database', database)).of('database'), { state: 'fail', cure: /PGPASSWORD/ })
  server.process.kill('SIGTERM')
  await within('the server to stop', server.ended)
  // A hub whose clock is 90 s behind, and another program.
  const other = createServer((request, response) => {
    const isHub = request.headers.host?.startsWith('localhost')
    response.setHeader('date', new Date(Date.now() - 90_000).toUTCString())
    response.end(isHub ? JSON.stringify({ status: 'ok', hub: { sign_in: ['token'] } }) : '<html>')
  }).listen(0, '127.0.0.1')
  t.teardown(() => other.close())
  await within('the other program to listen', once(other, 'listening'))
  const { port } = other.address() as AddressInfo
  t.match((await doctor('--hub', `http://localhost:${port}`)).of('hub clock'), {
    state: 'warn',
    found: /^(?:89|90|91) s behind this machine$/
  })
  for (const [address, found] of [
    [`postgres://toolgate@127.0.0.1:1/none`, /^connect ECONNREFUSED 127\.0\.0\.1:1$/],
    ['nonsense', /must begin with postgres:/]
  ] as const)
    t.match((await doctor('--database', address)).of('database'), { state: 'fail', found })
  for (const [address, found] of [
    [`http://127.0.0.1:${port}`, /is not a hub/],
    ['http://hub.example.com', /requires https/],
    ['http://127.0.0.1:65533', /ECONNREFUSED/]
  ] as const) {
    const lacking = await doctor('--hub', address)
    t.match(lacking.of('hub'), { state: 'fail', found })
    t.equal(lacking.code, 1)
  }
})
