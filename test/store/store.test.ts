// tier: full
import { spawn } from 'node:child_process'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { Store } from '../../src/store/store.ts'
import type { StoreWrite } from '../../src/store/store-schema.ts'
import { makeTestFolder } from '../support/test-folder.ts'
import { once } from '../support/wait.ts'

const WRITER = path.join(import.meta.dirname, 'store-writer.ts')

const newFile = (t: Test) => path.join(makeTestFolder(t), 'state', 'journal.db')
async function open(t: Test, file = newFile(t)) {
  const failures: Error[] = []
  const store = await Store.open(file, cause => failures.push(cause))
  t.teardown(() => store.close())
  return { file, store, failures }
}

const time = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString()
const event = (
  seq: number,
  { id = null as string | null, type = 'tool.call', data = `{"seq":${seq}}` } = {}
): StoreWrite => ['event', seq, time(seq), type, 's', 'default', id, data]
const call = (
  n: number,
  {
    status = 'success',
    paths = '',
    result = null as string | null,
    result_of = null as string | null,
    changes = undefined as object[] | undefined
  } = {}
): StoreWrite => [
  'call',
  `tc_${n}`,
  'a_tool',
  status,
  's',
  'default',
  time(n),
  paths,
  JSON.stringify({ n, status, changes }),
  result,
  result_of
]
const integrity = (file: string) => {
  const db = new DatabaseSync(file, { readOnly: true })
  const row = db.prepare('PRAGMA integrity_check').get()
  db.close()
  return row?.integrity_check
}

t.test('its files are open to this user alone, and those that exist are restricted', async t => {
  const mask = process.umask(0o022)
  t.teardown(() => process.umask(mask))
  const { file, store } = await open(t)
  const modes = () =>
    Object.fromEntries(
      ['.', 'journal.db', 'journal.db-wal', 'journal.db-shm'].map(name => {
        const { mode } = statSync(path.join(path.dirname(file), name))
        return [name, (mode & 0o777).toString(8)]
      })
    )
  const expected = { '.': '700', 'journal.db': '600', 'journal.db-wal': '600', 'journal.db-shm': '600' }
  await store.write(() => [event(1)])
  t.strictSame(modes(), expected)
  await store.close()
  chmodSync(path.dirname(file), 0o755)
  chmodSync(file, 0o644)
  for (const end of ['-wal', '-shm']) writeFileSync(file + end, '', { mode: 0o644 })
  const { store: again } = await open(t, file)
  t.strictSame(modes(), expected)
  t.equal(again.latestSeq(), 1)
})

t.test('a new store is empty, and is the same when reopened', async t => {
  const { file, store } = await open(t)
  t.strictSame(
    {
      head: store.latestSeq(),
      events: store.events(0, 10),
      log: await store.calls({ limit: 10 }),
      rules: store.rules()
    },
    { head: 0, events: [], log: { calls: [] }, rules: [] }
  )
  await store.write(() => [
    event(1),
    event(2, { id: 'tc_1' }),
    call(1),
    ['key', 'k', 'hash', 'tc_1', time(1)],
    ['rule', 'rule_1', '{"a":1}'],
    ['note', 'default', 's', 'todos', '[1]'],
    ['note', 'default', 's', 'todos', '[2]']
  ])
  await store.close()
  const { store: again } = await open(t, file)
  t.equal(again.latestSeq(), 2)
  t.equal(again.oldestSeq(), 1)
  t.strictSame(
    again.events(1, 10).map(row => ({ ...row })),
    [
      {
        seq: 2,
        type: 'tool.call',
        session_id: 's',
        workspace: 'default',
        tool_call_id: 'tc_1',
        data: '{"seq":2}',
        result: null
      }
    ]
  )
  t.match(again.call('tc_1'), { n: 1, tool_call_id: 'tc_1', head: '{"n":1,"status":"success"}', result: null })
  t.match(again.key('k'), { body_hash: 'hash', tool_call_id: 'tc_1' })
  t.strictSame(again.rules(), ['{"a":1}'])
  t.equal(again.note('default', 's', 'todos'), '[2]')
  t.equal(again.note('default', 'other', 'todos'), undefined)
  t.equal(integrity(file), 'ok')
})

t.test('rejects a store of a newer version, unchanged', async t => {
  const { file, store } = await open(t)
  await store.write(() => [event(1)])
  await store.close()
  const db = new DatabaseSync(file)
  db.exec('PRAGMA user_version = 99')
  db.close()
  const before = readFileSync(file)
  await t.rejects(Store.open(file), {
    message: /journal\.db: the journal has format 99, but this version supports only up to \d+/
  })
  t.ok(readFileSync(file).equals(before))
})

