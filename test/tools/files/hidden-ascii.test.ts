// Tests that no change is approved, or made unasked, whose bytes hold ASCII characters that its diff does not show: the encoding is
// shown, and such a change needs strict approval in every mode.
// tier: quick
import { readFileSync } from 'node:fs'
import iconv from 'iconv-lite'
import t, { type Test } from 'tap'
import { startApp } from '../../start-app.ts'

/** Texts with characters of which a byte is ASCII in the encoding, and what a shell reads. */
const DISGUISES = [
  { encoding: 'gbk', text: 'echo hello陓 touch PWNED', hidden: '|' },
  { encoding: 'gb18030', text: 'echo hello𠀀1', hidden: '2' },
  { encoding: 'big5', text: 'echo "許" touch', hidden: '\\\\' },
  { encoding: 'shift_jis', text: 'echo "表" touch', hidden: '\\\\' },
  { encoding: 'utf-16le-no-bom', text: 'echo 浲ⴠ晲砠', hidden: 'r' },
  { encoding: 'utf-16be', text: 'echo 牭', hidden: 'r' }
] as const

const start = (t: Test) => startApp(t)

t.test('changes with hidden characters need strict approval', async t => {
  const { call, write, root } = await start(t)
  write('gbk.txt', iconv.encode('hello 世界 abc\n这是一个很长的注释，用来猜测编码\n', 'gbk'))
  write('ascii.sh', 'echo hello\n')
  for (const { encoding, text, hidden } of DISGUISES) {
    const change = await call('write_file', { path: 'ascii.sh', content: text, encoding })
    t.match(change, { status: 'awaiting_approval', approval: { level: 'strict' } }, encoding)
    t.match(change.approval.reason, `bytes that programs may read as`, encoding)
    t.ok(change.approval.reason.includes(hidden), `${encoding}: ${change.approval.reason}`)
    t.match(
      change.approval.preview.notes,
      [change.approval.reason, `The encoding of the file changes from utf-8 to `],
      encoding
    )
    const creation = await call('write_file', { path: `new-${encoding}.sh`, content: text, encoding })
    t.match(creation, { status: 'awaiting_approval', approval: { level: 'strict' } }, encoding)
  }
  for (const params of [
    { path: 'gbk.txt', old: 'abc', new: '陓abc' },
    { path: 'gbk.txt', old: 'abc', new: '陓abc', encoding: 'gbk' },
    { path: 'ascii.sh', old: 'echo hello', new: 'echo hello陓 touch PWNED', encoding: 'gbk' }
  ]) {
    const edits = [{ old: params.old, new: params.new }]
    const { path, encoding } = params
    const patch = `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${path === 'gbk.txt' ? 'hello 世界 abc' : 'echo hello'}\n+陓\n`
    for (const [tool, input] of [
      ['edit_file', params],
      ['multi_edit', { path, edits, ...(encoding && { encoding }) }],
      ['apply_patch', { patch, ...(encoding && { encoding }) }]
    ] as const) {
      const { status, approval } = await call(tool, input)
      t.match({ status, level: approval?.level }, { status: 'awaiting_approval', level: 'strict' }, `${tool} ${path}`)
      t.match(approval.preview.notes.join(' '), /gb18030.*programs may read as "\|"/s, `${tool} ${path}`)
    }
  }
  t.equal(readFileSync(`${root}/ascii.sh`, 'utf8'), 'echo hello\n')
})

t.test('no mode and no rule lets them through', async t => {
  const { call, write, post } = await startApp(t, {}, { settings: { approval: { ttl_ms: 0, mode: 'accept-edits' } } })
  write('ascii.sh', 'echo hello\n')
  await post('/rules', { effect: 'allow', match: { tool: 'write_file' }, scope: 'workspace' })
  const { text: content, encoding } = DISGUISES[0]
  t.match(await call('write_file', { path: 'ascii.sh', content }), { status: 'success' })
  t.match(await call('write_file', { path: 'ascii.sh', content, encoding }), {
    status: 'awaiting_approval',
    approval: { level: 'strict' }
  })
})

t.test('bytes whose text would hide characters need strict approval, too', async t => {
  const { call, write } = await start(t)
  const before = '# 这是一个很长的注释，用来猜测编码\necho hello\n'
  write('gbk.sh', iconv.encode(before, 'gbk'))
  const content = iconv.encode(before.replace('hello', 'hello陓 touch PWNED'), 'gbk').toString('base64')
  t.match(await call('write_file', { path: 'gbk.sh', content, encoding: 'base64' }), {
    status: 'awaiting_approval',
    approval: { level: 'strict' }
  })
})

t.test('an encoding that the file is not in is refused', async t => {
  const { call, write } = await start(t)
  write('even.sh', 'echo hi\n')
  write('utf8.txt', 'größe\n')
  for (const [path, old, encoding] of [
    ['even.sh', '捥潨', 'utf-16le'],
    ['utf8.txt', 'Ã', 'windows-1252'],
    ['utf8.txt', 'gr', 'gbk']
  ] as const) {
    const { error } = await call('edit_file', { path, old, new: 'x', encoding })
    t.match(
      error,
      { code: 'INVALID_PARAMS', message: `is not the encoding of ${path}, which is utf-8: omit \`encoding\`.` },
      path
    )
  }
})

t.test('an encoding that reads the file otherwise than it looks needs strict approval', async t => {
  const { call, write } = await start(t)
  write('a.txt', iconv.encode('// Это комментарий\nreturn 0; // возвращает значение\n', 'windows-1251'))
  t.match(await call('edit_file', { path: 'a.txt', old: 'return 0', new: 'return 1', encoding: 'koi8-r' }), {
    status: 'awaiting_approval',
    approval: {
      level: 'strict',
      reason: 'The call says that the encoding is koi8-r, but the file looks like windows-1251'
    }
  })
})

t.test('other changes ask as before, with the encoding in the preview', async t => {
  const { call, write } = await start(t)
  write('sjis.txt', iconv.encode('日本語のコメントです。表\nend\n値を返す関数です\n', 'shift_jis'))
  write('u16.txt', Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from('größe 表\nend\n', 'utf16le')]))
  t.match(await call('edit_file', { path: 'sjis.txt', old: 'end', new: 'END' }), {
    approval: {
      level: 'ask',
      preview: {
        notes: ['The encoding of the file was guessed as shift_jis. The change does not change the encoding.']
      }
    }
  })
  t.match(await call('edit_file', { path: 'u16.txt', old: 'end', new: 'END' }), {
    approval: { level: 'ask', preview: { notes: ['The file is written in utf-16le.'] } }
  })
})

t.test('overwriting with content that no preview shows needs strict approval, but for binary formats', async t => {
  const { call, write } = await start(t)
  write('run.sh', 'echo fine\n')
  const overwrite = (bytes: Buffer) =>
    call('write_file', { path: 'run.sh', content: bytes.toString('base64'), encoding: 'base64' })
  t.match(await overwrite(Buffer.from('#!/bin/sh\necho fine\n\0e\0cho mores\n')), {
    approval: { level: 'strict', reason: /^The new content is neither text nor a known binary format/ }
  })
  t.match(await overwrite(Buffer.concat([Buffer.from('\x7fELF'), Buffer.alloc(60)])), { approval: { level: 'ask' } })
  t.match(
    await call('write_file', {
      path: 'new.bin',
      content: Buffer.from([0, 1, 2]).toString('base64'),
      encoding: 'base64'
    }),
    {
      status: 'success'
    }
  )
})
