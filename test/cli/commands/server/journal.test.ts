// Tests of journals that are damaged, lost or replaced: the start refuses them, and a repair saves what can be read.
// tier: full
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { within } from '../../../support/wait.ts'
import { createProject } from '../../toolgate.ts'
import { begin, type Client, envOf, stateOf } from './journal-fixture.ts'

let files = 0

/** Makes calls that change files, which are durable when they are answered, and returns their ids. */
async function makeCalls(client: Client, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let n = 0; n < count; n += 1) {
    files += 1
    const made = await client.call('write_file', { path: `new-${files}.txt`, content: `${n}\n`.repeat(20) })
    ids.push(made.tool_call_id)
  }
  return ids
}

/** Creates a project whose journal has calls in the database and, after a kill, in the write-ahead log. */
async function createJournal(t: Test) {
  const place = createProject(t, { 'a.txt': 'a line\n'.repeat(200) })
  const first = await begin(place)
  const ids = await makeCalls(first.client, 60)
  await first.end('SIGTERM')
  const second = await begin(place)
  ids.push(...(await makeCalls(second.client, 60)))
  await second.end('SIGKILL')
  const whole = path.join(place.folder, 'whole')
  cpSync(stateOf(place), whole, { recursive: true })
  const restore = () => {
    const state = stateOf(place)
    rmSync(state, { recursive: true })
    cpSync(whole, state, { recursive: true })
    rmSync(path.join(state, 'journal.db-shm'))
  }
  return { place, ids, restore, file: path.join(stateOf(place), 'journal.db') }
}

function change(file: string, edit: (bytes: Buffer) => void) {
  const bytes = readFileSync(file)
  edit(bytes)
  writeFileSync(file, bytes)
}

/** Flips a bit of the byte at a place, which follows from the size of the file. */
const flip = (file: string, place: (size: number) => number) =>
  change(file, bytes => {
    bytes[place(bytes.length)]! ^= 8
  })

/** Sizes in the write-ahead log; see https://www.sqlite.org/fileformat2.html#walformat. */
const LOG_HEADER_BYTES = 32
const FRAME_BYTES = 24 + 4_096
const CHECKSUM_OFFSET = 16

/** Returns where the frame at a share of the log begins. */
const frameAt = (size: number, share: number) =>
  LOG_HEADER_BYTES + Math.floor(((size - LOG_HEADER_BYTES) / FRAME_BYTES) * share) * FRAME_BYTES

/** Overwrites the first bytes of the page of a table's root, so that none of the table's rows can be found by it. */
const spoilPage = (file: string, page: number) =>
  change(file, bytes => bytes.fill(0xff, page * 4_096, page * 4_096 + 200))

const LACKS = 'lacks events: its newest event is \\d+, but events up to \\d+ were acknowledged'

interface Damage {
  name: string
  make(file: string): void
  /** Pattern of the report about the file. */
  found: string
  /** Minimum number of calls that a repair saves, of 120. */
  saved: number
}

const DAMAGES: Damage[] = [
  ...[0.01, 0.3, 0.7].flatMap(share => [
    {
      name: `a bit of the checksum of a frame at ${share} of the write-ahead log is flipped`,
      make: (file: string) => flip(`${file}-wal`, size => frameAt(size, share) + CHECKSUM_OFFSET),
      found: LACKS,
      saved: 120
    },
    {
      name: `a bit of a page at ${share} of the write-ahead log is flipped`,
      make: (file: string) => flip(`${file}-wal`, size => Math.floor(size * share)),
      found: LACKS,
      // The bit may be in the row of one call.
      saved: 119
    }
  ]),
  {
    name: 'the header of the write-ahead log is damaged',
    make: file => change(`${file}-wal`, bytes => bytes.fill(0, 0, 8)),
    found: LACKS,
    saved: 120
  },
  {
    name: 'the write-ahead log is cut',
    make: file => truncateSync(`${file}-wal`, statSync(`${file}-wal`).size / 2),
    found: LACKS,
    saved: 65
  },
  { name: 'the write-ahead log is emptied', make: file => truncateSync(`${file}-wal`), found: LACKS, saved: 60 },
  { name: 'the write-ahead log is deleted', make: file => rmSync(`${file}-wal`), found: LACKS, saved: 60 },
  {
    name: 'a page of the database is overwritten',
    make(file) {
      mergeLog(file)
      spoilPage(file, Math.floor(statSync(file).size / 4_096 / 2))
    },
    found: 'is damaged \\(.+\\)',
    saved: 80
  },
  {
    name: 'the header of the database is damaged',
    make(file) {
      mergeLog(file)
      change(file, bytes => bytes.fill(7, 0, 50))
    },
    found: 'is damaged \\(file is not a database\\)',
    saved: 120
  },
  {
    name: 'the database is cut',
    make(file) {
      mergeLog(file)
      truncateSync(file, Math.floor(statSync(file).size / 2))
    },
    found: 'is damaged \\(database disk image is malformed\\)',
    saved: 1
  },
  {
    name: 'the database is cut, and its newest numbers are large',
    make(file) {
      renumber(file, 200_000)
      mergeLog(file)
      truncateSync(file, Math.floor(statSync(file).size / 2))
    },
    found: 'is damaged \\(database disk image is malformed\\)',
    saved: 1
  },
  {
    name: 'the database is emptied',
    make: file => truncateSync(file),
    found: 'is empty, although events up to \\d+ were acknowledged',
    saved: 1
  },
  {
    name: 'all is deleted',
    make: removeAll,
    found: 'is missing, although events up to \\d+ were acknowledged',
    saved: 0
  },
  {
    name: 'it is another journal',
    make(file) {
      const db = new DatabaseSync(file)
      db.exec("UPDATE marks SET value = value + 1 WHERE name = 'journal_id'")
      db.close()
    },
    found: 'is not the file that the last server wrote, but another file or an older copy',
    saved: 120
  }
]

