// Tests of position conversion between user and server coordinates, in any text and encoding.
// tier: quick
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { PositionConverter, type PositionEncoding } from '../../../../src/host/lsp/wire/position-converter.ts'
import { runs } from '../../../support/property.ts'

const UNITS = ['utf-8', 'utf-16', 'utf-32'] as const

const texts = fc
  .array(fc.constantFrom('a', '\t', ' ', 'é', '漢', '🦊', '👨‍👩‍👧', '\n', '\r\n', '\r', '\u2028', '\ufeff'), {
    maxLength: 40
  })
  .map(parts => parts.join(''))

/** Reference implementation: splits the text. */
function counted(text: string, offset: number, units: PositionEncoding) {
  const before = text.slice(0, offset)
  // A CR LF pair that is cut in two ends no line yet.
  const ended = text[offset] === '\n' && before.endsWith('\r') ? before.slice(0, -1) : before
  const lines = ended.split(/\r\n|\n|\r/)
  const last = lines.at(-1)! + before.slice(ended.length)
  const sizes = { 'utf-8': Buffer.byteLength(last), 'utf-16': last.length, 'utf-32': [...last].length }
  return { line: lines.length - 1, character: sizes[units] }
}

/** Returns the offsets of characters and of the end, none within a line ending. */
const offsets = (text: string) =>
  [0, ...[...text].map((_, i, all) => all.slice(0, i + 1).join('').length)].filter(
    at => !(text[at] === '\n' && text[at - 1] === '\r')
  )

for (const units of UNITS)
  t.test(units, async t => {
    fc.assert(
      fc.property(texts, text => {
        const positions = new PositionConverter(text, units)
        for (const offset of offsets(text)) {
          const theirs = counted(text, offset, units)
          assert.deepEqual(positions.lspPositionAt(offset), theirs)
          assert.equal(positions.offsetAt(theirs), offset)
          assert.ok(positions.isValid(theirs))
          const before = text.slice(0, offset).split('\n')
          const ours = { line: before.length, column: [...before.at(-1)!].length + 1 }
          assert.deepEqual(positions.fromLspPosition(theirs), ours)
          assert.deepEqual(positions.toLspPosition(ours), theirs)
        }
      }),
      runs(200)
    )
    t.pass('the same both ways')
  })

t.test('clamps positions beyond the end', async t => {
  const positions = new PositionConverter('ab\r\n🦊c\n', 'utf-16')
  t.throws(() => positions.toLspPosition({ line: 1, column: 4 }), {
    code: 'INVALID_PARAMS',
    message: '/params/col: Line 1 has 2 characters: column 4 does not exist.'
  })
  t.throws(() => positions.toLspPosition({ line: 2, column: 4 }), { message: /Line 2 has 2 characters/ })
  t.throws(() => positions.toLspPosition({ line: 4, column: 1 }), { message: /no line 4: the file has 3 lines/ })
  t.same(positions.toLspPosition({ line: 1, column: 3 }), { line: 0, character: 2 }, 'right after the last is a place')
  t.same(positions.toLspPosition({ line: 3, column: 1 }), { line: 2, character: 0 })
  t.same(
    positions.fromLspPosition({ line: 0, character: 99 }),
    { line: 1, column: 3 },
    'of a server, the nearest before'
  )
  t.same(positions.fromLspPosition({ line: 9, character: 0 }), { line: 3, column: 1 })
  t.same(positions.fromLspPosition({ line: 1, character: 1 }), { line: 2, column: 1 }, 'never within a character')
  t.notOk(positions.isValid({ line: 0, character: 3 }) || positions.isValid({ line: 3, character: 0 }))
  t.throws(() => new PositionConverter('x', 'utf-8').toLspPosition({ line: 1, column: 3 }), {
    message: /Line 1 has 1 character:/
  })
})
