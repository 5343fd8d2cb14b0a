// tier: quick
import fc from 'fast-check'
import t from 'tap'
import { decode, decodeEditable, detectEol, type Encoding, encode, withEol } from '../../src/text/encoding.ts'
import { indexLines, lineNumberAt } from '../../src/text/line-table.ts'

const bytes = (...values: number[]) => Buffer.from(values)

t.test('detects the encoding of text, and binary content', async t => {
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
    ['windows-1252 quotes', Buffer.from('\x93quoted text\x94', 'latin1'), 'windows-1252'],
    ['a control beside other encodings', Buffer.from('\x01caf\xe9 cr\xe8me', 'latin1'), undefined],
    ['a NUL', Buffer.from('a\0b'), undefined],
    ['a NUL far inside', Buffer.concat([Buffer.alloc(9000, 'a'), bytes(0)]), 'utf-8'],
    ['controls', Buffer.from('\x01\x02\x03ab'), undefined],
    ['few controls', Buffer.from('\x01abcdefgh'), 'utf-8'],
    ['terminal colours', Buffer.from('\x1b[31mred\x1b[0m'), 'utf-8'],
    ['broken utf-8 with mark', bytes(0xef, 0xbb, 0xbf, 0xff), 'utf-8-bom'],
    ['broken utf-8', Buffer.concat([Buffer.from('grüße'), bytes(0xff)]), 'utf-8']
  ]
  for (const [name, input, encoding] of cases) t.equal(decode(input)?.encoding, encoding, name)
})

t.test('decoded text encodes to the same bytes', async t => {
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
      const found = decodeEditable(Buffer.from(input))
      return !found?.exact || encode(found.text, found.encoding)!.equals(input)
    })
  )
  t.equal(encode('日', 'latin1'), undefined)
})

t.test('detects and converts line endings', async t => {
  const cases = {
    '': 'lf',
    a: 'lf',
    'a\n': 'lf',
    'a\rb': 'lf',
    'a\r\nb\r\n': 'crlf',
    'a\nb\r\n': 'mixed',
    'a\r\nb\n': 'mixed'
  }
  t.same(Object.fromEntries(Object.keys(cases).map(text => [text, detectEol(text)])), cases)
  t.equal(withEol('a\nb\r\nc', 'crlf'), 'a\r\nb\r\nc')
  t.equal(withEol('a\nb\r\nc', 'mixed'), 'a\nb\r\nc')
})

t.test('finds lines by position', async t => {
  t.same(indexLines(' a \r\n\nb'), { trimmed: [' a', '', 'b'], starts: [0, 5, 6, 7], text: ' a \r\n\nb' })
  t.same(indexLines(''), { trimmed: [], starts: [0], text: '' })
  t.equal(lineNumberAt('a\nb\nc', 4), 3)
})

t.test('short texts of East Asia are not taken for damaged UTF-8', async t => {
  const encoded: [Encoding, string][] = [
    ['shift_jis', '日本語のテキストです。\nコメント：変更しない\nfin\n'],
    ['shift_jis', '// コメント\nconst a = 1 // 変更しない\n'],
    ['shift_jis', '東京都\n'],
    ['gb18030', '// 注释：请不要修改这个文件\nconst a = 1\n'],
    ['big5', '// 註解：請不要修改這個檔案\nconst a = 1\n']
  ]
  for (const [encoding, text] of encoded) {
    const content = decode(encode(text, encoding)!)
    t.match(content, { encoding, text, guessed: true }, text)
  }
  const damaged = Buffer.from('größer, schöner, weiter: ä ö ü\n')
  damaged[3] = 0x20
  t.match(decode(damaged), { encoding: 'utf-8', guessed: true }, 'a damaged byte or two')
})
