// tier: quick
import fc from 'fast-check'
import t from 'tap'
import { applySpanEdits } from '../../../src/text/edit/span-edits.ts'

const at = (line: number, column: number) => ({ line, column })

t.test('applies all edits to the original text', async t => {
  const text = 'a😀b\r\n\tsecond\nthird'
  const edits = [
    { start: at(2, 2), end: at(2, 8), text: '2nd' },
    { start: at(1, 2), end: at(1, 3), text: 'x' },
    { start: at(3, 6), end: at(3, 6), text: '!' },
    { start: at(3, 6), end: at(3, 6), text: '?' }
  ]
  t.equal(applySpanEdits(text, edits), 'axb\r\n\t2nd\nthird!?')
  t.equal(applySpanEdits(text, []), text)
})

t.test('rejects overlapping and missing ranges', async t => {
  const text = 'one\r\ntwo'
  const refused = (...edits: [number, number, number, number][]) =>
    t.equal(
      applySpanEdits(
        text,
        edits.map(([line, column, to, end]) => ({ start: at(line, column), end: at(to, end), text: 'x' }))
      ),
      undefined,
      JSON.stringify(edits)
    )
  refused([1, 1, 1, 3], [1, 2, 1, 4])
  refused([1, 5, 1, 5])
  refused([3, 1, 3, 1])
  refused([0, 1, 1, 1])
  refused([1, 0, 1, 1])
  refused([1, 3, 1, 2])
  t.equal(applySpanEdits(text, [{ start: at(1, 4), end: at(2, 1), text: ' ' }]), 'one two', 'up to the end of a line')
})

t.test('equals splicing at offsets', async () => {
  const piece = fc.constantFrom('a', 'ß', '😀', '\t', '\n', '\r\n', ' ', 'e\u0301')
  const parts = fc.array(
    fc.record({ keep: fc.array(piece, { maxLength: 6 }), cut: fc.array(piece, { maxLength: 4 }), put: fc.string() })
  )
  fc.assert(
    fc.property(parts, parts => {
      let before = ''
      let after = ''
      const edits = parts.map(({ keep, cut, put }) => {
        before += keep.join('')
        const start = pointAt(before)
        before += cut.join('')
        after += keep.join('') + put
        return { start, end: pointAt(before), text: put }
      })
      return applySpanEdits(before, edits) === after
    })
  )
})

/** Returns the end position of a text. */
function pointAt(text: string) {
  const lines = text.split('\n')
  return at(lines.length, [...lines.at(-1)!].length + 1)
}
