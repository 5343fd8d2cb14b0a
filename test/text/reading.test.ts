// tier: quick
import fc from 'fast-check'
import t from 'tap'
import { decodeChunk, skipCharacters, trimPartialCharacter } from '../../src/text/chunk-decoding.ts'
import { type Encoding, encode } from '../../src/text/encoding.ts'
import { binaryKind, imageHeader } from '../../src/text/image-header.ts'
import { afterNewline, countNewlines, endsWithNewline, nextLine } from '../../src/text/newlines.ts'
import { countLines, sliceLines, startOfLine } from '../../src/text/slice-lines.ts'
import { runs } from '../support/property.ts'

const bytes = (...values: number[]) => Buffer.from(values)
const header = (image: Buffer, size = image.length) => imageHeader(image, size)

const texts = fc.string({ unit: fc.constantFrom('a', '\n', '\r\n', 'é', 'long '), maxLength: 60 })
const budgets = fc.record({ size: fc.integer({ min: 6, max: 80 }), toll: fc.integer({ min: 0, max: 5 }) })
const range = fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }))

/** Reference implementation: returns the lines of a text with their endings. */
const plainLines = (text: string) => text.split(/(?<=\n)/).filter(line => line !== '')

t.test('some lines of a text equal those of splitting all of it', async () => {
  fc.assert(
    fc.property(texts, range, budgets, (text, [first, count], budget) => {
      const all = plainLines(text)
      const wanted = all.slice(first - 1, first - 1 + count)
      const cost = (lines: string[]) => lines.join('').length + lines.length * budget.toll
      const { content, lines, cut } = sliceLines(text, startOfLine(text, first), count, budget)
      if (countLines(text) !== all.length || cut !== cost(wanted) > budget.size) return false
      if (!cut) return content === wanted.join('') && lines === wanted.length
      const fitting = wanted.findIndex((_, i) => cost(wanted.slice(0, i + 1)) > budget.size)
      return fitting === 0
        ? content === wanted[0]!.slice(0, budget.size - budget.toll) && lines === 1
        : content === wanted.slice(0, fitting).join('') && lines === fitting
    }),
    runs(1000)
  )
  t.same(sliceLines('🎉🎉🎉', 0, 1, { size: 5, toll: 2 }), { content: '🎉', lines: 1, cut: true })
})

const ENCODINGS: Encoding[] = ['utf-8', 'utf-16le', 'utf-16be', 'latin1']
const mixed = fc.string({ unit: fc.constantFrom('a', '\n', 'é', '\u0a0a', '\u0a00', '日', '🎉'), maxLength: 400 })
const encoded = fc
  .tuple(fc.constantFrom(...ENCODINGS), mixed)
  .map(([encoding, text]) => ({ encoding, text: encoding === 'latin1' ? text.replace(/[^\n-ÿ]/gu, 'ÿ') : text }))

/** Without a byte order mark, and at any memory alignment that the encoding allows. */
function piece(text: string, encoding: Encoding, shift = 0) {
  const mark = encoding.startsWith('utf-16') ? 2 : 0
  const plain = encode(text, encoding)!.subarray(mark)
  return Buffer.concat([Buffer.alloc(shift), plain]).subarray(shift)
}

t.test('finds line feeds in bytes as in the text', async () => {
  fc.assert(
    fc.property(encoded, fc.nat(7), fc.integer({ min: 1, max: 20 }), ({ encoding, text }, shift, n) => {
      const input = piece(text, encoding, encoding.startsWith('utf-16') ? shift * 2 : shift)
      const feeds = [...text.matchAll(/\n/g)].map(({ index }) => piece(text.slice(0, index + 1), encoding).length)
      return (
        countNewlines(input, encoding) === feeds.length &&
        afterNewline(input, encoding, n) === (feeds[n - 1] ?? -1) &&
        nextLine(input, encoding, 0) === (feeds[0] ?? -1) &&
        endsWithNewline(input, encoding) === text.endsWith('\n')
      )
    }),
    runs(1000)
  )
})

t.test('keeps characters whole at the end of a chunk', async () => {
  fc.assert(
    fc.property(encoded, fc.nat(400), ({ encoding, text }, end) => {
      const input = piece(text, encoding).subarray(0, end)
      const whole = decodeChunk(trimPartialCharacter(input, encoding), encoding)
      const prefixes = [...text].map((_, i, all) => all.slice(0, i + 1).join(''))
      const longest = prefixes.findLast(prefix => piece(prefix, encoding).length <= end) ?? ''
      return whole === longest
    })
  )
})

t.test('counts characters in bytes as in the text', async () => {
  fc.assert(
    fc.property(encoded, fc.nat(30), ({ encoding, text }, n) => {
      const skipped = skipCharacters(piece(text, encoding), encoding, n)
      const characters = [...text]
      if (characters.length < n) return 'characters' in skipped && skipped.characters === characters.length
      return 'bytes' in skipped && skipped.bytes === piece(characters.slice(0, n).join(''), encoding).length
    })
  )
})

t.test('reads the size of images', async t => {
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
  t.same(header(png), { media_type: 'image/png', width: 3, height: 2 })
  t.same(header(gif), { media_type: 'image/gif', width: 5, height: 4 })
  t.same(header(jpeg), { media_type: 'image/jpeg', width: 9, height: 7 })
  t.same(header(jpeg.subarray(0, 20)), { media_type: 'image/jpeg' })
  t.same(header(bmp), { media_type: 'image/bmp', width: 6, height: 8 })
  t.same(header(webp('VP8X', [0, 0, 0, 0, 9, 0, 0, 4, 0, 0])), { media_type: 'image/webp', width: 10, height: 5 })
  t.same(header(webp('VP8 ', [0, 0, 0, 0x9d, 1, 0x2a, 7, 0, 6, 0])), {
    media_type: 'image/webp',
    width: 7,
    height: 6
  })
  t.same(header(webp('VP8L', [0x2f, 3, 0x40, 0, 0])), { media_type: 'image/webp', width: 4, height: 2 })
  t.same(header(webp('????', [])), { media_type: 'image/webp' })
  t.equal(header(Buffer.from('BMW is a car, and this is text about it')), undefined)
  fc.assert(
    fc.property(fc.uint8Array(), fc.constantFrom(png, gif, jpeg, bmp), (input, start) => {
      header(Buffer.concat([start.subarray(0, 12), input]))
    })
  )
  t.equal(binaryKind(Buffer.from('PK\x03\x04')), 'zip archive')
})
