// tier: quick
// Tests how the bench counts questions per hour of work.
import t from 'tap'
import { CALLS_PER_HOUR, countGrouped, countSingle, planHours, type Verdict } from '../bench/policy/work.ts'

const verdict = (decision: Verdict['decision'], cause = ''): Verdict => ({ decision, cause })

t.test('calls of one message that wait for one reason are one question', async t => {
  const messages = [
    [verdict('ask', 'a'), verdict('ask', 'a'), verdict('ask', 'b'), verdict('allow')],
    [verdict('ask', 'a'), verdict('strict', 'a'), verdict('strict', 'a'), verdict('deny')]
  ]
  t.equal(countSingle(messages), 6)
  t.equal(countGrouped(messages), 2 + 3)
})

t.test('hours have the same number of calls, and do not share real lines', async t => {
  const lines = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix} ${index}`)
  const given = { readOnly: lines('cat', 40), real: lines('make', 20) }
  const hours = planHours(given, 2)
  t.same(
    hours.map(hour => hour.flat().length),
    [CALLS_PER_HOUR, CALLS_PER_HOUR]
  )
  const real = hours.map(hour =>
    hour.flat().flatMap(({ params: { command } }) => (/^make/.test(`${command}`) ? [command] : []))
  )
  t.same([new Set(real[0]), new Set(real[1])], [new Set(given.real.slice(0, 10)), new Set(given.real.slice(10))])
  t.ok(
    hours.flat().every(message => new Set(message.map(({ params }) => JSON.stringify(params))).size === message.length),
    'the calls of a message differ'
  )
  t.same(planHours(given, 2), hours, 'the plan is always the same')
})
