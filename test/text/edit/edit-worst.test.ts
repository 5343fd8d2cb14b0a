// Tests of worst-case edits: small edits of small, repetitive files must not block the event loop.
// tier: full
import t from 'tap'
import { ComputePool } from '../../../src/host/compute/compute-pool.ts'
import type { Edit } from '../../../src/text/edit/apply-edit.ts'

/** Synchronous work ends before anything else has a turn, another thread's answer only after that. */
async function planned(compute: ComputePool, text: string, edit: Edit) {
  const terms = { signal: new AbortController().signal, deadlineMs: 120_000 }
  let elsewhere = true
  const work = compute.run('edits', { path: 'a.txt', bytes: Buffer.from(text), edits: [edit] }, terms).finally(() => {
    elsewhere = false
  })
  for (let turn = 0; turn < 20; turn++) await null
  return { elsewhere, outcome: (await work).outcome }
}

t.test('computes edits of repetitive files off the main thread', async t => {
  const compute = new ComputePool()
  t.teardown(() => compute.close())
  const same = 'a\n'.repeat(1_000)
  const worst: [string, string, Edit, string][] = [
    ['similar everywhere', same, { old: `${'a\n'.repeat(200)}b`, new: 'x', places: 'one' }, 'ambiguous'],
    ['similar respelled', same, { old: `${'a\n'.repeat(200)}\\"&lt;`, new: 'x', places: 'one' }, 'ambiguous'],
    ['replaced everywhere', same, { old: 'a\n', new: 'x\ny\n'.repeat(40), places: 'all' }, 'edited']
  ]
  for (const [name, text, edit, outcome] of worst)
    t.strictSame(await planned(compute, text, edit), { elsewhere: true, outcome }, name)
})

t.test('computes an exactly quoted edit synchronously', async t => {
  const compute = new ComputePool()
  t.teardown(() => compute.close())
  const text = Array.from({ length: 200 }, (_, i) => `line ${i}\n`).join('')
  const edit: Edit = { old: 'line 7\nline 8\n', new: 'seven\neight\n', places: 'one' }
  t.strictSame(await planned(compute, text, edit), { elsewhere: false, outcome: 'edited' })
})

t.test('of many matches builds only the reported ones', async t => {
  const compute = new ComputePool()
  t.teardown(() => compute.close())
  const edit: Edit = { old: '  a\n', new: ' x\n'.repeat(100_000), places: 'one' }
  const { outcome } = await planned(compute, 'a\n'.repeat(100_000), edit)
  t.equal(outcome, 'ambiguous')
})
