// tier: quick
import fc from 'fast-check'
import t from 'tap'
import { stripControlSequences } from '../../src/text/control-sequences.ts'

const SCREEN =
  'plain \u001b[1;31mred\u001b[0m \u001b]0;a title\u0007named \u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\\r\nnext \u001b(Bend é'

t.test('removes terminal control sequences', async t => {
  t.strictSame(stripControlSequences(SCREEN, true), { text: 'plain red named link\nnext end é', held_bytes: 0 })
  t.strictSame(stripControlSequences('as it is\n', false), { text: 'as it is\n', held_bytes: 0 })
})

t.test('a sequence cut off at the end waits for its rest', async t => {
  for (const cut of ['\u001b', '\u001b[', '\u001b[1;3', '\u001b]0;tit', '\u001b]0;title\u001b', '\u001b('])
    t.strictSame(
      stripControlSequences(`text${cut}`, false),
      { text: 'text', held_bytes: cut.length },
      JSON.stringify(cut)
    )
  t.equal(stripControlSequences('text\u001b[1', true).held_bytes, 0, 'none will come')
})

t.test('does not wait forever for an endless sequence', async t => {
  t.equal(stripControlSequences(`\u001b]${'x'.repeat(1_000)}`, false).held_bytes, 0)
})

t.test('reading in pieces, each from the end of the last, gives the same text', async () => {
  const bytes = Buffer.from(SCREEN.replace('é', 'e'))
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), sizes => {
      let text = ''
      let at = 0
      for (let i = 0; at < bytes.length; i += 1) {
        // A reader without a result reads more.
        const size = sizes[i % sizes.length]! + (i > bytes.length ? bytes.length : 0)
        const piece = bytes.subarray(at, at + size)
        const ended = at + size >= bytes.length
        const plain = stripControlSequences(piece.toString(), ended)
        text += plain.text
        at += piece.length - plain.held_bytes
      }
      return text.replaceAll('\r', '') === stripControlSequences(bytes.toString(), true).text
    })
  )
})
