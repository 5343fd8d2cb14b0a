// tier: quick
import fc from 'fast-check'
import t from 'tap'
import { type Delta, OutputDecoder } from '../../../../src/host/processes/command/output-decoder.ts'

function told(pieces: readonly Uint8Array[], from = 0): Delta[] {
  const deltas: Delta[] = []
  const text = new OutputDecoder('stdout', from, delta => deltas.push(delta))
  for (const piece of pieces) text.append(piece)
  text.end()
  return deltas
}

t.test('decodes any chunking, with byte offsets', async t => {
  const input = fc.tuple(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.array(fc.nat(200), { maxLength: 6 }),
    fc.nat(99)
  )
  const check = () =>
    fc.assert(
      fc.property(input, ([whole, cuts, from]) => {
        const bytes = Buffer.from(whole)
        const places = [0, ...cuts.filter(cut => cut < bytes.length).sort((a, b) => a - b), bytes.length]
        const deltas = told(
          places.slice(1).map((to, i) => bytes.subarray(places[i], to)),
          from
        )
        let offset = from
        for (const delta of deltas) {
          if (delta.offset !== offset) return false
          offset += Buffer.byteLength(delta.text)
        }
        return deltas.map(({ text }) => text).join('') === bytes.toString()
      })
    )
  t.doesNotThrow(check)
})

t.test('keeps the newest of excess output, in whole characters, and the gap shows', async t => {
  const piece = Buffer.from('é'.repeat(32_768))
  const pieces = Array.from({ length: 50 }, () => piece)
  const whole = Buffer.concat([...pieces, Buffer.from('the end')])
  // Cut so that the newest piece begins within a character.
  const deltas = told([...pieces, Buffer.from('the end')])
  const bytes = deltas.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  t.ok(bytes < 1_000_000, `${bytes} of ${whole.length} bytes`)
  for (const { text, offset } of deltas)
    t.ok(whole.subarray(offset, offset + Buffer.byteLength(text)).toString() === text, `at ${offset}`)
  t.ok(deltas.at(-1)!.text.endsWith('éthe end'))
  t.equal(deltas.at(-1)!.offset + Buffer.byteLength(deltas.at(-1)!.text), whole.length)
})
