// tier: full
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import iconv from 'iconv-lite'
import t from 'tap'
import { decodeEditable, ENCODINGS, type Encoding, encode } from '../../../src/text/encoding.ts'
import { startUndoFixture } from '../../engine/undo-fixture.ts'

const JAPANESE = '// 日本語のコメントです。\nint main(void) { return 0; } /* 値を返す */\n// end\n'
const CHINESE = '// 这是一个注释\nint main(void) { return 0; } /* 返回值 */\n// end\n'
const TAIWANESE = '// 這是一個註解\nint main(void) { return 0; } /* 傳回值 */\n// end\n'
const KOREAN = '// 한국어 주석입니다\nint main(void) { return 0; } /* 값을 반환 */\n// end\n'
const RUSSIAN = '// Это комментарий\nint main(void) { return 0; } /* возвращает значение */\n// end\n'

/** A text in each encoding, and the name by which it is detected. */
const SAMPLES: readonly [detected: Encoding, coding: string, text: string][] = [
  ['shift_jis', 'shift_jis', JAPANESE],
  ['euc-jp', 'euc-jp', JAPANESE],
  ['gb18030', 'gb18030', CHINESE],
  ['gb18030', 'gbk', CHINESE],
  ['big5', 'big5', TAIWANESE],
  ['euc-kr', 'euc-kr', KOREAN],
  ['koi8-r', 'koi8-r', RUSSIAN],
  ['windows-1251', 'windows-1251', RUSSIAN],
  ['ibm866', 'ibm866', RUSSIAN],
  ['iso-8859-5', 'iso-8859-5', RUSSIAN],
  ['windows-1252', 'windows-1252', 'It’s the end\n'],
  ['windows-1252', 'windows-1252', 'price: 5 € at the end\n'],
  ['windows-1252', 'windows-1252', 'She said “hello” – and left… end\r\nnext\r\n'],
  ['latin1', 'latin1', '# Größe für Äpfel, « Été » à la crème brûlée\nend\n'],
  ['windows-1250', 'windows-1250', '# Příliš žluťoučký kůň úpěl ďábelské ódy\nend\n'],
  ['windows-1253', 'windows-1253', '// Αυτό είναι ένα σχόλιο\nend\n'],
  ['windows-1254', 'windows-1254', '// Bu bir açıklamadır, şöyle değil mi?\nend\n'],
  ['windows-1255', 'windows-1255', '// זוהי הערה בקוד\nend\n'],
  ['windows-1256', 'windows-1256', '// هذا تعليق في الكود\nend\n'],
  ['utf-16le-no-bom', 'utf-16le', 'Größe 日本\r\nend\r\n'],
  ['utf-16be-no-bom', 'utf-16be', '日本語のテキスト\nend\n']
]

const BROKEN_HEAD = Buffer.concat([Buffer.from('größe 日本\na\nb\nc\n'), Buffer.of(0xff, 0xc3)])
const BROKEN = Buffer.concat([BROKEN_HEAD, Buffer.from(' end\n')])

t.test('reads, edits and undoes text in each encoding, byte for byte', async t => {
  const app = await startUndoFixture(t, {})
  const bytes = (name: string) => readFileSync(app.at(name))
  for (const [i, [encoding, coding, text]] of SAMPLES.entries()) {
    const name = `${i}-${coding}.txt`
    const before = iconv.encode(text, coding, { addBOM: false })
    app.write(name, before)
    const read = await app.call('read_file', { path: name })
    const data = { content: text, encoding, eol: text.includes('\r') ? 'crlf' : 'lf' }
    t.match(read.result?.data, { ...data, notes: [`The encoding was guessed as ${encoding}.`] }, name)
    const edited = await app.did('edit_file', { path: name, old: 'end', new: 'END' })
    t.match(edited.result.data, { encoding, notes: [`The encoding of the file was guessed as ${encoding}.`] }, name)
    t.same(bytes(name), iconv.encode(text.replace('end', 'END'), coding, { addBOM: false }), name)
    t.equal(edited.changes[0].after_hash, edited.result.data.hash)
    t.match(edited.result.data.git_patch, 'GIT binary patch', name)
    t.match(await app.undo(edited), { status: 'success' }, name)
    t.same(bytes(name), before, name)
    await app.did('apply_patch', {
      patch: `*** Begin Patch\n*** Update File: ${name}\n@@\n-${toLine(text)}\n+END ${toLine(text)}\n*** End Patch\n`
    })
    t.same(
      bytes(name),
      iconv.encode(text.replace(toLine(text), `END ${toLine(text)}`), coding, { addBOM: false }),
      name
    )
    await app.did('write_file', { path: name, content: text })
    t.same(bytes(name), before, 'a whole write keeps the encoding')
  }
})

