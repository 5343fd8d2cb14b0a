import fc from 'fast-check'
import t from 'tap'
import { decode, type Encoding, encode, eolOf, withEol } from '../../src/text/encoding.ts'
import { binaryKind, imageHeader } from '../../src/text/image-header.ts'
import { LineCollector } from '../../src/text/line-collector.ts'
import { lineNumberAt, linesOf } from '../../src/text/lines.ts'
import { sliceLines } from '../../src/text/slice-lines.ts'

const bytes = (...values: number[]) => Buffer.from(values)

t.test('bytes are told apart as text of an encoding, or not text', async t => {
  const cases: [string, Buffer, Encoding | undefined][] = [
    ['empty', bytes(), 'utf-8'],
    ['ascii', Buffer.from('hello\n'), 'utf-8'],
    ['utf-8', Buffer.from('grüße 日本 🎉'), 'utf-8'],
    ['utf-8 with mark', Buffer.from('\ufeffhello'), 'utf-8-bom'],
    ['utf-16 little', Buffer.from('\ufeffhi', 'utf16le'), 'utf-16le'],
    ['utf-16 big', Buffer.from('\ufeffhi', 'utf16le').swap16(), 'utf-16be'],
    ['utf-16 cut in half', bytes(0xff, 0xfe, 0x41), undefined],
    ['utf-32', bytes(0xff, 0xfe, 0, 0, 0x41, 0, 0, 0), undefined],
    ['latin1', Buffer.from('caf\xe9 cr\xe8me', 'latin1'), 'latin1'],
    ['windows-1252 quotes', Buffer.from('\x93quoted text\x94', 'latin1'), undefined],
    ['mostly high bytes', Buffer.from('\xe9\xe8\xe7\xe6\xe5a', 'latin1'), undefined],
    ['a NUL', Buffer.from('a\0b'), undefined],
    ['a NUL far inside', Buffer.concat([Buffer.alloc(9000, 'a'), bytes(0)]), 'utf-8'],
    ['controls', Buffer.from('\x01\x02\x03ab'), undefined],
    ['few controls', Buffer.from('\x01abcdefgh'), 'utf-8'],
    ['terminal colours', Buffer.from('\x1b[31mred\x1b[0m'), 'utf-8'],
    ['broken utf-8 with mark', bytes(0xef, 0xbb, 0xbf, 0xff), undefined]
  ]
  for (const [name, input, encoding] of cases) t.equal(decode(input)?.encoding, encoding, name)
})

t.test('what is decoded is encoded to the same bytes', async t => {
  const encodings: Encoding[] = ['utf-8', 'utf-8-bom', 'utf-16le', 'utf-16be']
  fc.assert(
    fc.property(fc.constantFrom(...encodings), fc.string({ unit: 'grapheme' }), (encoding, text) => {
      const before = encode(text, encoding)!
      const found = decode(before)
      return found === undefined || encode(found.text, found.encoding)!.equals(before)
    })
  )
  fc.assert(
    fc.property(fc.uint8Array(), input => {
      const found = decode(Buffer.from(input))
      return found === undefined || encode(found.text, found.encoding)!.equals(input)
    })
  )
  t.equal(encode('日', 'latin1'), undefined)
})

t.test('line endings are told and fitted', async t => {
  const cases = {
    '': 'lf',
    a: 'lf',
    'a\n': 'lf',
    'a\rb': 'lf',
    'a\r\nb\r\n': 'crlf',
    'a\nb\r\n': 'mixed',
    'a\r\nb\n': 'mixed'
  }
  t.same(Object.fromEntries(Object.keys(cases).map(text => [text, eolOf(text)])), cases)
  t.equal(withEol('a\nb\r\nc', 'crlf'), 'a\r\nb\r\nc')
  t.equal(withEol('a\nb\r\nc', 'mixed'), 'a\nb\r\nc')
})

t.test('lines are found where they are', async t => {
  t.same(linesOf(' a \r\n\nb'), { trimmed: [' a', '', 'b'], starts: [0, 5, 6, 7], text: ' a \r\n\nb' })
  t.same(linesOf(''), { trimmed: [], starts: [0], text: '' })
  t.equal(lineNumberAt('a\nb\nc', 4), 3)
})

