// Tests of the curves of metrics.
// tier: quick
import t from 'tap'
import { toLinePath } from '../../web/status/line-path.ts'

t.test('a curve goes from left to right, the highest value near the top', async t => {
  t.equal(toLinePath([0, 10, 5]), 'M0.0 29.0L50.0 1.0L100.0 15.0')
  t.equal(toLinePath([0, 0]), 'M0.0 29.0L100.0 29.0', 'nothing at all is a line at the bottom')
})

t.test('one value makes no line, nor does none', async t => {
  t.equal(toLinePath([7]), '')
  t.equal(toLinePath([]), '')
})