const toLine = (text: string) => /.*end/.exec(text)![0]

t.test('keeps bytes that are not valid UTF-8', async t => {
  const app = await startUndoFixture(t, {})
  app.write('broken.txt', BROKEN)
  t.match((await app.call('read_file', { path: 'broken.txt' })).result, {
    data: {
      content: 'größe 日本\na\nb\nc\n\ufffd\ufffd end\n',
      encoding: 'utf-8',
      notes: [
        'Bytes that are not valid UTF-8 are shown as \ufffd. Edits of other parts of the file do not change these bytes.'
      ]
    }
  })
  const edited = await app.did('edit_file', { path: 'broken.txt', old: ' end', new: ' END' })
  t.same(readFileSync(app.at('broken.txt')), Buffer.concat([BROKEN_HEAD, Buffer.from(' END\n')]))
  t.match(edited.result.data, {
    diff: /^-\ufffd\ufffd end\n\+\ufffd\ufffd END$/m,
    git_patch: 'GIT binary patch',
    notes: ['The file has bytes that are not valid UTF-8. Such bytes outside the replaced text stay unchanged.']
  })
  await app.did('edit_file', { path: 'broken.txt', old: 'größe', new: 'Größe' })
  t.match(await app.undo(edited), { status: 'success' }, 'merged with a later change')
  t.same(readFileSync(app.at('broken.txt')), Buffer.concat([Buffer.from('G'), BROKEN.subarray(1)]))
})

t.test('undo merges lines of guessed encodings as bytes', async t => {
  const app = await startUndoFixture(t, {})
  const lines = Array.from({ length: 9 }, (_, i) => `line ${i}\n`).join('')
  const text = `// 日本語のコメントです。\n${lines}// 値を返す\n`
  app.write('a.c', iconv.encode(text, 'shift_jis'))
  const first = await app.did('edit_file', { path: 'a.c', old: '// 日本語のコメントです。\n', new: '// none\n' })
  await app.did('edit_file', { path: 'a.c', old: '値を返す', new: '値', encoding: 'shift_jis' })
  t.match(await app.undo(first), { status: 'success' })
  t.same(readFileSync(app.at('a.c')), iconv.encode(text.replace('値を返す', '値'), 'shift_jis'))
})

t.test('an encoding may be named, and characters that it lacks are an error', async t => {
  const app = await startUndoFixture(t, {})
  const short = iconv.encode('註\n', 'big5')
  app.write('a.txt', short)
  t.match((await app.call('read_file', { path: 'a.txt', encoding: 'Big5' })).result.data, {
    content: '註\n',
    encoding: 'big5',
    notes: undefined
  })
  t.match(await app.call('edit_file', { path: 'a.txt', old: '註', new: '註解' }), {
    status: 'error',
    error: { code: 'OLD_TEXT_NOT_FOUND', message: / was guessed as .+\. If the guess is wrong, set `encoding`\.$/ }
  })
  await app.did('edit_file', { path: 'a.txt', old: '註', new: '註解', encoding: 'big5' })
  t.same(readFileSync(app.at('a.txt')), iconv.encode('註解\n', 'big5'))
  const error = (pointer: string, more: string) => ({
    status: 'error',
    error: { code: 'INVALID_PARAMS', message: `/params/${pointer}: ${more}` }
  })
  t.match(
    await app.call('edit_file', { path: 'a.txt', old: '註', new: '🎉', encoding: 'big5' }),
    error('new', 'has "🎉" (U+1F389), which the file\'s encoding, big5, cannot represent. Use an escape')
  )
  t.match(
    await app.call('write_file', { path: 'a.txt', content: '🎉', encoding: 'big5' }),
    error('content', 'has "🎉" (U+1F389), which big5 cannot represent. Use an escape')
  )
  for (const tool of ['read_file', 'edit_file', 'multi_edit', 'write_file'])
    t.match(
      await app.call(tool, {
        path: 'a.txt',
        encoding: 'klingon',
        ...(tool === 'write_file' && { content: '' }),
        ...(tool === 'edit_file' && { old: 'a', new: 'b' }),
        ...(tool === 'multi_edit' && { edits: [{ old: 'a', new: 'b' }] })
      }),
      error('encoding', 'must be one of utf-8, utf-8-bom, '),
      tool
    )
  app.write('b.txt', Buffer.from('caf\xe9 au lait\n', 'latin1'))
  t.match(
    await app.call('write_file', { path: 'b.txt', content: '茶\n' }),
    error('content', 'has "茶" (U+8336), which latin1')
  )
  const converted = await app.did('write_file', { path: 'b.txt', content: '茶\n', encoding: 'utf-8' })
  t.match(converted.result.data, { notes: ['The encoding of the file changes from latin1 to utf-8.'] })
  t.same(readFileSync(app.at('b.txt')), Buffer.from('茶\n'))
  const made = await app.did('write_file', { path: 'new.txt', content: '日本\n', encoding: 'sjis' })
  t.match(made.result.data, { encoding: 'shift_jis', created: true })
  t.same(readFileSync(app.at('new.txt')), iconv.encode('日本\n', 'shift_jis'))
})

