// Tests of the output tail: coloured lines, independent of chunking and limited in number.
// tier: quick
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { MAX_TAIL_LINES, type OutputLine, OutputTail } from '../../web/jobs/output-tail.ts'
import { runs } from '../support/property.ts'

const linesOf = (...parts: string[]) => {
  const tail = new OutputTail()
  for (const part of parts) tail.push(part)
  return tail.lines
}
const plain = (lines: readonly OutputLine[]) => lines.map(line => line.map(({ text }) => text).join(''))
/** Joins adjacent runs with the same style. */
const joined = (lines: readonly OutputLine[]) =>
  lines.map(line =>
    line.reduce<{ text: string; look: string }[]>((runs, { text, ...looks }) => {
      const look = JSON.stringify(looks)
      const last = runs.at(-1)
      if (last?.look === look) last.text += text
      else runs.push({ text, look })
      return runs
    }, [])
  )

t.test('colours and weights become runs, and text stays text', async t => {
  t.same(linesOf('a <b>&\x1b[1;32mok\x1b[0m\n\x1b[38;5;208mo\x1b[48;2;1;2;3mx'), [
    [
      { text: 'a <b>&', look: [] },
      { text: 'ok', look: ['bold', 'fg-ansi-green'] }
    ],
    [
      { text: 'o', look: [], color: 'rgb(255 135 0)' },
      { text: 'x', look: [], color: 'rgb(255 135 0)', background: 'rgb(1 2 3)' }
    ]
  ])
})

t.test('removes terminal-only sequences', async t => {
  t.same(plain(linesOf('\x1b]0;title\x07a\x1b[2Kb\x1b(Bc\x1b=d\x00\x07e')), ['abcde'])
  t.same(plain(linesOf('\x1b]8;;https://a.example/\x07link\x1b]8;;\x07')), ['link'])
  t.same(plain(linesOf('10 %\r50 %\r100 %\r\nnext')), ['100 %', 'next'])
  t.same(plain(linesOf('abc\b\bd')), ['ad'])
  t.same(plain(linesOf('50 %\r\x1b[0m\n', 'done\r', '\x1b]2;title\x07', '\nab\r', '\r')), ['50 %', 'done', 'ab'])
})

t.test('gives the same lines for any chunking', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '\n',
      '\r\n',
      '\r',
      '\x1b[31m',
      '\x1b[0m',
      '\x1b[1m',
      '\x1b]0;t\x07',
      '\x1b]2;u\x1b\\',
      '\x1b(B',
      'ü'
    ),
    fc.string({ unit: fc.constantFrom('a', 'b', ' ', '<', '&'), maxLength: 5 })
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(60), { maxLength: 4 }), (pieces, cuts) => {
      // Ends with a line feed, so that nothing is held back.
      const text = `${pieces.join('')}\n`
      const at = [...new Set([0, ...cuts.map(cut => Math.min(cut, text.length)), text.length])].sort((a, b) => a - b)
      const parts = at.slice(1).map((end, n) => text.slice(at[n], end))
      return isDeepStrictEqual(joined(linesOf(...parts)), joined(linesOf(text)))
    }),
    runs(1_000)
  )
})

t.test('bounds the number of lines', async t => {
  const tail = new OutputTail()
  for (let n = 0; n < 40; n++) tail.push('line\n'.repeat(1_000))
  t.equal(tail.lines.length + tail.droppedLines, 40_001)
  t.ok(tail.lines.length <= MAX_TAIL_LINES + 500)
  t.same(plain(linesOf('x'.repeat(3_999), 'yz'.repeat(2_001))), [`${'x'.repeat(3_999)}y`, 'zy'.repeat(2_000), 'z'])
})
