// Tests of the conversion of progress to that of MCP, in which `total` is left out where the share is unknown.
// tier: quick
import t from 'tap'
import { ProgressTracker } from '../../../src/routes/mcp/progress.ts'

t.test('progress grows, and is a share of a total only once one is known', async t => {
  const tracker = new ProgressTracker()
  const updates = [
    tracker.fromEvent({ message: 'starts' }),
    tracker.fromEvent({ message: 'goes on' }),
    tracker.fromEvent({ progress: 0.5 }),
    tracker.fromEvent({ progress: 0.25, message: 'less' }),
    tracker.fromEvent({ message: 'more' })
  ]
  t.strictSame(updates, [
    { progress: 0, message: 'starts' },
    { progress: 1e-6, message: 'goes on' },
    { progress: 0.5, total: 1 },
    { progress: 0.500001, total: 1, message: 'less' },
    { progress: 0.5000020000000001, total: 1, message: 'more' }
  ])
})
