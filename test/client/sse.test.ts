// tier: full
import fc from 'fast-check'
import t from 'tap'
import { type SseFrame, SseParser } from '../../src/client/sse.ts'
import { runs } from '../support/property.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

/** Feeds the parser with the bytes, split at the given offsets. */
function parse(all: Uint8Array, cuts: readonly number[] = []): SseFrame[] {
  const parser = new SseParser()
  const places = [0, ...cuts.map(cut => cut % (all.length + 1)).sort((a, b) => a - b), all.length]
  return places.slice(1).flatMap((end, index) => parser.push(all.subarray(places[index], end)))
}

t.test('parses frames according to the standard', async t => {
  const cases: [string, string, SseFrame[]][] = [
    ['plain', 'data: a\n\n', [{ id: undefined, event: 'message', data: 'a' }]],
    ['all fields', 'id: 7\nevent: x\ndata: a\n\n', [{ id: '7', event: 'x', data: 'a' }]],
    ['CRLF', 'id: 7\r\nevent: x\r\ndata: a\r\n\r\n', [{ id: '7', event: 'x', data: 'a' }]],
    [
      'CR',
      'id: 7\revent: x\rdata: a\r\rdata: b\r\r',
      [
        { id: '7', event: 'x', data: 'a' },
        { id: '7', event: 'message', data: 'b' }
      ]
    ],
    [
      'mixed line ends',
      'data: a\r\n\ndata: b\r\r\n',
      [
        { id: undefined, event: 'message', data: 'a' },
        { id: undefined, event: 'message', data: 'b' }
      ]
    ],
    ['several data lines', 'data: a\ndata\ndata:  b\n\n', [{ id: undefined, event: 'message', data: 'a\n\n b' }]],
    ['no space', 'data:a\n\n', [{ id: undefined, event: 'message', data: 'a' }]],
    ['comments and unknown fields', ': hi\nfoo: bar\ndata: a\n\n', [{ id: undefined, event: 'message', data: 'a' }]],
    ['an id without data is remembered', 'id: 3\n\ndata: a\n\n', [{ id: '3', event: 'message', data: 'a' }]],
    ['an id with NUL is not', 'id: 3\nid: 4\0\ndata: a\n\n', [{ id: '3', event: 'message', data: 'a' }]],
    [
      'an event name without data is forgotten',
      'event: x\n\ndata: a\n\n',
      [{ id: undefined, event: 'message', data: 'a' }]
    ],
    ['unfinished', 'data: a\n', []],
    ['byte order mark', '\ufeffdata: a\n\n', [{ id: undefined, event: 'message', data: 'a' }]],
    [
      'other separators are text',
      'data: a\u2028b\u0085c\n\n',
      [{ id: undefined, event: 'message', data: 'a\u2028b\u0085c' }]
    ]
  ]
  for (const [name, text, frames] of cases) {
    t.same(parse(bytes(text)), frames, name)
    const everywhere = Array.from({ length: bytes(text).length }, (_, at) => at)
    t.same(parse(bytes(text), everywhere), frames, `${name}, byte by byte`)
  }
})

t.test('the server sets the retry delay', async t => {
  const parser = new SseParser()
  t.equal(parser.retry, undefined)
  parser.push(bytes('retry: 1000\nretry: 2 s\n\n'))
  t.equal(parser.retry, 1000)
})

t.test('frames are the same for any chunking and line endings', async t => {
  const line = fc.string({ unit: 'binary' }).map(text => text.replace(/[\r\n]/g, ' ').toWellFormed())
  const frame = fc.record({ id: fc.nat(), event: fc.constantFrom('tool.call', 'tool.result'), data: line })
  const end = fc.constantFrom('\n', '\r', '\r\n')
  fc.assert(
    fc.property(fc.array(frame), end, fc.array(fc.nat(), { maxLength: 30 }), (frames, end, cuts) => {
      const text = frames.map(({ id, event, data }) => `id: ${id}${end}event: ${event}${end}data: ${data}${end}${end}`)
      t.strictSame(
        parse(bytes(text.join('')), cuts),
        frames.map(({ id, event, data }) => ({ id: String(id), event, data }))
      )
    }),
    runs(300)
  )
})

t.test('parses a line of 5 MB in small pieces', async t => {
  const data = 'é'.repeat(2_500_000)
  const all = bytes(`data: ${data}\n\n`)
  const cuts = Array.from({ length: 5_000 }, (_, index) => index * 1_001)
  t.equal(parse(all, cuts)[0]?.data.length, data.length)
})
