// Tests of the chain of a journal: whatever a store does keeps it valid, and whatever else happens to a row is found, at its place.
// tier: full
import { cpSync, rmSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { verifyJournal } from '../../src/store/journal-verification.ts'
import { Store } from '../../src/store/store.ts'
import type { StoreWrite } from '../../src/store/store-schema.ts'
import { runs } from '../support/property.ts'
import { makeTestFolder } from '../support/test-folder.ts'

let folders = 0
const newFile = (t: Test) => path.join(makeTestFolder(t), `state-${folders++}`, 'journal.db')

const time = '2026-01-01T00:00:00.000Z'
const event = (seq: number, id: string | null, type = 'tool.call', data = `{"seq":${seq}}`): StoreWrite => [
  'event',
  seq,
  time,
  type,
  's',
  'default',
  id,
  data
]
const call = (
  id: string,
  status: string,
  result: string | null = null,
  result_of: string | null = null
): StoreWrite => [
  'call',
  id,
  'a_tool',
  status,
  's',
  'default',
  time,
  status === 'success' ? '' : '\na.txt\n',
  JSON.stringify({ id, status }),
  result,
  result_of,
  null
]

/** A step of a server, as far as the journal knows it. */
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ does: fc.constant('call' as const), id: fc.nat(20), ends: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('progress' as const), id: fc.nat(20), count: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('share' as const), id: fc.nat(20), of: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('purge' as const), id: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('forget' as const), id: fc.nat(20), share: fc.nat(100) }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('retain' as const), events: fc.nat(100), calls: fc.nat(100) })
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('reopen' as const) }) }
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** Makes the steps in a new store, and closes it. */
async function make(file: string, steps: readonly Step[], after: () => void = () => {}) {
  let store = await Store.open(file)
  try {
    for (const each of steps) {
      const seq = store.latestSeq()
      if (each.does === 'reopen') {
        await store.close()
        store = await Store.open(file)
      } else if (each.does === 'retain') {
        const share = (percent: number, all: number) => Math.floor((percent * all) / 100)
        await store.retain({ before: { seq: share(each.events, seq), n: share(each.calls, 21) }, max_bytes: 1e9 })
      } else await store.write(() => writesOf(store, each, seq))
      after()
    }
  } finally {
    await store.close()
  }
}

function writesOf(store: Store, each: Exclude<Step, { does: 'reopen' | 'retain' }>, seq: number): StoreWrite[] {
  const id = `tc_${each.id}`
  switch (each.does) {
    case 'call':
      return each.ends
        ? [event(seq + 1, id, 'tool.result'), call(id, 'success', `"result ${seq}"`)]
        : [event(seq + 1, id), event(seq + 2, null), call(id, 'running')]
    case 'progress':
      return Array.from({ length: each.count }, (_, n) => event(seq + n + 1, id, 'tool.progress'))
    case 'share':
      return each.id === each.of ? [] : [event(seq + 1, id, 'tool.result'), call(id, 'success', null, `tc_${each.of}`)]
    case 'purge':
      return [
        event(seq + 1, id, 'tool.content_removed'),
        ...store.eventsOfCall(id, 0, 1_000).map((old): StoreWrite => ['replaceEvent', '{}', old.seq]),
        ['replaceSharedResult', null, id],
        ['replaceCall', '{}', null, id]
      ]
    case 'forget':
      return [
        event(seq + 1, id, 'tool.result'),
        each.share < 50 ? ['forgetProgress', id] : ['forgetProgressUpTo', id, Math.floor((seq * each.share) / 100)]
      ]
  }
}

t.test('all that a store does keeps the chain valid', async t => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), async steps => {
      const file = newFile(t)
      await make(file, steps, () => {
        const { faults } = verifyJournal(file)!
        if (faults.length > 0) throw new Error(JSON.stringify(faults))
      })
      const { faults, unsigned, journal_id, key, epochs } = verifyJournal(file)!
      if (faults.length > 0 || unsigned > 0) throw new Error(JSON.stringify({ faults, unsigned }))
      if (journal_id.length !== 12 || key.length !== 43 || epochs.length > 1) throw new Error('not one epoch')
      rmSync(path.dirname(file), { recursive: true })
    }),
    runs(300)
  )
})