t.test('rejects a file that is no store', async t => {
  const file = path.join(
    makeTestFolder(t, { 'journal.db': 'This is no database, but it is long enough to be read as one.' }),
    'journal.db'
  )
  await t.rejects(Store.open(file), { message: /^cannot open the journal .*journal\.db: / })
})

t.test('batches writes, serializes them at commit, and makes them durable together', async t => {
  const { store } = await open(t)
  let value = 'early'
  const made: string[] = []
  const writes = Array.from({ length: 50 }, (_, n) =>
    store.write(() => {
      made.push(value)
      return [event(n + 1)]
    })
  )
  value = 'late'
  t.equal(store.latestSeq(), 0, 'nothing is there before it is durable')
  await writes[49]
  t.equal(store.latestSeq(), 50)
  t.strictSame([...new Set(made)], ['late'])
  const [one, two] = [store.write(() => [event(51)]), store.write(() => [event(52)])]
  await store.flushed()
  t.equal(store.latestSeq(), 52)
  await Promise.all([one, two])
})

t.test('a call is one row for any number of writes, and may share its answer', async t => {
  const { store } = await open(t)
  await store.write(() => [
    call(1, { status: 'running', paths: '\na.txt\n' }),
    call(2, { status: 'awaiting_approval' })
  ])
  t.strictSame(
    store.openCalls().map(({ tool_call_id }) => tool_call_id),
    ['tc_1', 'tc_2']
  )
  await store.write(() => [
    call(1, { result: '"the answer"', paths: '\na.txt\nb.txt\n' }),
    call(3, { result_of: 'tc_1' }),
    event(1, { id: 'tc_3', type: 'tool.result' }),
    event(2, { id: 'tc_1', type: 'tool.result' })
  ])
  t.strictSame(
    (await store.calls({ limit: 10 })).calls.map(({ n, tool_call_id, result }) => [n, tool_call_id, result]),
    [
      [3, 'tc_3', '"the answer"'],
      [2, 'tc_2', null],
      [1, 'tc_1', '"the answer"']
    ]
  )
  t.strictSame(
    store.events(0, 10).map(({ result }) => result),
    ['"the answer"', '"the answer"']
  )
  const ids = async (query: object) => (await store.calls({ limit: 10, ...query })).calls.map(row => row.n)
  t.strictSame(await ids({ status: 'success' }), [3, 1])
  t.strictSame(await ids({ path: 'b.txt' }), [1])
  t.strictSame(await ids({ path: '.txt' }), [])
  t.strictSame(await ids({ since: time(2) }), [3, 2])
  t.strictSame(await ids({ until: time(2) }), [1])
  t.strictSame(await ids({ before: 3 }), [2, 1])
  t.strictSame(await ids({ session_id: 'x' }), [])
  t.strictSame(await ids({ limit: 1 }), [3])
  await store.write(() => [call(1, { status: 'interrupted' })])
  t.strictSame(await ids({ path: 'b.txt' }), [1], 'the paths it touched stay known when they are not told again')
  await store.write(() => [call(1, { paths: '\nc.txt\n' })])
  t.strictSame([await ids({ path: 'b.txt' }), await ids({ path: 'c.txt' })], [[], [1]])
})

t.test('deletes progress on demand', async t => {
  const { store } = await open(t)
  await store.write(() => [
    event(1, { id: 'tc_1', type: 'tool.progress' }),
    event(2, { id: 'tc_2', type: 'tool.progress' }),
    event(3, { id: 'tc_1', type: 'tool.result' }),
    ['forgetProgress', 'tc_1']
  ])
  t.strictSame(
    store.events(0, 10).map(({ seq }) => seq),
    [2, 3]
  )
  t.strictSame(
    store.eventsOfCall('tc_1', 0, 10).map(({ seq }) => seq),
    [3]
  )
})

t.test('a failed write stops all later ones, and is reported once', async t => {
  const { store, failures, file } = await open(t)
  await store.write(() => [event(1)])
  const first = store.write(() => [event(2), event(1)])
  const second = store.write(() => [event(3)])
  const unwritable = { code: 'OVERLOADED', message: /cannot write its journal/ }
  await t.rejects(first, unwritable)
  await t.rejects(second, unwritable)
  await t.rejects(
    store.write(() => [event(4)]),
    unwritable
  )
  t.match(store.failure, { message: /UNIQUE/ })
  t.equal(failures.length, 1)
  t.equal(store.latestSeq(), 1, 'the batch is undone whole')
  t.equal(await store.retain({ before: border(99), max_bytes: 1 }), 0)
  await store.close()
  const { store: again } = await open(t, file)
  await again.write(() => [event(2)])
  t.equal(again.latestSeq(), 2)
})