t.test('refuses edits that would change other bytes', async t => {
  const app = await startUndoFixture(t, {})
  // 0x81 0xad is no character in Shift JIS.
  const bytes = Buffer.concat([iconv.encode(JAPANESE, 'shift_jis'), Buffer.of(0x81, 0xad, 10)])
  app.write('a.c', bytes)
  const read = await app.call('read_file', { path: 'a.c', encoding: 'shift_jis' })
  t.match(read.result.data.notes, ['Bytes that are not valid shift_jis are shown as �.'])
  for (const [tool, params] of [
    ['edit_file', { path: 'a.c', old: 'main', new: 'x', encoding: 'shift_jis' }],
    ['multi_edit', { path: 'a.c', edits: [{ old: 'main', new: 'x' }], encoding: 'shift_jis' }]
  ] as const)
    t.match(await app.call(tool, params), {
      status: 'error',
      error: {
        code: 'BINARY_FILE',
        message: /^a\.c has bytes that are not valid shift_jis, .* so nothing was changed\./
      }
    })
  t.same(readFileSync(app.at('a.c')), bytes)
})

t.test('binaries stay refused', async t => {
  const app = await startUndoFixture(t, {})
  const binaries = {
    png: Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAYAAACddGYaAAAAC0lEQVR4nGNgwAQAABQAAcX2ZFIAAAAASUVORK5CYII=',
      'base64'
    ).subarray(0, 20),
    elf: readFileSync(process.execPath).subarray(0, 100_000),
    zip: Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(60, 0xc1)]),
    gzip: Buffer.concat([Buffer.of(0x1f, 0x8b), Buffer.alloc(60, 0xc1)]),
    sqlite: Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(84, 1)]),
    samples: Buffer.from(Int16Array.from({ length: 400 }, (_, i) => Math.round(200 * Math.sin(i / 9))).buffer),
    random: randomBytes(4096)
  }
  for (const [name, bytes] of Object.entries(binaries)) {
    app.write(name, bytes)
    t.match(await app.call('read_file', { path: name }), { status: 'error', error: { code: 'BINARY_FILE' } }, name)
    const edit = { path: name, old: 'a', new: 'b' }
    t.match(await app.call('edit_file', edit), { status: 'error', error: { code: 'BINARY_FILE' } }, name)
  }
})

t.test('reads parts of large files in encodings with characters of several bytes', async t => {
  const app = await startUndoFixture(t, {})
  const lines = 300_000
  app.write(
    'large.txt',
    iconv.encode(`${'日本語の行です。行です\n'.repeat(lines)}${'長い'.repeat(90_000)}終\n`, 'euc-jp')
  )
  const read = async (params: object) => (await app.call('read_file', { path: 'large.txt', ...params })).result.data
  t.match(await read({ offset: lines, limit: 1 }), { content: '日本語の行です。行です\n', encoding: 'euc-jp' })
  t.match(await read({ offset: lines + 1, column: 180_000 }), { content: 'い終\n', encoding: 'euc-jp' })
  t.match(await read({ offset: -1, column: 180_001, encoding: 'euc-jp' }), { content: '終\n', notes: undefined })
})

