// tier: quick
import t from 'tap'
import { type CachedResult, ResultCache } from '../../src/engine/result-cache.ts'

const kept = (n: number, { evidence = 'e', bytes = 100 } = {}): CachedResult => ({
  tool_call_id: `tc_${n}`,
  result: { title: '', content: '', data: n, metadata: {}, attachments: [], truncated: false },
  json: 'x'.repeat(bytes),
  validator: evidence
})

t.test('caches an answer while its evidence is current', async t => {
  const cache = new ResultCache({ ttl_ms: 60_000, max_bytes: 100_000 })
  t.equal(cache.get('a', 'e'), undefined)
  cache.put('a', 'default', kept(1))
  t.match(cache.get('a', 'e'), { tool_call_id: 'tc_1' })
  t.match(cache.get('a', 'e'), { tool_call_id: 'tc_1' }, 'more than once')
  t.equal(cache.get('a', 'other'), undefined)
  t.equal(cache.get('a', 'e'), undefined, 'what was wrong once is gone')
})

t.test('the last answer of a query wins', async t => {
  const cache = new ResultCache({ ttl_ms: 60_000, max_bytes: 100_000 })
  cache.put('a', 'default', kept(1))
  cache.put('a', 'default', kept(2, { evidence: 'f' }))
  t.match(cache.get('a', 'f'), { tool_call_id: 'tc_2' })
})

t.test('invalidates a changed workspace, and no others', async t => {
  const cache = new ResultCache({ ttl_ms: 60_000, max_bytes: 100_000 })
  cache.put('a', 'one', kept(1))
  cache.put('b', 'two', kept(2))
  cache.invalidate('one')
  t.equal(cache.get('a', 'e'), undefined)
  t.match(cache.get('b', 'e'), { tool_call_id: 'tc_2' })
})

t.test('bounds memory: evicts the least recently used first', async t => {
  const cache = new ResultCache({ ttl_ms: 60_000, max_bytes: 10_000 })
  for (const n of [1, 2, 3, 4]) cache.put(`k${n}`, 'default', kept(n, { bytes: 600 }))
  cache.get('k1', 'e')
  cache.put('k5', 'default', kept(5, { bytes: 600 }))
  const there = [1, 2, 3, 4, 5].filter(n => cache.get(`k${n}`, 'e'))
  t.strictSame(there, [1, 3, 4, 5])
  cache.put('large', 'default', kept(6, { bytes: 5_000 }))
  t.equal(cache.get('large', 'e'), undefined, 'one that would push out a quarter of all is not kept')
  t.match(cache.get('k5', 'e'), { tool_call_id: 'tc_5' })
})

t.test('stays bounded when the same answer is stored repeatedly', async t => {
  const cache = new ResultCache({ ttl_ms: 60_000, max_bytes: 10_000 })
  for (let n = 0; n < 100; n += 1) cache.put('same', 'default', kept(n, { bytes: 600 }))
  cache.put('other', 'default', kept(1, { bytes: 600 }))
  t.ok(cache.get('same', 'e'))
  t.ok(cache.get('other', 'e'))
})

t.test('answers have a time to live, and without one there is no cache', async t => {
  const short = new ResultCache({ ttl_ms: 1, max_bytes: 10_000 })
  short.put('a', 'default', kept(1))
  const end = performance.now() + 2
  while (performance.now() < end) await new Promise(resolve => setImmediate(resolve))
  t.equal(short.get('a', 'e'), undefined)
  t.equal(short.isEnabled, true)
  t.equal(new ResultCache({ ttl_ms: 0, max_bytes: 1 }).isEnabled, false)
})
