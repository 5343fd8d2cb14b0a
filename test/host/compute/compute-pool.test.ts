// tier: full
import t from 'tap'
import { ComputePool } from '../../../src/host/compute/compute-pool.ts'
import { unifiedDiff } from '../../../src/text/diff/unified-diff.ts'

const lines = (count: number, word: string) => Array.from({ length: count }, (_, i) => `${word} ${i % 97}\n`).join('')
const small = { path: 'a.txt', before: 'one\n', after: 'two\n' }
const large = { path: 'a.txt', before: lines(2_000, 'a'), after: lines(2_000, 'b') + lines(3, 'a') }
const wanted = () => ({ signal: new AbortController().signal, deadlineMs: 120_000 })

t.test('the answer equals that of the function, on any thread', async t => {
  const compute = new ComputePool()
  t.teardown(() => compute.close())
  for (const input of [small, large]) {
    const { path, before, after } = input
    t.strictSame(await compute.run('diff', input, wanted()), unifiedDiff(path, before, after))
  }
  const many = Array.from({ length: 7 }, (_, i) => ({ ...large, after: `${large.after}${i}\n` }))
  const answers = await Promise.all(many.map(input => compute.run('diff', input, wanted())))
  t.strictSame(
    answers.map(({ added }) => added),
    many.map(() => 2_004),
    'more at once than there are threads'
  )
})

t.test('ends slow work, and does the next', async t => {
  const compute = new ComputePool()
  t.teardown(() => compute.close())
  await t.rejects(compute.run('diff', large, { ...wanted(), deadlineMs: 1 }), { code: 'TIMEOUT' })
  t.match(await compute.run('diff', large, wanted()), { added: 2_003 })
})

t.test('ends cancelled work, queued or running', async t => {
  const compute = new ComputePool()
  t.teardown(() => compute.close())
  const stop = new AbortController()
  const reason = new Error('no longer wanted')
  const all = Array.from({ length: 5 }, () => compute.run('diff', large, { ...wanted(), signal: stop.signal }))
  const other = compute.run('diff', large, wanted())
  stop.abort(reason)
  t.strictSame(
    (await Promise.allSettled(all)).map(result => result.status === 'rejected' && result.reason),
    all.map(() => reason)
  )
  t.match(await other, { added: 2_003 }, 'whoever waited behind is served')
  await t.rejects(compute.run('diff', small, { ...wanted(), signal: stop.signal }), reason, 'on the spot too')
})

t.test('once closed, running and queued work fails', async t => {
  const compute = new ComputePool()
  const all = Array.from({ length: 5 }, () => compute.run('diff', large, wanted()))
  const settled = Promise.allSettled(all)
  await new Promise(setImmediate)
  await compute.close()
  t.strictSame(
    (await settled).map(({ status }) => status),
    all.map(() => 'rejected')
  )
  await t.rejects(compute.run('diff', large, wanted()))
})
