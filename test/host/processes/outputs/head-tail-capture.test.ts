// tier: full
import fc from 'fast-check'
import t from 'tap'
import {
  countLineEnds,
  HeadTailCapture,
  MAX_RESULT_BYTES,
  MAX_RESULT_LINES
} from '../../../../src/host/processes/outputs/head-tail-capture.ts'
import { runs } from '../../../support/property.ts'

function shown(pieces: readonly Uint8Array[], from = 0) {
  const capture = new HeadTailCapture(from)
  for (const piece of pieces) capture.append(piece, countLineEnds(piece))
  return capture.text('stdout', 'tc_1')
}

const whole = (text: string) => shown([Buffer.from(text)])

const NOTE =
  /\n\[(\d+) lines, (\d+) bytes of stdout omitted, from byte (\d+)\. To read the omitted part, send GET \/calls\/tc_1\/output\?stream=stdout&offset=\3\]\n/

t.test('shows short output whole', async t => {
  for (const text of [
    '',
    'a',
    'a\n',
    'x'.repeat(MAX_RESULT_BYTES),
    'x\n'.repeat(MAX_RESULT_LINES),
    `${'x\n'.repeat(MAX_RESULT_LINES)}end`
  ])
    t.same(whole(text), { text, cut: false })
})

t.test('shows the first and the last of many lines', async t => {
  const lines = Array.from({ length: 5_000 }, (_, i) => `${i}\n`)
  const head = lines.slice(0, 1_000).join('')
  const tail = lines.slice(-1_000).join('')
  const left = lines.slice(1_000, -1_000).join('').length
  const note = `\n[3000 lines, ${left} bytes of stdout omitted, from byte ${head.length}. To read the omitted part, send GET /calls/tc_1/output?stream=stdout&offset=${head.length}]\n`
  t.same(whole(lines.join('')), { text: head + note + tail, cut: true })
})

t.test('cuts long lines between characters', async t => {
  const { text, cut } = whole('€'.repeat(MAX_RESULT_BYTES))
  t.ok(cut)
  t.match(text, /^€+\n\[0 lines, \d+ bytes [^\n]*\]\n€+$/)
})

t.test('the note of a later command gives its offset in the whole', async t => {
  const { text } = shown([Buffer.from('y\n'.repeat(10_000))], 700)
  t.equal(text.match(NOTE)![3], '2700')
})

t.test('head, omission and tail add up to the whole, for any chunking', async t => {
  const unit = fc.oneof(
    fc.constant('\n'),
    fc.constant('line\n'),
    fc.constant('long'.repeat(50)),
    fc.constantFrom('é', '€')
  )
  const input = fc.record({
    text: fc.array(fc.tuple(unit, fc.integer({ min: 1, max: 4_000 })), { minLength: 1, maxLength: 8 }),
    cuts: fc.array(fc.integer({ min: 0, max: 200_000 }), { maxLength: 12 })
  })
  const check = () =>
    fc.assert(
      fc.property(input, ({ text, cuts }) => {
        const bytes = Buffer.from(text.map(([unit, times]) => unit.repeat(times)).join(''))
        const places = [0, ...cuts.filter(cut => cut < bytes.length).sort((a, b) => a - b), bytes.length]
        const { text: told, cut } = shown(places.slice(1).map((to, i) => bytes.subarray(places[i], to)))
        if (!cut) return told === bytes.toString()
        const note = told.match(NOTE)!
        const head = Buffer.from(told.slice(0, note.index))
        const tail = Buffer.from(told.slice(note.index! + note[0].length))
        const [, lines, left, from] = note.map(Number) as [number, number, number, number]
        const between = bytes.subarray(from, from + left)
        return (
          Buffer.concat([head, between, tail]).equals(bytes) &&
          countLineEnds(between) === lines &&
          head.length + tail.length <= MAX_RESULT_BYTES &&
          countLineEnds(head) + countLineEnds(tail) <= MAX_RESULT_LINES
        )
      }),
      runs(200)
    )
  t.doesNotThrow(check)
})
