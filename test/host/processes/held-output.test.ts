// Tests when held output is checked; the timers of the checks are mocked, so that nothing else can cause one.
// tier: quick
import { mock } from 'node:test'
import t from 'tap'
import { ToolError } from '../../../src/errors.ts'
import { HeldOutput } from '../../../src/host/processes/command/held-output.ts'

function hold() {
  const due = new AbortController()
  let isExposed = false
  let checks = 0
  const reason = new ToolError('SENSITIVE_PATH', 'A secret appeared.')
  const held = new HeldOutput({
    findReason: async () => {
      checks += 1
      return isExposed ? reason : undefined
    },
    isDue: due.signal
  })
  const expose = () => {
    isExposed = true
  }
  return { held, due, expose, checks: () => checks }
}

t.beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
t.afterEach(() => mock.timers.reset())

t.test('a silent program is checked as soon as there is a reason', async t => {
  const { held, due, expose } = hold()
  expose()
  due.abort()
  await new Promise(setImmediate)
  t.ok(held.withheld.aborted)
})

t.test('a silent program is checked at intervals', async t => {
  const { held, expose, checks } = hold()
  mock.timers.tick(499)
  t.equal(checks(), 0)
  mock.timers.tick(1)
  await Promise.resolve()
  t.equal(checks(), 1)
  expose()
  await new Promise(setImmediate)
  // The next period is 500 ms, or longer after a check that took long, as on a busy machine.
  mock.timers.tick(3_600_000)
  await new Promise(setImmediate)
  t.ok(held.withheld.aborted)
})

t.test('there are no checks once the program has ended', async t => {
  const { held, due, checks } = hold()
  await held.finish()
  const before = checks()
  mock.timers.tick(10_000)
  due.abort()
  await new Promise(setImmediate)
  t.equal(checks(), before)
})
