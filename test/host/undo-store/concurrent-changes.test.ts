// Tests of changes that other calls make while the files are inspected: none is attributed to the command.
// tier: quick
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import type { Change } from '../../../src/host/change.ts'
import { viaProcFd } from '../../../src/host/files/dir-access.ts'
import { openWorkspace } from '../../../src/host/files/paths.ts'
import { BlobStore } from '../../../src/host/undo-store/blob-store.ts'
import { PendingChanges } from '../../../src/host/undo-store/pending-changes.ts'
import { Snapshot, type SnapshotScope } from '../../../src/host/undo-store/snapshot.ts'
import { SnapshotCopies } from '../../../src/host/undo-store/snapshot-copies.ts'
import { WorkspaceTree } from '../../../src/host/watch/workspace-tree.ts'
import { needs } from '../../support/needs.ts'

const LIMITS = { max_file_bytes: 1_000, max_bytes: 10_000 }
const SIGNAL = new AbortController().signal

/** `onVisit` is called with each entry that is inspected, and with `end` after the last. */
function prepare(t: Test, onVisit: (entry: string) => void) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-test-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const at = (name: string) => path.join(folder, 'ws', name)
  mkdirSync(at('d'), { recursive: true })
  for (const name of ['a.txt', 'd/b.txt']) writeFileSync(at(name), 'one\n')
  const tree = new WorkspaceTree(openWorkspace('default', path.join(folder, 'ws'), viaProcFd), {
    stateDir: path.join(folder, 'state'),
    sensitive: []
  })
  const scope: SnapshotScope = {
    async walk(visit) {
      const closed = await tree.walk((entry, seen) => {
        visit(entry, seen)
        onVisit(entry)
      })
      onVisit('end')
      return closed
    }
  }
  const blobs = new BlobStore(path.join(folder, 'images'), { ...LIMITS, max_age_days: 1 })
  const snapshot = new Snapshot(tree, scope, new SnapshotCopies(folder), LIMITS)
  return { at, blobs, snapshot }
}

/** Replaces a file, as a write does. */
function replace(file: string) {
  writeFileSync(`${file}.new`, 'two\n')
  renameSync(`${file}.new`, file)
}

const MODIFIED: Change = { path: 'a.txt', operation: 'modified' }

t.test('one that is recorded after its path was inspected', needs('linux'), async t => {
  let during = (_: string) => {}
  const { at, blobs, snapshot } = prepare(t, entry => during(entry))
  await snapshot.take(SIGNAL, 1_000)
  during = entry => {
    if (entry !== 'end') return
    replace(at('a.txt'))
    snapshot.noteOtherChange(MODIFIED)
  }
  t.same(await snapshot.changes(blobs, new PendingChanges()), [])
})

t.test('one that is made, but not recorded before all was inspected', needs('linux'), async t => {
  const { at, blobs, snapshot } = prepare(t, () => {})
  await snapshot.take(SIGNAL, 1_000)
  let waits = 0
  class Pending extends PendingChanges {
    override recorded(paths: readonly string[]) {
      const recorded = super.recorded(paths)
      if (recorded) {
        waits += 1
        snapshot.noteOtherChange(MODIFIED)
        end()
      }
      return recorded
    }
  }
  const pending = new Pending()
  const end = pending.begin(['a.txt'])
  replace(at('a.txt'))
  writeFileSync(at('own.txt'), '')
  t.match(await snapshot.changes(blobs, pending), [{ path: 'own.txt', operation: 'created' }])
  t.equal(waits, 1)
})

t.test('a folder that is moved while the entries before the command are inspected', needs('linux'), async t => {
  let isMoved = false
  const { at, blobs, snapshot } = prepare(t, entry => {
    if (isMoved || entry !== 'd') return
    isMoved = true
    renameSync(at('d'), at('e'))
    snapshot.noteOtherChange({ path: 'e', operation: 'moved', from: 'd', kind: 'directory' })
  })
  await snapshot.take(SIGNAL, 1_000)
  t.same(await snapshot.changes(blobs, new PendingChanges()), [])
})