const texts = fc.string({ unit: fc.constantFrom('a', '\n', '\r\n', 'é', 'long '), maxLength: 60 })
const budgets = fc.record({ size: fc.integer({ min: 1, max: 80 }), toll: fc.integer({ min: 0, max: 5 }) })
const range = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }))

/** The lines of a text with their endings, the plain way. */
const plainLines = (text: string) => text.split(/(?<=\n)/).filter(line => line !== '')

t.test('some lines of a text are what splitting all of it gives', async () => {
  fc.assert(
    fc.property(texts, range, budgets, (text, [first, count], budget) => {
      const all = plainLines(text)
      const wanted = all.slice(first - 1, first - 1 + count)
      const cost = (lines: string[]) => lines.join('').length + lines.length * budget.toll
      const { content, lines, total, cut } = sliceLines(text, first, first + count - 1, budget)
      if (total !== all.length || cut !== cost(wanted) > budget.size) return false
      if (!cut) return content === wanted.join('') && lines === wanted.length
      const fitting = wanted.findIndex((_, i) => cost(wanted.slice(0, i + 1)) > budget.size)
      return fitting === 0
        ? content === wanted[0]!.slice(0, Math.max(0, budget.size - budget.toll)) && lines === 1
        : content === wanted.slice(0, fitting).join('') && lines === fitting
    }),
    { numRuns: 1000 }
  )
})

t.test('collecting lines from pieces is the same as slicing the whole', async () => {
  fc.assert(
    fc.property(texts, range, budgets, fc.integer({ min: 1, max: 20 }), (text, [first, count], budget, size) => {
      const input = Buffer.from(text, 'latin1')
      const collector = new LineCollector(first, first + count - 1, budget)
      for (let at = 0; at < input.length; at += size) collector.add(input.subarray(at, at + size))
      const { content, lines, total, cut } = sliceLines(text, first, first + count - 1, budget)
      const found = Buffer.concat(collector.parts).toString('latin1')
      return found === content && collector.lines === lines && collector.total === total && collector.cut === cut
    }),
    { numRuns: 1000 }
  )
})

t.test('images tell their size', async t => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAACddGYaAAAAC0lEQVR4nGNgwAQAABQAAcX2ZFIAAAAASUVORK5CYII=',
    'base64'
  )
  const gif = Buffer.from('GIF89a\x05\0\x04\0\0\0\0', 'latin1')
  const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc4000400c0ffc0000b080007000901011100ffda', 'hex')
  const webp = (kind: string, data: number[]) =>
    Buffer.concat([Buffer.from(`RIFF\0\0\0\0WEBP${kind}\0\0\0\0`, 'latin1'), bytes(...data), Buffer.alloc(20)])
  const bmp = Buffer.alloc(30)
  bmp.write('BM')
  bmp.writeUInt32LE(30, 2)
  bmp.writeInt32LE(6, 18)
  bmp.writeInt32LE(-8, 22)
  t.same(imageHeader(png), { media_type: 'image/png', width: 3, height: 2 })
  t.same(imageHeader(gif), { media_type: 'image/gif', width: 5, height: 4 })
  t.same(imageHeader(jpeg), { media_type: 'image/jpeg', width: 9, height: 7 })
  t.same(imageHeader(jpeg.subarray(0, 20)), { media_type: 'image/jpeg' })
  t.same(imageHeader(bmp), { media_type: 'image/bmp', width: 6, height: 8 })
  t.same(imageHeader(webp('VP8X', [0, 0, 0, 0, 9, 0, 0, 4, 0, 0])), { media_type: 'image/webp', width: 10, height: 5 })
  t.same(imageHeader(webp('VP8 ', [0, 0, 0, 0x9d, 1, 0x2a, 7, 0, 6, 0])), {
    media_type: 'image/webp',
    width: 7,
    height: 6
  })
  t.same(imageHeader(webp('VP8L', [0x2f, 3, 0x40, 0, 0])), { media_type: 'image/webp', width: 4, height: 2 })
  t.same(imageHeader(webp('????', [])), { media_type: 'image/webp' })
  t.equal(imageHeader(Buffer.from('BMW is a car, and this is text about it')), undefined)
  fc.assert(
    fc.property(fc.uint8Array(), fc.constantFrom(png, gif, jpeg, bmp), (input, start) => {
      imageHeader(Buffer.concat([start.subarray(0, 12), input]))
    })
  )
  t.equal(binaryKind(Buffer.from('%PDF-1.7')), 'PDF document')
})
