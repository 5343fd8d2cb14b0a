// tier: quick
import t from 'tap'
import { newId } from '../../src/engine/id.ts'

t.test('ids have the wire format and only grow', async t => {
  const ids = Array.from({ length: 20_000 }, () => newId('tc'))
  t.equal(
    ids.every(id => /^tc_[0-9A-HJKMNP-TV-Z]{26}$/.test(id)),
    true
  )
  t.equal(
    ids.every((id, i) => i === 0 || id > ids[i - 1]!),
    true
  )
  t.match(newId('rule'), /^rule_[0-9A-HJKMNP-TV-Z]{26}$/)
})

t.test('ids contain their creation time', async t => {
  let now = Date.parse('2130-01-01T00:00:00.123Z')
  t.intercept(Date, 'now', { value: () => now })
  const text = newId('tc').slice(3, 13)
  const time = [...text].reduce((sum, digit) => sum * 32 + '0123456789ABCDEFGHJKMNPQRSTVWXYZ'.indexOf(digit), 0)
  t.equal(new Date(time).toISOString(), '2130-01-01T00:00:00.123Z')
  const before = newId('tc')
  now = Date.parse('2125-01-01T00:00:00Z')
  t.ok(newId('tc') > before, 'a clock that goes back does not take them along')
})
