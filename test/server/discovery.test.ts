// tier: quick
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import t from 'tap'
import {
  type DiscoveryRecord,
  publishDiscovery,
  readDiscoveries,
  removeStale,
  runFolders
} from '../../src/server/discovery.ts'
import { needs } from '../support/needs.ts'
import { makeTestFolder } from '../support/test-folder.ts'

const record = (more: Partial<DiscoveryRecord> = {}): DiscoveryRecord => ({
  schema: 1,
  instance: 'A1',
  pid: process.pid,
  host: hostname(),
  url: 'http://127.0.0.1:1',
  socket: null,
  token: 'full',
  call_token: 'call',
  roots: ['/work'],
  version: '1',
  protocol: 1,
  started_at: '2030-01-01T00:00:00.000Z',
  ...more
})

t.test('finds the discovery files', async t => {
  t.same(runFolders({ HOME: '/h' }), ['/h/.local/state/toolgate/run'])
  t.same(runFolders({ HOME: '/h', XDG_STATE_HOME: '/s' }), ['/s/toolgate/run', '/h/.local/state/toolgate/run'])
  t.same(runFolders({ HOME: '/h', XDG_STATE_HOME: 'relative' }), ['/h/.local/state/toolgate/run'])
  t.same(runFolders({ HOME: '/h', TOOLGATE_RUN_DIR: '/r' }), ['/r', '/h/.local/state/toolgate/run'])
})

t.test('publishes privately, also in the usual place, and removes', async t => {
  const home = makeTestFolder(t)
  const env = { HOME: home, TOOLGATE_RUN_DIR: path.join(home, 'run') }
  const published = publishDiscovery(env, () => record())
  t.equal(published.file, path.join(home, 'run/A1.json'))
  t.equal(statSync(published.file).mode & 0o777, 0o600)
  t.equal(statSync(path.dirname(published.file)).mode & 0o777, 0o700)
  t.same(readdirSync(path.dirname(published.file)), ['A1.json'], 'nothing else is left there')
  t.match(readFileSync(published.file, 'utf8'), /^ {2}"token": "full",$/m, 'one field a line')
  t.same(readDiscoveries(env), [{ file: published.file, record: record() }])
  t.same(readDiscoveries({ HOME: home })[0]?.record, record(), 'found without the variable')
  published.remove()
  t.same(readDiscoveries(env), [])
})

t.test('ignores untrustworthy files', async t => {
  const home = makeTestFolder(t)
  const folder = path.join(home, '.local/state/toolgate/run')
  const env = { HOME: home }
  const older = publishDiscovery(env, () => record())
  const newer = publishDiscovery(env, () => record({ instance: 'B2', started_at: '2031-01-01T00:00:00.000Z' }))
  t.teardown(() => [older.remove(), newer.remove()])
  writeFileSync(path.join(folder, 'half.json'), '{"schema":1,', { mode: 0o600 })
  writeFileSync(path.join(folder, 'other.json'), JSON.stringify({ ...record(), schema: 2 }), { mode: 0o600 })
  writeFileSync(path.join(folder, 'open.json'), JSON.stringify(record({ instance: 'C3' })), { mode: 0o644 })
  t.same(
    readDiscoveries(env).map(({ record }) => record.instance),
    ['B2', 'A1'],
    'newest first'
  )
})

t.test('rejects a folder that stays open to others', needs('root'), async t => {
  t.throws(() => publishDiscovery({ HOME: '/proc/self', TOOLGATE_RUN_DIR: '/proc/self/fd' }, () => record()))
})

t.test('removes a file only if its process on this machine has ended', async t => {
  const home = makeTestFolder(t)
  const env = { HOME: home }
  const cases: [string, Partial<DiscoveryRecord>, boolean][] = [
    ['it runs', {}, true],
    ['other machine', { host: 'elsewhere', pid: 2 ** 22 + 1 }, true],
    ['gone', { pid: 2 ** 22 + 1 }, false]
  ]
  for (const [name, more, stays] of cases) {
    const { file, remove } = publishDiscovery(env, () => record(more))
    removeStale({ file, record: record(more) })
    t.equal(existsSync(file), stays, name)
    remove()
  }
})

t.test('restricts a folder created too open', async t => {
  const home = makeTestFolder(t, { run: {} })
  chmodSync(path.join(home, 'run'), 0o777)
  publishDiscovery({ HOME: home, TOOLGATE_RUN_DIR: path.join(home, 'run') }, () => record()).remove()
  t.equal(statSync(path.join(home, 'run')).mode & 0o777, 0o700)
})
