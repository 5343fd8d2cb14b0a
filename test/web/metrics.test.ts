// Figures made from calls, and the curves that show them.
import t from 'tap'
import { figuresOf, gaugesOf, lineOf, percentile } from '../../web/metrics/figures.ts'

const NOW = Date.UTC(2026, 0, 1, 12)
const ago = (seconds: number) => new Date(NOW - seconds * 1_000).toISOString()

t.test('calls are counted by the minute they were asked in, failures by the one they ended in', async t => {
  const lines = [
    { asked_at: ago(5), status: 'success' },
    { asked_at: ago(70), ended_at: ago(30), status: 'error' },
    { asked_at: ago(100), decided_at: ago(65), status: 'success' },
    { asked_at: ago(119), decided_at: ago(110), status: 'success' },
    { asked_at: ago(4_000), ended_at: ago(3_900), status: 'error' }
  ]
  const { calls, errors, waits, wait_p50, wait_p95 } = figuresOf(lines, NOW)
  t.same([calls.length, calls.slice(-3), errors.slice(-3)], [60, [0, 3, 1], [0, 0, 1]])
  t.same(waits.slice(-3), [undefined, 35_000, undefined])
  t.same([wait_p50, wait_p95], [9_000, 35_000])
})

t.test('of nothing there is no percentile', async t => {
  t.same([percentile([], 50), percentile([1], 95), percentile([1, 2, 3, 4], 50)], [undefined, 1, 2])
})

t.test('gauges are read out of the text for Prometheus', async t => {
  const text = '# HELP a x\n# TYPE a gauge\na 1.5e3\nb{c="d"} 2\ne_f 0\n'
  t.same(
    [...gaugesOf(text)],
    [
      ['a', 1_500],
      ['e_f', 0]
    ]
  )
})

t.test('a curve has a gap where nothing is known', async t => {
  t.equal(lineOf([0, 10, undefined, 5, undefined], 10), 'M0.0 29.0L25.0 1.0M75.0 15.0h0.1')
})