/** One change of a row, of which the table has some. */
const tampering = fc.record({
  table: fc.constantFrom('events', 'calls', 'chain'),
  row: fc.nat(1_000),
  what: fc.oneof(
    fc.record({ does: fc.constant('change' as const), column: fc.nat(20), at: fc.nat(1_000) }),
    fc.record({ does: fc.constant('delete' as const) }),
    fc.record({ does: fc.constant('copy' as const) }),
    fc.record({ does: fc.constant('swap' as const), other: fc.nat(1_000) })
  )
})
type Tampering = typeof tampering extends fc.Arbitrary<infer T> ? T : never

type Row = Record<string, string | number | null>

/** Returns what was done, and the event or call that it is about; undefined if there is nothing to change. */
function tamper(db: DatabaseSync, { table, row, what }: Tampering) {
  const id = table === 'events' ? 'seq' : 'n'
  const rows = db.prepare(`SELECT * FROM ${table} ORDER BY ${id}`).all() as Row[]
  const victim = rows[row % Math.max(1, rows.length)]
  if (!victim) return undefined
  const update = (where: Row, column: string, value: Row[string]) =>
    db.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${id} = ?`).run(value, where[id]!)
  if (what.does === 'delete') db.prepare(`DELETE FROM ${table} WHERE ${id} = ?`).run(victim[id]!)
  else if (what.does === 'copy') {
    const copy: Row = { ...victim, [id]: Number(rows.at(-1)![id]) + 1 }
    if (table === 'calls') copy.tool_call_id = 'tc_new'
    const names = Object.keys(copy)
    db.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`).run(
      ...Object.values(copy)
    )
  } else if (what.does === 'swap') {
    const other = rows[what.other % rows.length]!
    if (other === victim) return undefined
    for (const [one, two] of [
      [victim, -1],
      [other, Number(victim[id])],
      [{ [id]: -1 }, Number(other[id])]
    ] as const)
      update(one, id, two)
  } else {
    const columns = Object.keys(victim)
    const column = columns[what.column % columns.length]!
    const value = victim[column]!
    if (value === null) return undefined
    const text = String(value)
    const at = what.at % Math.max(1, text.length)
    const changed = `${text.slice(0, at)}${text[at] === '7' ? '8' : '7'}${text.slice(at + 1)}`
    if (changed === text) return undefined
    try {
      update(victim, column, typeof value === 'number' ? Number(changed) : changed)
    } catch {
      // The number of another row.
      return undefined
    }
  }
  return { table, victim }
}

t.test('each change of a row by another program is found', async t => {
  const file = newFile(t)
  const steps: Step[] = [
    ...Array.from({ length: 12 }, (_, n): Step => ({ does: 'call', id: n, ends: false })),
    { does: 'progress', id: 3, count: 4 },
    ...Array.from({ length: 9 }, (_, n): Step => ({ does: 'call', id: n, ends: true })),
    { does: 'share', id: 9, of: 2 },
    { does: 'purge', id: 1 },
    { does: 'forget', id: 3, share: 0 },
    { does: 'progress', id: 4, count: 4 },
    { does: 'retain', events: 30, calls: 20 },
    { does: 'call', id: 13, ends: true }
  ]
  await make(file, steps)
  t.same(verifyJournal(file)!.faults, [])
  const tampered = `${path.dirname(file)}-tampered`
  fc.assert(
    fc.property(tampering, change => {
      cpSync(path.dirname(file), tampered, { recursive: true })
      const db = new DatabaseSync(path.join(tampered, 'journal.db'))
      const done = tamper(db, change)
      db.close()
      const report = verifyJournal(path.join(tampered, 'journal.db'))!
      rmSync(tampered, { recursive: true })
      if (!done) return
      if (report.fault_count === 0) throw new Error(`not found: ${JSON.stringify({ change, ...done })}`)
      const { table, victim } = done
      const ids = report.faults.map(({ event_id }) => event_id)
      if (table === 'events' && !ids.includes(`${report.journal_id}-${victim.seq}`) && change.what.does !== 'copy')
        throw new Error(`not found at ${victim.seq}: ${JSON.stringify(report.faults)}`)
    }),
    runs(2_000)
  )
})
