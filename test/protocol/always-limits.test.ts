// tier: quick
import t from 'tap'
import { parseAlwaysLimits } from '../../src/protocol/always-limits.ts'

t.test('parses the limits of a rule as a person types them', async t => {
  t.same(parseAlwaysLimits(''), {})
  t.same(parseAlwaysLimits('  '), {})
  t.same(parseAlwaysLimits('2h'), { for: '2h' })
  t.same(parseAlwaysLimits('10 uses'), { uses: 10 })
  t.same(parseAlwaysLimits('1 use'), { uses: 1 })
  t.same(parseAlwaysLimits('3x'), { uses: 3 })
  t.same(parseAlwaysLimits(' 30M, 5uses SESSION '), { for: '30m', uses: 5, scope: 'session' })
  for (const text of ['2', '2 hours', '0h', '-1h', '1.5h', '10', 'uses', 'sessions', '2h!', '123456h', '2huses'])
    t.equal(parseAlwaysLimits(text), undefined, text)
})
