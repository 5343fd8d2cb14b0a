// Tests of progress events: a long job's output does not stay in the journal while it runs.
// tier: quick
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { ProgressLog, RETAINED_BYTES } from '../../../src/engine/output/progress-log.ts'
import { Journal } from '../../../src/events/journal.ts'
import { openStore } from '../../../src/store/store.ts'

const PIECE = 16_384
const TOLD = 200

t.test('retains only the newest progress of one call, and all of others', async t => {
  const folder = mkdtempSync(path.join(tmpdir(), 'toolgate-told-'))
  const store = await openStore(folder)
  t.teardown(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const journal = new Journal(store)
  const heard: number[] = []
  journal.listen(entries => heard.push(...entries.map(({ seq }) => seq)))
  const whose = (tool_call_id: string) =>
    ({ type: 'tool.progress', session_id: 's', workspace: 'w', tool_call_id }) as const

  new ProgressLog(journal, 'other').append([{ ...whose('other'), message: 'mine' }])
  const told = new ProgressLog(journal, 'chatty')
  for (let n = 0; n < TOLD; n += 1) {
    told.append([{ ...whose('chatty'), delta: { stream: 'stdout', text: 'x'.repeat(PIECE), offset: n * PIECE } }])
    await store.flushed()
  }

  const kept = journal.sinceOfCall('chatty', 0, 1_000).map(({ data }) => JSON.parse(data).delta.offset as number)
  const bytes = kept.length * PIECE
  t.ok(bytes <= 2 * RETAINED_BYTES, `${bytes} bytes are kept`)
  t.ok(bytes >= RETAINED_BYTES / 2, `${bytes} bytes are kept`)
  t.same(
    kept,
    Array.from({ length: kept.length }, (_, n) => (TOLD - kept.length + n) * PIECE),
    'the newest'
  )
  t.equal(journal.sinceOfCall('other', 0, 10).length, 1)
  t.same(
    heard,
    Array.from({ length: TOLD + 1 }, (_, n) => n + 1),
    'all was told'
  )
})
