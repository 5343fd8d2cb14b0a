// Tests of the addresses of views: ids and filters with special characters, and what is not understood.
// tier: quick
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { formatAddress, parseAddress } from '../../web/shell/address.ts'
import { runs } from '../support/property.ts'

t.test('an address is read as it was written', async () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 20 })
  const name = text.filter(part => part !== '' && part.isWellFormed())
  const query = fc.dictionary(
    name,
    text.filter(part => part.isWellFormed()),
    { noNullPrototype: true }
  )
  fc.assert(
    fc.property(fc.array(name, { maxLength: 3 }), query, (segments, query) => {
      const route = { panel: 'activity', segments, query }
      // Browsers normalize the text of an address.
      const { hash } = new URL(formatAddress(route), 'http://127.0.0.1/')
      assert.deepEqual(parseAddress(hash), route)
    }),
    runs(500)
  )
})

t.test('special characters of ids and filters keep their meaning', async t => {
  const segments = ['tc_1@a/b?c#d&e=f%']
  const query = { session: 'a&b=c ?#+%/', text: '50 %' }
  const address = formatAddress({ panel: 'activity', segments, query })
  t.strictSame(parseAddress(address), { panel: 'activity', segments, query })
  t.equal(formatAddress({ panel: 'jobs', segments: ['tc_1'], query: {} }), '#/jobs/tc_1')
})

t.test('an address that is not understood leads to a panel', async t => {
  const start = { panel: 'approvals', segments: [], query: {} }
  t.strictSame(parseAddress(''), start)
  t.strictSame(parseAddress('#code=abc'), start)
  t.strictSame(parseAddress('#/%zz'), start)
  t.strictSame(parseAddress('#/activity/%E0%A4%A?text=%zz&&=&tool'), {
    panel: 'activity',
    segments: ['%E0%A4%A'],
    query: { text: '%zz', '': '', tool: '' }
  })
  const { query } = parseAddress('#/activity?__proto__=x')
  t.equal(Object.getPrototypeOf(query), Object.prototype)
  t.strictSame(Object.entries(query), [['__proto__', 'x']])
})
