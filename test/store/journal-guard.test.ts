// Tests that a loss of the journal is noticed before what was written last is acknowledged.
// tier: quick
import { truncateSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { JournalGuard } from '../../src/store/journal-guard.ts'
import { makeTestFolder } from '../support/test-folder.ts'

t.test('a log that is cut between a write and its acknowledgement', async t => {
  const file = path.join(makeTestFolder(t), 'journal.db')
  const db = new DatabaseSync(file)
  t.teardown(() => db.close())
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (x)')
  const guard = new JournalGuard(file, db, { journal: 1, seq: 0, record: undefined }, () => {})
  db.exec('INSERT INTO t VALUES (1)')
  guard.acknowledge([], undefined)
  db.exec('INSERT INTO t VALUES (2)')
  truncateSync(`${file}-wal`)
  t.throws(() => guard.acknowledge([], undefined), /journal\.db-wal was truncated while the server was running/)
})

t.test('a log that a checkpoint empties', async t => {
  const file = path.join(makeTestFolder(t), 'journal.db')
  const db = new DatabaseSync(file)
  t.teardown(() => db.close())
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (x)')
  const guard = new JournalGuard(file, db, { journal: 1, seq: 0, record: undefined }, () => {})
  db.exec('INSERT INTO t VALUES (1); PRAGMA wal_checkpoint(TRUNCATE)')
  t.doesNotThrow(() => guard.acknowledge([], undefined))
  guard.close()
})