function removeAll(file: string) {
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
}

/** Moves the write-ahead log into the database. */
function mergeLog(file: string) {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}

/** Adds to the numbers of all calls and events, and to that of the newest acknowledged event. */
function renumber(file: string, added: number) {
  const db = new DatabaseSync(file)
  db.exec(`UPDATE calls SET n = n + ${added}; UPDATE events SET seq = seq + ${added}`)
  db.close()
  const marker = path.join(path.dirname(file), 'journal-marker.json')
  const read = JSON.parse(readFileSync(marker, 'utf8'))
  writeFileSync(marker, JSON.stringify({ ...read, seq: read.seq + added }))
}

t.test('a damaged journal is refused, and repaired', async t => {
  const { place, ids, restore, file } = await createJournal(t)
  const { project, program, toolgate } = place
  const env = envOf(place)
  for (const { name, make, found, saved } of DAMAGES)
    await t.test(name, async t => {
      restore()
      make(file)
      const report = new RegExp(
        `^toolgate: The journal ${file} ${found}\\. Run: toolgate journal repair --root ${project}\\. ` +
          'This command saves the readable content, reports the lost content, and keeps a copy of the damaged files\\.\\n$'
      )
      const before = readFileIfThere(file)
      for (const refused of [await program(['serve'], { env }), await toolgate(['journal', 'check'], { env })]) {
        t.same([refused.code, refused.stdout], [1, ''])
        t.match(refused.stderr, report)
      }
      t.same(readFileIfThere(file), before, 'the file is not changed')
      const doctor = JSON.parse((await toolgate(['doctor', '--json'], { env })).stdout)
      t.match(
        doctor.find(({ check }: { check: string }) => check === 'journal'),
        { state: 'fail', found: new RegExp(found) }
      )

      const repaired = await toolgate(['journal', 'repair', '--json'], { env })
      t.match(repaired, { code: 0, stderr: '' })
      const { copies, tables, acknowledged } = JSON.parse(repaired.stdout)
      t.ok(existsSync(path.join(copies, 'journal-marker.json')))
      t.notOk(readdirSync(copies).some(each => each.startsWith('source')))
      const calls = tables.find(({ table }: { table: string }) => table === 'calls')?.saved ?? 0
      t.ok(calls >= saved, `${calls} calls of at least ${saved} are saved`)
      for (const { table, unreadable = 0 } of tables)
        t.ok(unreadable <= acknowledged + 10_000, `${unreadable} rows of ${table} are counted as unreadable`)
      t.match(await toolgate(['journal', 'check'], { env }), { code: 0 })

      const again = await begin(place)
      const got = await Promise.allSettled(ids.map(id => again.client.get(id)))
      t.equal(got.filter(({ status }) => status === 'fulfilled').length, calls, 'each saved call is served')
      const [next] = await makeCalls(again.client, 1)
      const events = await again.client.state()
      t.ok(events.head > acknowledged, 'numbers of lost events are not used again')
      t.ok(next)
      await again.end('SIGKILL')
      t.match(await toolgate(['journal', 'check'], { env }), { code: 0 })
    })
})

const readFileIfThere = (file: string) => (existsSync(file) ? readFileSync(file) : undefined)

function replaceByCopy(file: string, other: string) {
  cpSync(file, other)
  rmSync(`${file}-wal`)
  renameSync(other, file)
}

const LOSSES: { name: string; make(file: string, other: string): void; saved: boolean }[] = [
  { name: 'deleted', make: removeAll, saved: true },
  { name: 'moved', make: file => renameSync(file, `${file}.moved`), saved: true },
  { name: 'replaced by a copy', make: replaceByCopy, saved: true },
  { name: 'without its log', make: file => rmSync(`${file}-wal`), saved: true },
  { name: 'with an emptied log', make: file => truncateSync(`${file}-wal`), saved: false }
]