t.test('grep shows lines in the encoding of the file', async t => {
  const app = await startUndoFixture(t, {})
  app.write('a.c', iconv.encode(JAPANESE, 'shift_jis'))
  const { result } = await app.call('grep', { pattern: 'main', path: 'a.c', context: 1 })
  t.match(result.data.matches[0], {
    line: 2,
    column: 5,
    text: 'int main(void) { return 0; } /* 値を返す */',
    before: ['// 日本語のコメントです。']
  })
})

t.test('grep finds any text in files of a named encoding', async t => {
  const app = await startUndoFixture(t, { 'utf8.txt': '値\n' })
  app.write('a.c', iconv.encode(JAPANESE.replaceAll('\n', '\r\n'), 'shift_jis'))
  app.write('marked.txt', iconv.encode('値\r\n', 'utf-16le', { addBOM: true }))
  const grep = async (pattern: string, more: object = {}) => (await app.call('grep', { pattern, ...more })).result.data
  t.match(await grep('値|日'), {
    matches: [
      { path: 'marked.txt', text: '値' },
      { path: 'utf8.txt', text: '値' }
    ],
    total: 2
  })
  t.same(await grep('値を|コ', { encoding: 'SJIS', context: 1 }), {
    matches: [
      {
        path: 'a.c',
        line: 1,
        column: 8,
        text: '// 日本語のコメントです。',
        before: [],
        after: ['int main(void) { return 0; } /* 値を返す */']
      },
      {
        path: 'a.c',
        line: 2,
        column: 33,
        text: 'int main(void) { return 0; } /* 値を返す */',
        before: ['// 日本語のコメントです。'],
        after: ['// end']
      }
    ],
    total: 2,
    truncated: false,
    missed: []
  })
  t.match(await grep('値', { encoding: 'shift_jis', mode: 'count' }), {
    matches: [
      { path: 'a.c', count: 1 },
      { path: 'marked.txt', count: 1 }
    ]
  })
  t.match(await grep('です。$', { encoding: 'shift_jis', mode: 'files', path: 'a.c' }), { matches: [{ path: 'a.c' }] })
  for (const [i, [encoding, coding, text]] of SAMPLES.entries()) {
    const path = `sample-${i}.txt`
    app.write(path, iconv.encode(text, coding, { addBOM: false }))
    const line = text.split(/\r?\n/)[0]!
    t.match(
      await grep(line, { path, literal: true, encoding }),
      { matches: [{ path, line: 1, column: 1, text: line }] },
      coding
    )
  }
})

t.test('grep refuses encodings that it does not know', async t => {
  const app = await startUndoFixture(t, { 'a.txt': 'a\n' })
  const known = async (encoding: string) => {
    const { status, error } = await app.call('grep', { pattern: 'a', encoding })
    if (status === 'error') t.match(error, { code: 'INVALID_PARAMS', message: /^\/params\/encoding: must / }, encoding)
    return status === 'success'
  }
  const unknown: string[] = []
  for (const encoding of [...ENCODINGS, 'klingon']) if (!(await known(encoding))) unknown.push(encoding)
  t.same(unknown, ['ibm437', 'ibm850', 'ibm852', 'klingon'])
})

t.test('what can be edited encodes to the same bytes', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', 'é', 'Ж', '日', 'ア', '한', '€', '’', '中', '🎉') })
  fc.assert(
    fc.property(fc.constantFrom(...ENCODINGS), text, fc.boolean(), (encoding, text, named) => {
      const bytes = encode(text, encoding)
      const found = bytes && decodeEditable(bytes, named ? encoding : undefined)
      return !found?.exact || encode(found.text, found.encoding)!.equals(bytes!)
    })
  )
  fc.assert(
    fc.property(fc.constantFrom(...ENCODINGS), fc.uint8Array({ min: 1 }), (encoding, input) => {
      const bytes = Buffer.from(input)
      const found = decodeEditable(bytes, encoding)
      return !found?.exact || encode(found.text, found.encoding)!.equals(bytes)
    })
  )
})
