// Tests of the journal as evidence, with the program and its server: what was tampered with is found at its place, and what a server
// does itself is not.
// tier: full
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { connect } from '../../../../src/client/client.ts'
import { SseParser } from '../../../../src/client/sse.ts'
import {
  type ChainRecord,
  digestEvent,
  type EventRow,
  hashRecord,
  NO_HASH
} from '../../../../src/store/chain-records.ts'
import type { Json } from '../../../start-app.ts'
import { untilOlderThan, waitUntil } from '../../../support/wait.ts'
import { createProject, UNSANDBOXED } from '../../toolgate.ts'
import { begin, type Client, envOf, type Project, stateOf } from '../server/journal-fixture.ts'

/** Writes a file, which a person approves where that is asked. */
async function writeFile(client: Client, file: string): Promise<string> {
  const asked: Json = await client.call('write_file', { path: file, content: `${file}\n` })
  if (asked.status === 'awaiting_approval')
    await client.approve(asked.tool_call_id, { digest: asked.approval.digest, wait_ms: 120_000 })
  return asked.tool_call_id
}

/** Runs a command of the program on the journal, and returns its JSON. */
async function audit(place: Project, ...argv: string[]) {
  const { code, stdout, stderr } = await place.toolgate(['audit', ...argv, '--json'], { env: envOf(place) })
  return { code, stderr, ...(stdout === '' ? {} : (JSON.parse(stdout) as Json)) } as Json
}

/** Makes a project with decisions, results, a purged call and output of commands in its journal, and a copy of the state. */
async function createJournal(t: Test) {
  const place = createProject(t, { 'a.txt': 'a\n' })
  const { client, end } = await begin(place)
  const ids: string[] = []
  for (const file of ['a.txt', 'new-1.txt', 'a.txt']) ids.push(await writeFile(client, file))
  const { tool_call_id: read } = await client.call('read_file', { path: 'a.txt' })
  await place.toolgate(['purge', '--call', read], { env: envOf(place) })
  await end('SIGTERM')
  const [state, whole] = [stateOf(place), path.join(place.folder, 'whole')]
  cpSync(state, whole, { recursive: true })
  const restore = () => {
    rmSync(state, { recursive: true })
    cpSync(whole, state, { recursive: true })
  }
  return { place, ids, restore, file: path.join(state, 'journal.db') }
}

