// tier: quick
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { SnapshotCopies } from '../../../src/host/undo-store/snapshot-copies.ts'
import { snapshotEntry } from '../../../src/host/watch/stat-snapshot.ts'
import { makeTestFolder } from '../../support/test-folder.ts'

t.test('does not use a copy of a file that had just changed when it was read, however long ago that is', async t => {
  const folder = makeTestFolder(t)
  const file = path.join(folder, 'a.txt')
  const copies = new SnapshotCopies(folder)
  t.teardown(() => copies.clear())
  writeFileSync(file, 'one')
  const stat = snapshotEntry(file)!
  // As if it had been written, and read, a minute ago.
  const minuteAgo = { ...stat, mtime: stat.mtime - 60_000, ctime: stat.ctime - 60_000 }
  await copies.put('a.txt', minuteAgo, Buffer.from('one'), minuteAgo.ctime)
  t.equal(copies.find('a.txt', minuteAgo), undefined, 'the same times may hide another change')
  await copies.put('a.txt', minuteAgo, Buffer.from('one'), Date.now())
  const copy = copies.find('a.txt', minuteAgo)
  t.equal(String(await copies.read(copy!)), 'one')
})
