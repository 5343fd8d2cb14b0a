// Patches of files in encodings other than UTF-8, byte for byte.
// tier: quick
import { readFileSync } from 'node:fs'
import iconv from 'iconv-lite'
import t from 'tap'
import { startUndoFixture } from '../../../engine/undo-fixture.ts'

const update = (path: string, ...lines: string[]) => `*** Update File: ${path}\n@@\n${lines.join('\n')}\n`
const add = (path: string, line: string) => `*** Add File: ${path}\n+${line}\n`
const patch = (...sections: string[]) => `*** Begin Patch\n${sections.join('')}*** End Patch\n`

t.test('a named encoding is that of new files, and of those whose own is not certain', async t => {
  const app = await startUndoFixture(t, { 'ascii.txt': 'one\n', 'utf8.txt': '日本 one\n' })
  const bytes = (name: string) => readFileSync(app.at(name))
  const marked = iconv.encode('日本 one\n', 'utf-16le', { addBOM: true })
  const short = iconv.encode('註\r\none\r\n', 'big5')
  app.write('marked.txt', marked)
  app.write('short.txt', short)
  const refused = await app.call('apply_patch', { patch: patch(update('short.txt', '-註', '+註解')) })
  t.match(refused, {
    status: 'error',
    error: {
      code: 'OLD_TEXT_NOT_FOUND',
      message:
        /^Hunk 1 of short\.txt \(line 3 of the patch\) does not match\. The encoding of the file was guessed as .*\. If the guess is wrong, set `encoding`\. Nothing was changed\.$/
    }
  })
  const params = {
    encoding: 'Big5',
    patch: patch(
      update('short.txt', '-註', '+註解'),
      update('ascii.txt', ' one', '+註'),
      update('utf8.txt', '-日本 one', '+日本 註'),
      update('marked.txt', '-日本 one', '+日本 註'),
      add('new.txt', '註')
    )
  }
  const done = await app.did('apply_patch', params)
  t.match(done.result.data.files, [
    { path: 'short.txt', encoding: 'big5', notes: undefined },
    { path: 'ascii.txt', encoding: 'big5' },
    { path: 'utf8.txt', encoding: undefined, git_patch: undefined },
    { path: 'marked.txt', encoding: 'utf-16le' },
    { path: 'new.txt', encoding: 'big5', operation: 'created' }
  ])
  t.same(bytes('short.txt'), iconv.encode('註解\r\none\r\n', 'big5'))
  t.same(bytes('ascii.txt'), iconv.encode('one\n註\n', 'big5'))
  t.same(bytes('utf8.txt'), Buffer.from('日本 註\n'))
  t.same(bytes('marked.txt'), iconv.encode('日本 註\n', 'utf-16le', { addBOM: true }))
  t.same(bytes('new.txt'), iconv.encode('註\n', 'big5'))
  t.match(await app.undo(done), { status: 'success' })
  t.same(bytes('short.txt'), short)
  t.same(bytes('marked.txt'), marked)
  t.match(await app.call('apply_patch', { ...params, encoding: 'klingon' }), {
    status: 'error',
    error: { code: 'INVALID_PARAMS', message: '/params/encoding: must be one of utf-8, utf-8-bom, ' }
  })
  t.match(await app.call('apply_patch', { encoding: 'big5', patch: patch(add('other.txt', '🎉')) }), {
    status: 'error',
    error: {
      code: 'INVALID_PARAMS',
      message: '/params/patch: has "🎉" (U+1F389) for other.txt, which its encoding, big5, cannot represent.'
    }
  })
})

t.test('a guess is noted, also before approval, and moved files keep their bytes', async t => {
  const app = await startUndoFixture(t)
  const text = '// Это комментарий\nint main(void) { return 0; } /* возвращает значение */\n'
  app.write('a.c', iconv.encode(text, 'koi8-r'))
  app.write('b.c', iconv.encode(text, 'windows-1251'))
  const params = {
    patch: `${patch(update('a.c', '-// Это комментарий', '+// Комментарий'))}`.replace(
      '*** End Patch',
      '*** Update File: b.c\n*** Move to: c.c\n@@\n-// Это комментарий\n+// Нет\n*** End Patch'
    )
  }
  const notes = [
    'a.c: The encoding of the file was guessed as koi8-r. The change does not change the encoding.',
    'c.c: The encoding of the file was guessed as windows-1251. The change does not change the encoding.'
  ]
  t.match(await app.call('apply_patch', params), { status: 'awaiting_approval', approval: { preview: { notes } } })
  const done = await app.did('apply_patch', params)
  t.match(done.result.content, notes.join('\n'))
  t.match(done.result.data.files, [
    {
      path: 'a.c',
      encoding: 'koi8-r',
      notes: ['The encoding of the file was guessed as koi8-r. The change does not change the encoding.']
    },
    { path: 'c.c', encoding: 'windows-1251', operation: 'moved' }
  ])
  t.same(readFileSync(app.at('a.c')), iconv.encode(text.replace('Это комментарий', 'Комментарий'), 'koi8-r'))
  t.same(readFileSync(app.at('c.c')), iconv.encode(text.replace('Это комментарий', 'Нет'), 'windows-1251'))
})

t.test('bytes that are not in the encoding are never changed', async t => {
  const app = await startUndoFixture(t)
  // 0x81 0xad is no character in Shift JIS.
  const bytes = Buffer.concat([iconv.encode('日本語の行です。\nend\n', 'shift_jis'), Buffer.of(0x81, 0xad, 10)])
  app.write('a.txt', bytes)
  t.match(await app.call('apply_patch', { encoding: 'shift_jis', patch: patch(update('a.txt', '-end', '+END')) }), {
    status: 'error',
    error: {
      code: 'BINARY_FILE',
      message: /^a\.txt has bytes that are not valid shift_jis, .* If the encoding is wrong, set `encoding`\./
    }
  })
  t.same(readFileSync(app.at('a.txt')), bytes)
})