t.test('closing is idempotent', async t => {
  const { store } = await open(t)
  await store.write(() => [event(1)])
  await Promise.all([store.close(), store.close()])
  await store.close()
})

t.test('stores are written beside and after each other', async t => {
  const files = ['a', 'b', 'c', 'd'].map(name => path.join(makeTestFolder(t), name, 'journal.db'))
  const [a, b] = await Promise.all(files.slice(0, 2).map(file => open(t, file)))
  await Promise.all([a!.store.write(() => [event(1)]), b!.store.write(() => [event(2)])])
  await Promise.all([a!.store.close(), b!.store.close()])
  const [c, d] = await Promise.all(files.slice(2).map(file => open(t, file)))
  await Promise.all([c!.store.write(() => [event(3)]), d!.store.write(() => [event(4)])])
  await Promise.all([c!.store.close(), d!.store.close()])
  for (const [n, file] of files.entries()) {
    const { store } = await open(t, file)
    t.strictSame(
      store.events(0, 10).map(({ seq }) => seq),
      [n + 1],
      file
    )
  }
})

/** Starts a writer and collects the events it reports as durable. */
function startWriter(file: string, size: number, limit_kb?: number) {
  const limit = limit_kb === undefined ? '' : `ulimit -f ${limit_kb}; `
  // The instrumentation of test processes would end this one at the signal that comes with the limit.
  const command = `${limit}unset NODE_OPTIONS; exec "$0" "$@"`
  const child = spawn('bash', ['-c', command, process.execPath, WRITER, file, String(size)], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const lines: string[] = []
  const reading = createInterface(child.stdout)
  reading.on('line', line => lines.push(line))
  return { child, lines, reading, ended: Promise.all([once(reading, 'close'), once(child, 'exit')]) }
}

t.test('killed at any moment, loses no acknowledged write', async t => {
  const file = newFile(t)
  const rounds = 30
  let seen = 0
  for (let round = 0; round < rounds; round += 1) {
    const { child, lines, reading, ended } = startWriter(file, round * 37)
    const enough = 1 + ((round * 13) % 60)
    while (lines.length < enough) await once(reading, 'line')
    child.kill('SIGKILL')
    await ended
    const last = Math.max(...lines.map(Number))
    const store = await Store.open(file)
    const stored = new Set<number>()
    for (let page = store.events(seen, 1_000); page.length > 0; page = store.events(page.at(-1)!.seq, 1_000))
      for (const { seq } of page) stored.add(seq)
    const lost = lines.filter(line => !stored.has(Number(line)) || !store.call(`tc_${line}`))
    if (lost.length > 0) t.fail(`round ${round} lost ${lost.join()}`)
    if (store.latestSeq() < last) t.fail(`round ${round}: the head is ${store.latestSeq()} after ${last}`)
    seen = store.latestSeq()
    await store.close()
  }
  t.ok(seen >= rounds)
  t.equal(integrity(file), 'ok')
})

t.test('a full disk stops writing with an error, and loses nothing acknowledged', async t => {
  const file = newFile(t)
  const { lines, ended } = startWriter(file, 2_000, 2_000)
  await ended
  const outcome = JSON.parse(lines.pop()!)
  t.match(outcome, {
    told: ['OVERLOADED', 'OVERLOADED', 'OVERLOADED', 'OVERLOADED'],
    failures: 1,
    failed: true,
    later: /cannot write its journal/
  })
  const { store } = await open(t, file)
  t.strictSame(
    lines.filter(line => !store.call(`tc_${line}`)),
    []
  )
  await store.write(() => [event(store.latestSeq() + 1)])
  t.equal(integrity(file), 'ok')
})

const border = (n: number) => ({ seq: n, n })
const seqs = (store: Store) => store.events(0, 10_000).map(({ seq }) => seq)
const ids = async (store: Store) =>
  (await store.calls({ limit: 10_000 })).calls.map(({ tool_call_id }) => Number(tool_call_id.slice(3))).reverse()
const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i)

t.test('the paths of dropped calls are dropped', async t => {
  const { store, file } = await open(t)
  await store.write(() => from(1, 20).flatMap(n => [event(n), call(n, { paths: `\nall.txt\n${n}.txt\n` })]))
  await store.retain({ before: border(11), max_bytes: 1e9 })
  const db = new DatabaseSync(file, { readOnly: true })
  t.teardown(() => db.close())
  t.strictSame(
    db
      .prepare('SELECT min(n) AS first, count(*) AS count FROM call_paths')
      .all()
      .map(row => ({ ...row })),
    [{ first: 11, count: 20 }]
  )
})

