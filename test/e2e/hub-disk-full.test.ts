// The disk of PostgreSQL is full: the hub says so, servers go on and send later, and nothing is lost.
// tier: e2e
import { appendFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t from 'tap'
import { PostgresDatabase } from '../../src/hub/database/postgres.ts'
import { caughtUp, eventsOf, startHub, startServer } from '../hub/start-hub.ts'
import { needs } from '../support/needs.ts'
import { startPostgres } from '../support/postgres.ts'
import { waitUntil } from '../support/wait.ts'

t.test('a full disk at PostgreSQL loses nothing', needs('postgres', 'mount'), async t => {
  let data = ''
  const postgres = await startPostgres(t, folder => {
    data = folder
    execaSync('mount', ['-t', 'tmpfs', '-o', 'size=160m,mode=700', 'tmpfs', folder])
    return () => execaSync('umount', ['-l', folder])
  })
  const url = postgres.createDatabase()
  const hub = await startHub(t, await PostgresDatabase.open(url))
  const server = await startServer(t, hub, 'writer')
  server.write('large.txt', 'one line\n'.repeat(20_000))
  const read = async () => (await server.call('read_file', { path: 'large.txt' })).status as string
  const statuses = [await read()]
  await caughtUp(server)

  const ballast = path.join(data, 'ballast')
  for (const bytes of [1_048_576, 8_192])
    try {
      for (;;) appendFileSync(ballast, Buffer.alloc(bytes))
    } catch (error) {
      t.match(error, { code: 'ENOSPC' })
    }
  const refused = await waitUntil('the hub takes no more', async () => {
    statuses.push(await read())
    const { hub: state } = await server.get('/capabilities')
    return state.state === 'unreachable' && state
  })
  t.match(refused, { reason: /503/ })
  for (let i = 0; i < 5; i += 1) statuses.push(await read())
  t.ok((await server.get('/capabilities')).hub.behind > 0, 'events wait at the server')

  rmSync(ballast)
  // PostgreSQL ends by itself if its log had no room.
  await postgres.kill()
  await postgres.start()
  await caughtUp(server)
  t.same([...new Set(statuses)], ['success'], 'calls never wait for the hub')
  const { head } = await server.get('/state')
  const events = await eventsOf(hub, server.server_id, head)
  t.same(
    events.map(({ seq }) => seq),
    Array.from({ length: head }, (_, i) => i + 1),
    'each once, in order'
  )
})
