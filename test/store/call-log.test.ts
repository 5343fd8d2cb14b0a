// Tests of queries of a large log: each filter is answered from an index, and what takes long is continued.
// tier: full
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { CallLog, type CallQuery, type LogPage, type StoredCallHead } from '../../src/store/call-log.ts'
import { LogReader } from '../../src/store/log-reader.ts'
import { FILL_PATHS, migrate } from '../../src/store/store-schema.ts'
import { type Json, startApp } from '../start-app.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { makeTestFolder } from '../support/test-folder.ts'
import { within } from '../support/wait.ts'

const CALLS = 200_000
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const STATUSES = ['success', 'error', 'cancelled']
const TOOLS = ['read_file', 'grep', 'write_file', 'shell_exec', 'glob']

const timeOf = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString()
const idOf = (n: number) =>
  `tc_0${Array.from({ length: 25 }, (_, i) => ALPHABET[(n >> (5 * (24 - i))) & (24 - i < 6 ? 31 : 0)]).join('')}`

interface MadeCall {
  n: number
  tool_call_id: string
  status: string
  tool: string
  session_id: string
  workspace: string
  created_at: string
  paths: string[]
}

const makeCall = (n: number): MadeCall => ({
  n,
  tool_call_id: idOf(n),
  status: STATUSES[n % 3]!,
  tool: TOOLS[n % 5]!,
  session_id: `s${n % 1_000}`,
  workspace: n % 7 === 0 ? 'other' : 'default',
  // The clock went back once.
  created_at: timeOf(n > 100_000 && n <= 100_010 ? n - 50_000 : n),
  paths: n % 2 === 0 ? [`f${n % 5_000}.txt`, `src/${n % 10}.ts`] : n % 11 === 0 ? [] : [`f${n % 5_000}.txt`]
})
const MADE = Array.from({ length: CALLS }, (_, i) => makeCall(i + 1))