t.test('drops old rows, except those still needed', async t => {
  const { store } = await open(t)
  await store.write(() =>
    from(1, 1_200).flatMap(n => [
      event(n, { id: `tc_${n}` }),
      call(n, {
        ...(n === 3 && { status: 'awaiting_approval' }),
        ...(n === 5 && { result: '"shared"' }),
        ...(n === 1_100 && { result_of: 'tc_5' })
      }),
      ['key', `k${n}`, 'h', `tc_${n}`, time(n)]
    ])
  )
  t.equal(store.oldestSeq(), 1)
  const dropped = await store.retain({ before: border(1_001), max_bytes: 1e9 })
  t.equal(dropped, 999 + 998)
  t.strictSame(seqs(store), [3, ...from(1_001, 1_200)], 'an open call keeps its events')
  t.strictSame(
    await ids(store),
    [3, 5, ...from(1_001, 1_200)],
    'and a call its row, as long as another shares its answer'
  )
  t.equal(store.call('tc_1100')?.result, '"shared"')
  t.equal(store.key('k4'), undefined)
  t.match(store.key('k3'), { tool_call_id: 'tc_3' })
  t.equal(store.oldestSeq(), 1_001, 'what stayed of older events does not hide that others are gone')
  t.equal(await store.retain({ before: border(1_001), max_bytes: 1e9 }), 0)
})

t.test('finds later calls also if the end of the given one is no longer stored', async t => {
  const { store } = await open(t)
  const changes = [{ operation: 'moved' }]
  const end = (n: number) => event(n, { id: `tc_${n}`, type: 'tool.result' })
  await store.write(() => from(1, 3).flatMap(n => [call(n, { changes }), end(n)]))
  const found = (heads: Iterable<string>) => Array.from(heads, head => (JSON.parse(head) as { n: number }).n)
  t.same(found(store.changingCalls('default', 's', 'tc_1')), [3, 2, 1])
  t.same(found(store.movingCalls('default', 'tc_1')), [2, 3])
  await store.retain({ before: border(2), max_bytes: 1e9 })
  t.same(found(store.changingCalls('default', 's', 'tc_1')), [3, 2])
  t.same(found(store.movingCalls('default', 'tc_1')), [2, 3])
})

t.test('remembers the oldest retained event over a restart', async t => {
  const { store, file } = await open(t)
  await store.write(() => [call(1, { status: 'running' }), event(1, { id: 'tc_1' }), ...from(2, 9).map(n => event(n))])
  await store.retain({ before: border(6), max_bytes: 1e9 })
  await store.close()
  const { store: again } = await open(t, file)
  t.strictSame(seqs(again), [1, ...from(6, 9)])
  t.equal(again.oldestSeq(), 6)
})

t.test('beyond its size limit drops the oldest, slice by slice, until it fits', async t => {
  const { store } = await open(t)
  const large = JSON.stringify('x'.repeat(2_000))
  for (const first of [1, 1_001, 2_001])
    await store.write(() =>
      from(first, first + 999).flatMap(n => [event(n, { data: large }), call(n, { result: large })])
    )
  const dropped = await store.retain({ before: border(0), max_bytes: 6_000_000 })
  t.ok(dropped > 0)
  const left = seqs(store)
  t.strictSame(left, from(left[0]!, 3_000))
  t.ok(left.length >= 500 && left.length <= 2_000, `${left.length} events stay`)
  t.equal(store.oldestSeq(), left[0])
})

t.test('retains the newest event, which holds the last number', async t => {
  const { store, file } = await open(t)
  await store.write(() => from(1, 20).map(n => event(n)))
  await store.retain({ before: border(99), max_bytes: 1 })
  t.strictSame(seqs(store), [20])
  await store.close()
  const { store: again } = await open(t, file)
  t.equal(again.latestSeq(), 20)
})

t.test('writes continue while old rows are dropped, by concurrent requests', async t => {
  const { store } = await open(t)
  await store.write(() => from(1, 3_000).map(n => event(n)))
  const retained = [
    store.retain({ before: border(3_000), max_bytes: 1e9 }),
    store.retain({ before: border(99), max_bytes: 1e9 })
  ]
  await store.write(() => [event(3_001)])
  await Promise.all(retained)
  t.strictSame(seqs(store), [3_000, 3_001])
})