function edit<T>(file: string, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(file)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

const findEvent = (db: DatabaseSync, type: string): number =>
  Number(db.prepare('SELECT seq FROM events WHERE type = ? ORDER BY seq LIMIT 1').get(type)!.seq)
const newest = (db: DatabaseSync) => Number(db.prepare('SELECT max(seq) AS seq FROM events').get()!.seq)

/** Comes back with an id, and returns the ids of the first frames, or their types if they have none in the journal. */
async function readFrames({ server, token }: Awaited<ReturnType<typeof begin>>, last: string, count: number) {
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream', 'last-event-id': last }
  const response = await fetch(`${server.url}/events`, { headers })
  const parser = new SseParser()
  const frames: string[] = []
  for await (const bytes of response.body!) {
    for (const { id, event } of parser.push(bytes)) frames.push(event.startsWith('stream.') ? event : id!)
    if (frames.length >= count) break
  }
  return frames
}

interface Tampering {
  name: string
  /** Changes the journal, and returns the number of the event at the place. */
  make(db: DatabaseSync): number
  problem: RegExp
}

const TAMPERINGS: Tampering[] = [
  {
    name: 'the person of a decision is another one',
    make(db) {
      const seq = findEvent(db, 'tool.decision')
      db.prepare(`UPDATE events SET data = replace(data, '"client":"ann"', '"client":"bob"') WHERE seq = ?`).run(seq)
      return seq
    },
    problem: /^the event was changed$/
  },
  {
    name: 'one bit of an event is flipped',
    make(db) {
      const seq = findEvent(db, 'tool.result')
      const { data } = db.prepare('SELECT data FROM events WHERE seq = ?').get(seq) as { data: string }
      const bytes = Buffer.from(data)
      bytes[bytes.length - 3]! ^= 1
      db.prepare('UPDATE events SET data = ? WHERE seq = ?').run(bytes.toString(), seq)
      return seq
    },
    problem: /^the event was changed$/
  },
  {
    name: 'an event is removed',
    make(db) {
      const seq = findEvent(db, 'tool.decision')
      db.prepare('DELETE FROM events WHERE seq = ?').run(seq)
      return seq
    },
    problem: /^the event was removed$/
  },
  {
    name: 'an event is removed with its record',
    make(db) {
      const seq = findEvent(db, 'tool.decision')
      const { chained } = db.prepare('DELETE FROM events WHERE seq = ? RETURNING chained').get(seq) as Json
      db.prepare('DELETE FROM chain WHERE n = ?').run(chained)
      // The place is after the newest event before it.
      return seq - 1
    },
    problem: /^records \d+ to \d+ are missing$/
  },
  {
    name: 'two events change places',
    make(db) {
      const seq = findEvent(db, 'tool.decision')
      for (const [from, to] of [
        [seq, -1],
        [seq + 1, seq],
        [-1, seq + 1]
      ])
        db.prepare('UPDATE events SET seq = ? WHERE seq = ?').run(to!, from!)
      return seq
    },
    problem: /^the event was changed$/
  },
  {
    name: 'an event is inserted',
    make(db) {
      const seq = newest(db) + 1
      db.prepare(
        `INSERT INTO events (seq, time, type, tool_call_id, data, salt, chained)
         SELECT ?, time, type, tool_call_id, data, salt, chained FROM events WHERE type = 'tool.decision' LIMIT 1`
      ).run(seq)
      return seq
    },
    problem: /^the event was inserted$/
  },
  {
    name: 'the end is cut off',
    make(db) {
      const seq = newest(db)
      const { chained } = db.prepare('DELETE FROM events WHERE seq = ? RETURNING chained').get(seq) as Json
      db.prepare('DELETE FROM chain WHERE n >= ?').run(chained)
      return seq
    },
    problem: /^the journal lacks events: its newest event is \d+, but events up to \d+ were acknowledged$/
  },
  {
    name: 'a record is another one',
    make(db) {
      const seq = findEvent(db, 'tool.decision')
      db.prepare(`UPDATE chain SET digest = 'x' || substr(digest, 2) WHERE kind = 'event' AND ref = ?`).run(seq)
      return seq
    },
    problem: /^the record was changed or moved$/
  },
  {
    name: 'all hashes are computed again, without the key',
    make(db) {
      const seq = findEvent(db, 'tool.decision')
      db.prepare(`UPDATE events SET data = replace(data, '"client":"ann"', '"client":"bob"') WHERE seq = ?`).run(seq)
      const row = db.prepare('SELECT * FROM events WHERE seq = ?').get(seq) as EventRow
      db.prepare(`UPDATE chain SET digest = ? WHERE kind = 'event' AND ref = ?`).run(digestEvent(row), seq)
      let before = NO_HASH
      for (const record of db.prepare('SELECT * FROM chain ORDER BY n').all() as unknown as ChainRecord[]) {
        before = hashRecord(before, record)
        db.prepare('UPDATE chain SET hash = ? WHERE n = ?').run(before, record.n)
      }
      return newest(db)
    },
    problem: /^the signature does not match the preceding records$/
  }
]

t.test('what was tampered with is found, with the event at the place', async t => {
  const { place, restore, file, ids } = await createJournal(t)
  const whole = await audit(place, 'verify')
  t.match(whole, { code: 0, stderr: '', faults: [], fault_count: 0, unsigned: 0, uncovered: { events: 0, calls: 0 } })
  t.same(
    whole.epochs.map(({ reason }: Json) => reason),
    ['created']
  )
  const decision = edit(file, db => db.prepare(`SELECT data FROM events WHERE type = 'tool.decision'`).get() as Json)
  t.match(JSON.parse(decision.data).by, { client: 'ann', token: { id: 'server', name: /./ } })
  for (const { name, make, problem } of TAMPERINGS)
    await t.test(name, async t => {
      restore()
      const seq = edit(file, make)
      const found = await audit(place, 'verify')
      t.match(found, { code: 1, stderr: /AUDIT_FAILED/ })
      const at = found.faults.filter(({ event_id }: Json) => event_id === `${whole.journal_id}-${seq}`)
      t.ok(
        at.some((fault: Json) => problem.test(fault.problem)),
        JSON.stringify(found.faults)
      )
    })

  await t.test('the person in the row of a call is another one', async t => {
    restore()
    edit(file, db =>
      db
        .prepare(`UPDATE calls SET head = replace(head, '"client":"ann"', '"client":"bob"') WHERE tool_call_id = ?`)
        .run(ids[0]!)
    )
    const found = await audit(place, 'verify')
    t.match(found, { code: 1, faults: [{ tool_call_id: ids[0], problem: 'the call was changed' }], fault_count: 1 })
    const doctor = JSON.parse((await place.toolgate(['doctor', '--json'], { env: envOf(place) })).stdout)
    t.match(
      doctor.find(({ check }: Json) => check === 'audit chain'),
      { state: 'fail', found: new RegExp(`the call was changed .*call ${ids[0]}`), cure: /toolgate audit verify/ }
    )
    const { stdout } = await place.toolgate(['audit', 'verify'], { env: envOf(place) })
    t.match(stdout, /EVENT +CALL +RECORD +PROBLEM\n/)

    const repaired = await place.toolgate(['journal', 'repair'], { env: envOf(place) })
    t.match(repaired, {
      code: 0,
      stderr:
        /The journal has the new id [0-9a-f]{12}\. It has a new audit chain, because the old chain is damaged: the call/
    })
    const after = await audit(place, 'verify')
    t.match(after, { code: 0, epochs: [{ reason: 'repaired', damage: /the call was changed/ }] })
    t.not(after.journal_id, whole.journal_id)
  })
})

t.test('an older copy of the journal in its place is found, and a repair begins an epoch', async t => {
  const { place, file } = await createJournal(t)
  const older = path.join(place.folder, 'older.db')
  cpSync(file, older)
  const before = await audit(place, 'verify')
  const exported = path.join(place.folder, 'audit.jsonl')
  const again = await begin(place)
  await writeFile(again.client, 'later.txt')
  await again.end('SIGTERM')
  t.match(await audit(place, 'export', exported), { code: 0, file: exported })
  t.match(await audit(place, 'verify', '--against', exported), { code: 0 })
  cpSync(older, file)
  const found = await audit(place, 'verify', '--against', exported)
  t.match(found, { code: 1, faults: [{ problem: /^the journal lacks events/ }] })
  t.ok(found.faults.some(({ problem }: Json) => /^the record \d+ of the export .* is missing$/.test(problem)))
  const repaired = await place.toolgate(['journal', 'repair', '--json'], { env: envOf(place) })
  const { journal_id, chain } = JSON.parse(repaired.stdout)
  t.same(chain, {}, 'the chain is whole, and goes on')
  const after = await audit(place, 'verify')
  t.match(after, { code: 0, journal_id, epochs: [{ reason: 'created' }, { reason: 'repaired' }] })
  t.not(journal_id, before.journal_id)
  t.match(await audit(place, 'verify', '--against', exported), { code: 1 }, 'what was lost is not there again')
})

t.test('kill -9 leaves a valid chain and its id; a restored state folder begins an epoch', async t => {
  const place = createProject(t, { 'a.txt': 'a\n' })
  const first = await begin(place)
  const { journal_id: id } = await first.client.state()
  for (let n = 0; n < 20; n += 1) await writeFile(first.client, `new-${n}.txt`)
  const backup = path.join(place.folder, 'backup')
  cpSync(stateOf(place), backup, { recursive: true })
  const calls = Array.from({ length: 20 }, (_, n) => first.client.call('write_file', { path: `x-${n}`, content: 'x' }))
  await Promise.race(calls)
  await Promise.all([first.end('SIGKILL'), Promise.allSettled(calls)])
  t.match(await audit(place, 'verify'), { code: 0, fault_count: 0, journal_id: id })

  const second = await begin(place)
  const { journal_id, head } = await second.client.state()
  t.equal(journal_id, id)
  t.same(await readFrames(second, `${journal_id}-${head - 1}`, 2), ['stream.snapshot', `${journal_id}-${head}`])
  await second.end('SIGKILL')

  await untilOlderThan(3_000, ...globSync(path.join(backup, 'journal-marker.json')))
  const state = stateOf(place)
  rmSync(state, { recursive: true })
  cpSync(backup, state, { recursive: true, preserveTimestamps: true })
  const third = await begin(place)
  const restored = await third.client.state()
  t.not(restored.journal_id, journal_id)
  t.same(await readFrames(third, `${journal_id}-${head}`, 2), ['stream.snapshot', 'stream.gap'], 'the client is told')
  await third.end('SIGTERM')
  t.match(await audit(place, 'verify'), { code: 0, epochs: [{ reason: 'created' }, { reason: 'restored' }] })
})

t.test('history that is dropped while the server runs leaves a valid chain, which begins later', async t => {
  const { place } = await createJournal(t)
  const { records } = await audit(place, 'verify')
  t.equal(records.first, 1)
  const config = path.join(place.home, '.config/toolgate')
  mkdirSync(config, { recursive: true })
  writeFileSync(path.join(config, 'config.jsonc'), '{ "journal": { "max_bytes": 250000 } }')
  const { client, end } = await begin(place)
  await waitUntil('the oldest history to be dropped', async () => {
    for (let n = 0; n < 25; n += 1) await writeFile(client, `large-${Date.now()}.txt`)
    return (await audit(place, 'verify')).records.first > 1
  })
  t.match(await audit(place, 'verify'), { code: 0, fault_count: 0 }, 'while it runs')
  await end('SIGTERM')
  const after = await audit(place, 'verify')
  t.match(after, { code: 0, fault_count: 0, unsigned: 0 })
  const exported = path.join(place.folder, 'audit.jsonl')
  t.match(await audit(place, 'export', exported), { code: 0 })
  t.match(await audit(place, 'verify', exported), { code: 0, records: after.records })
})

t.test('an export is verified without the state, and any change of it is found', async t => {
  const { place, file } = await createJournal(t)
  const exported = path.join(place.folder, 'audit.jsonl')
  const key = (await audit(place, 'key')).key
  t.match(key, /^[\w-]{43}$/)
  t.match(await audit(place, 'export', exported), { code: 0, file: exported, key, format: 'toolgate-audit/1' })
  t.match(await audit(place, 'export', exported), { code: 6, stderr: /exists/ })
  t.equal(statSync(exported).mode & 0o777, 0o600)

  const elsewhere = createProject(t)
  const own = await audit(place, 'verify')
  const { code, signed_by, events, calls, records, journal_id } = await audit(
    elsewhere,
    'verify',
    exported,
    '--key',
    key
  )
  t.same(
    { code, signed_by, events, calls, records, journal_id },
    {
      code: 0,
      signed_by: key,
      events: own.events,
      calls: own.calls,
      records: own.records,
      journal_id: own.journal_id
    }
  )
  t.match(await audit(elsewhere, 'verify', exported, '--key', 'x'.repeat(43)), { code: 1, stderr: /AUDIT_FAILED/ })
  const text = readFileSync(exported)
  const changed = path.join(place.folder, 'changed.jsonl')
  for (const share of [0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.999]) {
    const bytes = Buffer.from(text)
    bytes[Math.floor((bytes.length - 1) * share)]! ^= 1
    writeFileSync(changed, bytes)
    t.match(await audit(elsewhere, 'verify', changed), { code: 1, stderr: /AUDIT_FAILED/ }, `a bit at ${share}`)
  }
  const lines = text.toString().split('\n')
  for (const [name, left] of [
    ['a line is removed', lines.toSpliced(20, 1)],
    ['a line is twice there', lines.toSpliced(20, 0, lines[20]!)],
    ['two lines change places', lines.toSpliced(20, 2, lines[21]!, lines[20]!)],
    ['the end is cut off', lines.slice(0, -3)]
  ] as const) {
    writeFileSync(changed, left.join('\n'))
    t.match(await audit(elsewhere, 'verify', changed), { code: 1, stderr: /AUDIT_FAILED/ }, name)
  }
  const decided = text.toString().replace(/("type":"tool\.decision".*?\\"client\\":)\\"ann\\"/, '$1\\"bob\\"')
  t.not(decided, text.toString())
  writeFileSync(changed, decided)
  const found = await audit(elsewhere, 'verify', changed)
  const seq = edit(file, db => findEvent(db, 'tool.decision'))
  t.same(
    found.faults.map(({ event_id, problem }: Json) => [event_id, problem]),
    [
      [null, 'the signature of the export does not match its content'],
      [`${own.journal_id}-${seq}`, 'the event was changed']
    ]
  )
})

t.test('the key is private, made once, and hidden from tools', async t => {
  const place = createProject(t, { 'a.txt': 'a\n' })
  const env = { ...UNSANDBOXED, TOOLGATE_STATE_DIR: path.join(place.project, 'states') }
  const server = await place.serveIn(env)
  const { token } = JSON.parse(readFileSync(server.discovery_file, 'utf8'))
  const client = connect({ url: server.url, token })
  const [file] = globSync(path.join(place.project, 'states/workspaces/*/audit-key.pem'))
  t.equal(statSync(file!).mode & 0o777, 0o600)
  const pem = readFileSync(file!, 'utf8')
  const answer = await client.call('read_file', { path: path.relative(place.project, file!) })
  t.match(answer, { status: 'error', error: { code: 'SENSITIVE_PATH' } })
  const keys = []
  for (let n = 0; n < 2; n += 1) keys.push((await place.toolgate(['audit', 'key'], { env })).stdout.trim())
  t.equal(keys[0], keys[1])
  t.equal(readFileSync(file!, 'utf8'), pem)
})

t.test('another key in place of the one that signed is reported, and begins an epoch', async t => {
  const { place, file } = await createJournal(t)
  const { key } = await audit(place, 'key')
  rmSync(path.join(path.dirname(file), 'audit-key.pem'))
  t.match(await audit(place, 'verify'), {
    code: 1,
    faults: [{ event_id: null, problem: /but the key in the state folder is missing$/ }]
  })
  const { key: other } = await audit(place, 'key')
  t.not(other, key)
  const { end } = await begin(place)
  await end('SIGTERM')
  t.match(await audit(place, 'verify'), {
    code: 0,
    epochs: [
      { reason: 'created', key },
      { reason: 'key_replaced', key: other }
    ]
  })
  t.match(await audit(place, 'verify', '--key', key), { code: 1, stderr: new RegExp(`not by ${key}`) })
  writeFileSync(path.join(path.dirname(file), 'audit-key.pem'), 'no key')
  t.match(await place.program(['serve'], { env: envOf(place) }), {
    code: 1,
    stderr:
      /^toolgate: .*the audit key cannot be read .*Restore a copy of .*audit-key\.pem, or remove the key file, so that the server creates a new key\.\n$/
  })
})

t.test('a journal of an earlier version gets a chain, which says what it does not cover', async t => {
  const { place, file } = await createJournal(t)
  const before = await audit(place, 'verify')
  edit(file, db =>
    db.exec(`DROP TABLE state; DROP TABLE chain; ALTER TABLE events DROP COLUMN salt; ALTER TABLE events DROP COLUMN chained;
      DROP TABLE call_paths; DROP INDEX of_status; DROP INDEX of_tool; DROP INDEX of_session; DROP INDEX of_workspace;
      DROP INDEX of_owner; DROP INDEX of_time; CREATE INDEX calls_open ON calls (status);
      ALTER TABLE calls DROP COLUMN salt; ALTER TABLE calls DROP COLUMN chained; PRAGMA user_version = 11;`)
  )
  const marker = path.join(path.dirname(file), 'journal-marker.json')
  const { journal, seq } = JSON.parse(readFileSync(marker, 'utf8'))
  writeFileSync(marker, `${JSON.stringify({ journal, seq }).padEnd(79)}\n`)
  t.match(await audit(place, 'verify'), { code: 1, stderr: /has no chain/ })
  const { client, end } = await begin(place)
  await writeFile(client, 'later.txt')
  await end('SIGTERM')
  const after = await audit(place, 'verify')
  t.match(after, {
    code: 0,
    journal_id: before.journal_id,
    epochs: [{ reason: 'migrated' }],
    uncovered: { events: before.events, calls: before.calls },
    calls: 1
  })
})