/** Adds calls, and an event of each, to the journal of a server that has ended. */
function fillJournal(file: string) {
  const db = new DatabaseSync(file)
  const call = db.prepare(
    `INSERT INTO calls (n, tool_call_id, tool, status, session_id, workspace, created_at, paths, head, owner)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
  )
  const event = db.prepare(
    'INSERT INTO events (seq, time, type, session_id, workspace, tool_call_id, data) VALUES (?, ?, ?, ?, ?, ?, ?)'
  )
  db.exec('BEGIN')
  for (const { n, paths, ...row } of MADE) {
    const { tool_call_id, tool, status, session_id, workspace, created_at } = row
    const head = JSON.stringify({ ...row, params: {} })
    const joined = paths.length > 0 ? `\n${paths.join('\n')}\n` : ''
    call.run(n, tool_call_id, tool, status, session_id, workspace, created_at, joined, head, n % 100 === 0 ? 'a' : null)
    const data = JSON.stringify({ seq: n, type: 'tool.result', tool_call_id })
    event.run(n, created_at, 'tool.result', session_id, workspace, tool_call_id, data)
  }
  db.exec(FILL_PATHS)
  db.exec('COMMIT')
  db.close()
}

type Filters = Omit<CallQuery, 'limit' | 'before' | 'owner'>
const isWanted = (call: MadeCall, { path: wanted, id_prefix = '', since, until, ...equal }: Filters) =>
  Object.entries(equal).every(([name, value]) => call[name as keyof MadeCall] === value) &&
  (wanted === undefined || call.paths.includes(wanted)) &&
  call.tool_call_id.startsWith(id_prefix) &&
  (since === undefined || call.created_at >= since) &&
  (until === undefined || call.created_at < until)

const FILTERS: Filters[] = [
  {},
  { status: 'error' },
  { status: 'interrupted' },
  { tool: 'grep' },
  { tool: 'no_tool' },
  { session_id: 's77' },
  { session_id: 'none' },
  { workspace: 'other' },
  { workspace: 'none' },
  { path: 'f3.txt' },
  { path: 'src/4.ts' },
  { path: 'none.txt' },
  { id_prefix: idOf(4_711) },
  { id_prefix: idOf(4_711).slice(0, -1) },
  { id_prefix: 'tc_7' },
  { since: timeOf(CALLS - 20) },
  { since: timeOf(2 * CALLS) },
  { until: timeOf(20) },
  { until: timeOf(50_005), since: timeOf(49_995) },
  { until: timeOf(0) },
  { status: 'success', tool: 'grep', session_id: 's6', workspace: 'default', path: 'f6.txt' },
  { status: 'error', tool: 'grep', since: timeOf(1_000), until: timeOf(1_500) }
]

t.test('each filter finds its calls in a large log, from an index', async t => {
  const first = await startApp(t)
  t.teardown(() => removeFolder(first.folder))
  await first.close()
  const file = path.join(first.folder, 'state', 'journal.db')
  fillJournal(file)
  const app = await startApp(t, {}, { folder: first.folder })
  for (const filters of FILTERS) {
    const expected = MADE.filter(call => isWanted(call, filters)).toReversed()
    const found: string[] = []
    let cursor: string | null = ''
    while (cursor !== null && found.length < 1_000) {
      const query = new URLSearchParams({ ...filters, limit: '400', ...(cursor && { cursor }) } as Record<
        string,
        string
      >)
      const page: Json = await app.get(`/calls?${query}`)
      found.push(...page.calls.map((call: Json) => call.tool_call_id))
      cursor = page.cursor
    }
    t.strictSame(
      found,
      expected.slice(0, found.length).map(call => call.tool_call_id),
      JSON.stringify(filters)
    )
    t.ok(found.length === expected.length || found.length >= 1_000, `all of ${JSON.stringify(filters)}`)
  }
  await app.close()

  const db = new DatabaseSync(file, { readOnly: true })
  t.teardown(() => db.close())
  const statements = new Set<string>()
  const prepare = (sql: string) => {
    statements.add(sql)
    return db.prepare(sql)
  }
  const log = new CallLog({ prepare } as unknown as DatabaseSync)
  for (const filters of [...FILTERS, { owner: 'a' }, { owner: 'a', session_id: 's0' }])
    for (const rows of ['calls', 'heads'] as const) log.read(rows, { ...filters, limit: 10, before: CALLS })
  for (const sql of statements) {
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()
    const costly = plan.filter(({ detail }) => /SCAN (?!CONSTANT)|TEMP B-TREE/.test(String(detail)))
    t.strictSame(costly, [], sql)
  }
})

t.test('a page that takes long ends early, and the next one goes on there', async t => {
  const db = new DatabaseSync(':memory:')
  migrate(db)
  const insert = db.prepare(
    `INSERT INTO calls (n, tool_call_id, tool, status, session_id, workspace, created_at, paths, head)
     VALUES (?, ?, ?, 'success', 's', 'default', ?, '', '{}')`
  )
  const wanted = [1, 2, 9_999, 10_000, 10_001, 35_000, 60_000]
  for (let n = 1; n <= 60_000; n++)
    if (n % 100 === 0 || wanted.includes(n)) insert.run(n, idOf(n), wanted.includes(n) ? 'grep' : 'glob', timeOf(n))
  const { now } = performance
  let time = 0
  performance.now = () => {
    time += 60_000
    return time
  }
  t.teardown(() => {
    performance.now = now
  })
  const log = new CallLog(db)
  const found: number[] = []
  let pages = 0
  for (let before: number | undefined = 60_001; before !== undefined; pages++) {
    const page: LogPage<StoredCallHead> = log.read('heads', { tool: 'grep', before, limit: 10 })
    found.push(...page.calls.map(({ n }) => n))
    before = page.next
  }
  t.strictSame(found, wanted.toReversed())
  t.equal(pages, 6)
})

t.test('a reader whose thread ends fails its requests, and works with the next', async t => {
  const file = path.join(makeTestFolder(t), 'journal.db')
  const reader = new LogReader(file)
  t.teardown(() => reader.close())
  const read = () => within('a page of the log', reader.read('heads', { limit: 1 }))
  await t.rejects(read(), {
    code: 'OVERLOADED',
    message: /^The journal could not be read: unable to open database file\. Retry\.$/
  })
  const db = new DatabaseSync(file)
  migrate(db)
  db.close()
  t.strictSame(await read(), { calls: [] })
  await reader.close()
  await t.rejects(read(), {
    code: 'OVERLOADED',
    message: 'The journal could not be read: the server is stopping. Retry.'
  })
})
