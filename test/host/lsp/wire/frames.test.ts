// Tests of message framing: any chunking works, and invalid frames are rejected before they take memory.
// tier: full
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { encodeFrame, FrameDecoder } from '../../../../src/host/lsp/wire/frames.ts'

const read = (parts: readonly Uint8Array[], frames = new FrameDecoder()) =>
  parts.flatMap(part => [...frames.push(part)])

t.test('parses any chunking', async t => {
  const message = fc.record({ method: fc.string(), params: fc.jsonValue() })
  fc.assert(
    fc.property(fc.array(message, { maxLength: 5 }), fc.array(fc.nat(40), { maxLength: 50 }), (messages, sizes) => {
      const bytes = Buffer.concat(messages.map(encodeFrame))
      const parts: Buffer[] = []
      let at = 0
      for (const size of sizes) {
        parts.push(bytes.subarray(at, at + size))
        at += size
      }
      parts.push(bytes.subarray(at))
      assert.deepEqual(read(parts), JSON.parse(JSON.stringify(messages)))
    })
  )
  t.pass('the same messages')
})

t.test('accepts other headers, in any case', async t => {
  const bytes = Buffer.from('content-type: x\r\nCONTENT-LENGTH:2\r\n\r\n{}Content-Length: 4\r\nX: y\r\n\r\nnull')
  t.same(read([bytes]), [{}, null])
})

for (const [what, bytes, why] of [
  ['no header', 'x'.repeat(5_000), /The language server sent a malformed LSP message/],
  ['no length', 'Content-Type: none\r\n\r\n{}', /without a length/],
  ['a negative length', 'Content-Length: -1\r\n\r\n', /without a length/],
  ['too long', 'Content-Length: 99999999999\r\n\r\n', /a message of 99999999999 bytes/],
  ['no JSON', 'Content-Length: 5\r\n\r\n{"a":', /JSON/]
] as const)
  t.test(what, async t => {
    t.throws(() => read([Buffer.from(bytes)]), { message: why })
  })

t.test('limits the number of values', async t => {
  const list = (count: number, value: string) => Buffer.from(`[${Array.from({ length: count }, () => value).join()}]`)
  const message = (body: Buffer) => Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body])
  for (const value of ['{}', '[]', '0', '"\\\\"', '{"a":{}}'])
    t.throws(() => read([message(list(1_100_000, value))]), { message: /more than 1000000 values/ }, value)
  const text = '[{,"\\,'.repeat(400_000)
  t.same(read([encodeFrame([text, 1])]), [[text, 1]], 'what is in strings does not count')
})
