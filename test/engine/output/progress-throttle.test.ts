// tier: quick
import { mock } from 'node:test'
import fc from 'fast-check'
import t from 'tap'
import { ProgressThrottle } from '../../../src/engine/output/progress-throttle.ts'
import type { Progress } from '../../../src/tool/result.ts'
import { runs } from '../../support/property.ts'

type Told = ConstructorParameters<typeof ProgressThrottle>[0] extends (events: infer E) => void ? E : never
const output = (text: string, offset: number, stream: 'stdout' | 'stderr' | 'output' = 'output'): Progress => ({
  delta: { stream, text, offset }
})
function teller() {
  const told: Told[] = []
  return { told, teller: new ProgressThrottle(events => told.push(events)) }
}

t.test('reports the first step at once, and those right after it together', async t => {
  // A fixed clock: all this happens at one moment, on any machine.
  const clock = mock.method(performance, 'now', () => 1_000)
  t.teardown(() => clock.mock.restore())
  const { told, teller: progress } = teller()
  progress.add({ progress: 0.1, message: 'one' })
  t.strictSame(told, [[{ progress: 0.1, message: 'one' }]])
  progress.add({ progress: 0.2 })
  progress.add({ progress: 0.3, message: 'three' })
  progress.add(output('ab', 0))
  progress.add(output('cd', 2))
  progress.add(output('e', 0, 'stderr'))
  t.equal(told.length, 1)
  progress.flush()
  t.strictSame(told.slice(1), [
    [
      { progress: 0.3, message: 'three', delta: { stream: 'output', text: 'abcd', offset: 0 } },
      { delta: { stream: 'stderr', text: 'e', offset: 0 } }
    ]
  ])
  progress.flush()
  t.equal(told.length, 2, 'nothing new, nothing told')
})

t.test('flushes pending progress after a moment', async t => {
  const told: Told[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const progress = new ProgressThrottle(events => {
    told.push(events)
    if (told.length === 2) resolve()
  })
  progress.add({ message: 'one' })
  progress.add({ message: 'two' })
  progress.add({ message: 'three' })
  await promise
  t.strictSame(told, [[{ message: 'one' }], [{ message: 'three' }]])
})

t.test('emits ten events per second at most, however many streams they are of', async t => {
  let now = 1_000
  const clock = mock.method(performance, 'now', () => now)
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => {
    mock.timers.reset()
    clock.mock.restore()
  })
  const { told, teller: progress } = teller()
  while (now < 11_000) {
    progress.add({ message: 'running' })
    for (const stream of ['stdout', 'stderr'] as const) progress.add(output('x', now, stream))
    now += 10
    mock.timers.tick(10)
  }
  const events = told.flat().length
  t.ok(events > 90 && events <= 102, `${events} events in ten seconds, the first of them at once`)
})

t.test('text is bounded; omissions show in the offset', async t => {
  const { told, teller: progress } = teller()
  progress.add({ message: 'go' })
  progress.add(output('x'.repeat(40_000), 0))
  progress.add(output('y'.repeat(100), 40_000))
  progress.flush()
  const { delta } = told[1]![0]!
  t.equal(delta!.offset, 40_100 - 32_768)
  t.equal(delta!.text, 'x'.repeat(32_668) + 'y'.repeat(100))
})

t.test('preserves a gap in the output', async t => {
  const { told, teller: progress } = teller()
  progress.add({ message: 'go' })
  progress.add(output('ab', 0))
  progress.add(output('yz', 100))
  progress.flush()
  t.strictSame(told[1], [{ delta: { stream: 'output', text: 'yz', offset: 100 } }])
})

t.test('every reported text is at its offset, in whole characters', async () => {
  const piece = fc.string({ unit: fc.constantFrom('a', 'é', '日', '🎉', '\n'), minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(fc.array(fc.tuple(piece, fc.nat(6_000), fc.boolean()), { maxLength: 20 }), pieces => {
      const { told, teller: progress } = teller()
      let whole = ''
      for (const [text, times, flush] of pieces) {
        const long = text.repeat(times)
        progress.add(output(long, Buffer.byteLength(whole)))
        whole += long
        if (flush) progress.flush()
      }
      progress.flush()
      const bytes = Buffer.from(whole)
      let at = 0
      for (const { delta } of told.flat()) {
        const text = Buffer.from(delta!.text)
        if (delta!.offset < at || delta!.text.includes('\ufffd') || text.length > 32_768) return false
        if (!bytes.subarray(delta!.offset, delta!.offset + text.length).equals(text)) return false
        at = delta!.offset + text.length
      }
      return at === bytes.length
    }),
    runs(200)
  )
})

t.test('bounds reports of much output, and notes the truncation once', async t => {
  const { told, teller: progress } = teller()
  const piece = 'x'.repeat(16_000)
  for (let i = 0; i < 2_000; i += 1) {
    progress.add(output(piece, i * piece.length))
    progress.flush()
  }
  const events = told.flat()
  const bytes = events.reduce((sum, { delta }) => sum + (delta?.text.length ?? 0), 0)
  t.ok(bytes >= 4_000_000 && bytes < 8_000_000, `${bytes} bytes`)
  t.same(
    events.filter(({ message }) => message !== undefined),
    [{ message: 'Some output is omitted here. To read all of it, read the output by offset.' }]
  )
  progress.add({ message: 'still here' })
  progress.flush()
  t.match(told.at(-1), [{ message: 'still here' }], 'all else is told on')
})