t.test('a journal that is lost while the server runs ends it before anything more is acknowledged', async t => {
  for (const { name, make, saved } of LOSSES)
    await t.test(name, async t => {
      const place = createProject(t, { 'a.txt': 'a line\n'.repeat(200) })
      const env = envOf(place)
      const { server, client } = await begin(place)
      const ids = await makeCalls(client, 30)
      const file = path.join(stateOf(place), 'journal.db')
      make(file, `${file}.other`)
      const refused = await makeCalls(client, 1).catch((error: Error) => error.message)
      const { code, stderr } = await within('the server to end', server.ended)
      t.equal(
        refused,
        'The server cannot write its journal, so it accepts no calls. The server log contains the cause.'
      )
      t.equal(code, 1, stderr)
      t.match(stderr, /"msg":"the journal cannot be written"/)
      t.match(stderr, /journal\.db(?:-wal)? was (?:deleted or moved|replaced|truncated) while the server was running/)
      t.match(await place.program(['serve'], { env }), { code: 1, stderr: /toolgate journal repair/ })
      t.match(await place.toolgate(['journal', 'repair'], { env }), { code: 0 })
      const again = await begin(place)
      for (const id of saved ? ids : []) t.equal((await again.client.get(id)).status, 'success')
      await again.end('SIGTERM')
    })
})

t.test('a large journal is checked while the server runs', async t => {
  const place = createProject(t, { 'a.txt': 'a\n' })
  const first = await begin(place)
  await makeCalls(first.client, 1)
  await first.end('SIGTERM')
  const file = path.join(stateOf(place), 'journal.db')
  const db = new DatabaseSync(file)
  db.exec(`WITH RECURSIVE n(i) AS (VALUES (10000) UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
    INSERT INTO events (seq, time, type, data) SELECT i, '2026', 'x', '{"seq":' || i || ',"x":"' || hex(zeroblob(1000)) || '"}' FROM n`)
  db.close()
  spoilPage(file, Math.floor(statSync(file).size / 4_096 / 2))
  // It may have ended before its discovery file could be read.
  const server = await place.serveIn(envOf(place))
  const { code, stderr } = await within('the server to end', server.ended)
  t.equal(code, 1)
  t.match(
    stderr,
    /"message":"the journal \S+journal\.db is damaged \(.*: stop the server and run: toolgate journal repair"/
  )
  const { stdout } = await place.toolgate(['journal', 'repair', '--json'], { env: envOf(place) })
  const [events] = JSON.parse(stdout).tables.filter(({ table }: { table: string }) => table === 'events')
  t.ok(events.saved > 19_000 && events.unreadable > 0, JSON.stringify(events))
  const again = await begin(place)
  t.match(await again.end('SIGTERM'), { code: 0 })
})

t.test('an idle server ends when its journal is deleted', async t => {
  const place = createProject(t, { 'a.txt': 'a\n' })
  const { server, client } = await begin(place)
  await makeCalls(client, 1)
  rmSync(path.join(stateOf(place), 'journal.db'))
  t.match(await within('the server to end', server.ended), { code: 1 })
})

t.test('a journal passes after each kill, and without a marker', async t => {
  const place = createProject(t, { 'a.txt': 'a line\n'.repeat(200) })
  const env = envOf(place)
  for (let round = 0; round < 8; round += 1) {
    const { server, client, end } = await begin(place)
    const calls = Array.from({ length: 40 }, () => makeCalls(client, 5).catch(() => []))
    await new Promise(resolve => setTimeout(resolve, 40 * round))
    await end('SIGKILL')
    await Promise.all(calls)
    t.ok(server.pid)
    t.match(await place.toolgate(['journal', 'check'], { env }), { code: 0, stderr: '' }, `round ${round}`)
  }
  const marker = path.join(stateOf(place), 'journal-marker.json')
  for (const spoil of [
    () => rmSync(marker),
    () => writeFileSync(marker, ''),
    () => writeFileSync(marker, '{"journal":')
  ]) {
    spoil()
    t.match(await place.toolgate(['journal', 'check'], { env }), { code: 0, stderr: '' })
    const { client, end } = await begin(place)
    await makeCalls(client, 1)
    t.match(await place.toolgate(['journal', 'repair'], { env }), {
      code: 6,
      stderr: /^toolgate: A server is using the journal .* Stop the server first: toolgate stop\n$/
    })
    t.match(await place.toolgate(['journal', 'check'], { env }), { code: 0 }, 'while the server runs')
    t.match(await end('SIGTERM'), { code: 0 })
  }
  t.match(JSON.parse(readFileSync(marker, 'utf8')).seq, Number)
  t.match(await place.toolgate(['journal', 'repair'], { env }), {
    code: 0,
    stdout: /is not damaged, so nothing was changed/
  })
  t.match(await place.toolgate(['journal', 'check', '--root', place.folder], { env }), {
    code: 1,
    stderr: `toolgate: No server has run for ${place.folder}. Use the same --root folders as for toolgate serve.\n`
  })
})
