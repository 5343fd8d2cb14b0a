// Tests that any JSON value has an abbreviation that fits.
// tier: quick
import fc from 'fast-check'
import t from 'tap'
import { abbreviateJson } from '../../src/text/abbreviate-json.ts'
import { runs } from '../support/property.ts'

t.test('a small value stays as it is', async t => {
  const value = { a: [1, 'two', null], b: { c: true } }
  t.equal(abbreviateJson(value, 1_000), value)
})

t.test('strings and lists keep their beginnings', async t => {
  t.strictSame(abbreviateJson({ text: 'x'.repeat(9_000), n: 1 }, 8_192), {
    text: `${'x'.repeat(2_048)}… 6952 more characters`,
    n: 1
  })
  const list = Array.from({ length: 5_000 }, (_, i) => i)
  t.strictSame(abbreviateJson(list, 8_192), [...list.slice(0, 100), '… 4900 more'])
})

t.test('whatever the value, the abbreviation fits', async t => {
  const wide = Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`key ${i} ${'k'.repeat(50)}`, i]))
  let deep: unknown = 'x'.repeat(1_000)
  for (let n = 0; n < 60; n++) deep = Array.from({ length: 3 }, () => (n < 4 ? deep : [deep]))[0]
  let bushy: unknown = '\u0001'.repeat(500)
  for (let n = 0; n < 6; n++) bushy = [bushy, bushy, bushy, { bushy }]
  for (const value of [wide, deep, bushy])
    t.ok(Buffer.byteLength(JSON.stringify(abbreviateJson(value, 8_192))) <= 8_192)
  fc.assert(
    fc.property(fc.jsonValue(), value => JSON.stringify(abbreviateJson(value, 200)).length <= 200),
    runs(200)
  )
})
