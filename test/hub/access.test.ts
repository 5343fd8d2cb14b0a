// Tokens at the hub while another process of it changes them.
// tier: full
import t from 'tap'
import { CHANNELS, type Database } from '../../src/hub/database/database.ts'
import { waitUntil } from '../support/wait.ts'
import { openEmbedded } from './embedded-database.ts'
import { enroll, startHub } from './start-hub.ts'

t.test('a server that is enrolled while tokens are read again is known at once', async t => {
  const database = await openEmbedded()
  let notify = () => {}
  const { promise: goesOn, resolve: goOn } = Promise.withResolvers<void>()
  let state: 'passing' | 'holding' | 'held' = 'passing'
  const slow: Database = {
    query: async (text, values) => {
      if (state === 'holding' && /^SELECT code_hash/.test(text)) {
        state = 'held'
        await goesOn
      }
      return database.query(text, values)
    },
    transaction: work => database.transaction(work),
    listen: async (channel, listener) => {
      await database.listen(channel, listener)
      if (channel === CHANNELS.access) notify = () => listener('')
    },
    close: () => database.close()
  }
  const hub = await startHub(t, slow)
  state = 'holding'
  notify()
  await waitUntil('the servers are read, and the codes are not', () => (state as string) === 'held')
  const { token } = await enroll(hub, 'new')
  const position = () => hub.request('GET', '/uplink/journals/0123456789ab', undefined, token)
  t.equal((await position()).status, 200)
  goOn()
  for (let i = 0; i < 20; i += 1) t.equal((await position()).status, 200, 'also when the earlier read ends')
})

t.test('a code that another process has made is known before its notification comes', async t => {
  const database = await openEmbedded()
  const shared: Database = {
    query: (text, values) => database.query(text, values),
    transaction: work => database.transaction(work),
    listen: async () => {},
    close: async () => {}
  }
  const first = await startHub(t, shared)
  const second = await startHub(t, shared)
  t.teardown(() => database.close())
  const { code } = (await first.request('POST', '/enrolments', {})).body
  const facts = { facts: { host: 'h', version: '1', roots: [] } }
  const enrolled = await second.request('POST', '/uplink/servers', facts, code)
  t.equal(enrolled.status, 201)
  t.equal((await second.request('GET', '/servers', undefined, 'a-guess')).status, 401)
})
