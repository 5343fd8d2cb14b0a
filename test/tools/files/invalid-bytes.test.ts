// Edits and patches of text with bytes that are not in its encoding, which readers see as U+FFFD.
// tier: quick
import { readFileSync } from 'node:fs'
import t from 'tap'
import { startUndoFixture, type UndoFixture } from '../../engine/undo-fixture.ts'

/** Bytes by an escape for each invalid one. */
const toBytes = (text: string) =>
  Buffer.concat(
    text.split(/(\[..\])/).map((part, i) => (i % 2 === 0 ? Buffer.from(part) : Buffer.from(part.slice(1, 3), 'hex')))
  )
const TEXT = 'größe 日本語のテキスト\ncaf[e9] au lait\nr[ea]ve[ff] end\nlast [80]\n'
const bytes = (app: UndoFixture, name = 'a.txt') => readFileSync(app.at(name))

async function startDamaged(t: Test) {
  const app = await startUndoFixture(t)
  app.write('a.txt', toBytes(TEXT))
  return app
}
type Test = Parameters<typeof startUndoFixture>[0]

const REFUSED = {
  status: 'error',
  error: {
    code: 'INVALID_PARAMS',
    message:
      /"\ufffd", which represents bytes that are invalid in the file's encoding, \d+ times?, and the replaced text has \d+: it is ambiguous which bytes are meant\. To keep the bytes, use "\ufffd" as often as the replaced text, in the same order\. Or omit all "\ufffd", or replace less text\.$/
  }
}

t.test('quotes match them, and new text keeps them', async t => {
  const app = await startDamaged(t)
  const { content } = (await app.call('read_file', { path: 'a.txt' })).result.data
  t.equal(content, 'größe 日本語のテキスト\ncaf\ufffd au lait\nr\ufffdve\ufffd end\nlast \ufffd\n')
  const edited = await app.did('edit_file', {
    path: 'a.txt',
    old: 'r\ufffdve\ufffd end\n',
    new: 'R\ufffdve\ufffd END\nmore\n'
  })
  t.match(edited.result.data, { match: 'exact', diff: /^-r\ufffdve\ufffd end\n\+R\ufffdve\ufffd END\n\+more$/m })
  t.same(bytes(app), toBytes('größe 日本語のテキスト\ncaf[e9] au lait\nR[ea]ve[ff] END\nmore\nlast [80]\n'))
  t.match(await app.undo(edited), { status: 'success' })
  t.same(bytes(app), toBytes(TEXT))
  const loose = await app.did('edit_file', { path: 'a.txt', old: 'last \ufffd  \n', new: 'first \ufffd\n' })
  t.match(loose.result.data, { match: 'whitespace' })
  t.same(bytes(app), toBytes(TEXT.replace('last', 'first')))
  const similar = await app.did('edit_file', {
    path: 'a.txt',
    old: 'caf\ufffd au lai',
    new: 'caf\ufffd crème',
    encoding: 'utf-8'
  })
  t.same(
    bytes(app),
    toBytes('größe 日本語のテキスト\ncaf[e9] crèmet\nr[ea]ve[ff] end\nfirst [80]\n'),
    similar.result.data.match
  )
  await app.did('multi_edit', {
    path: 'a.txt',
    encoding: 'utf-8',
    edits: [
      { old: '\ufffd', new: '<\ufffd>', replace_all: true },
      { old: 'caf<\ufffd>', new: 'café' }
    ]
  })
  t.same(
    bytes(app),
    toBytes('größe 日本語のテキスト\ncafé crèmet\nr<[ea]>ve<[ff]> end\nfirst <[80]>\n'),
    'each place keeps its own'
  )
})

t.test('new text without them removes them', async t => {
  const app = await startDamaged(t)
  await app.did('edit_file', { path: 'a.txt', old: 'caf\ufffd au lait', new: 'café au lait', encoding: 'utf-8' })
  t.same(bytes(app), toBytes(TEXT.replace('[e9]', 'é')))
})

t.test('asks for the encoding before other characters than ASCII are put in', async t => {
  const app = await startDamaged(t)
  const refused = {
    status: 'error',
    error: { code: 'INVALID_PARAMS', details: { errors: [{ pointer: '/params/encoding' }] } }
  }
  const edit = { path: 'a.txt', old: 'last', new: '完了' }
  t.match(await app.call('edit_file', edit), refused)
  t.match(await app.call('multi_edit', { path: 'a.txt', edits: [{ old: 'last', new: 'zuletzt, schön' }] }), refused)
  const patch = (line: string) =>
    `*** Begin Patch\n*** Update File: a.txt\n@@\n-größe 日本語のテキスト\n+${line}\n*** End Patch\n`
  t.match(await app.call('apply_patch', { patch: patch('größe à la carte') }), refused)
  t.same(bytes(app), toBytes(TEXT))
  await app.did('apply_patch', { patch: patch('größe 日本') })
  await app.did('edit_file', { ...edit, encoding: 'utf-8' })
  t.same(
    bytes(app),
    toBytes(TEXT.replace('日本語のテキスト', '日本').replace('last', '完了')),
    'or keeps those that were there'
  )
})

t.test('refuses new text in which it is uncertain which bytes are meant', async t => {
  const app = await startDamaged(t)
  const refuse = async (old: string, now: string) => {
    t.match(await app.call('edit_file', { path: 'a.txt', old, new: now }), REFUSED, old)
    t.match(await app.call('multi_edit', { path: 'a.txt', edits: [{ old, new: now }] }), REFUSED, old)
  }
  await refuse('r\ufffdve\ufffd end', 'r\ufffdve end')
  await refuse('caf\ufffd', 'caf\ufffd caf\ufffd')
  await refuse(' au lait', '\ufffd au lait')
  await refuse('caf au lai', 'caf\ufffd \ufffd')
  t.same(bytes(app), toBytes(TEXT))
})

t.test('valid U+FFFD is a character like others', async t => {
  const app = await startUndoFixture(t, { 'valid.txt': 'a \ufffd b\n' })
  await app.did('edit_file', { path: 'valid.txt', old: 'a \ufffd', new: 'a \ufffd\ufffd' })
  t.equal(app.read('valid.txt'), 'a \ufffd\ufffd b\n')
  app.write('both.txt', toBytes('日本語 a \ufffd b [ff]\n'))
  await app.did('edit_file', { path: 'both.txt', old: 'a \ufffd b \ufffd', new: 'A \ufffd B \ufffd' })
  t.same(bytes(app, 'both.txt'), toBytes('日本語 A \ufffd B [ff]\n'))
})

t.test('a whole write notes that they are lost', async t => {
  const app = await startDamaged(t)
  const note =
    'The file has bytes that are invalid in its encoding. The new content replaces them with the character "�", so these bytes are lost. To keep them, use edit_file.'
  const params = { path: 'a.txt', content: 'größe caf\ufffd\n' }
  const asked = await app.call('write_file', params)
  t.match(asked, { status: 'awaiting_approval', approval: { preview: { notes: [note] } } })
  t.match((await app.did('write_file', params)).result.data.notes, [note])
  t.equal(app.read('a.txt'), params.content)
  t.equal((await app.did('write_file', { ...params, content: '\ufffd\n' })).result.data.notes, undefined)
})

t.test('halves of surrogate pairs in UTF-16 stay', async t => {
  const app = await startUndoFixture(t)
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')
  app.write('a.txt', utf16('日本 \ud83d end\n'))
  await app.did('edit_file', { path: 'a.txt', old: '\ufffd end', new: '\ufffd END' })
  t.same(bytes(app), utf16('日本 \ud83d END\n'))
})

t.test('patches', async t => {
  const app = await startDamaged(t)
  const patch = (...lines: string[]) => ({
    patch: `*** Begin Patch\n*** Update File: a.txt\n@@\n${lines.join('\n')}\n*** End Patch\n`
  })
  const done = await app.did(
    'apply_patch',
    patch(' caf\ufffd au lait', '-r\ufffdve\ufffd end', '+R\ufffdve\ufffd END', '+more', ' last \ufffd')
  )
  t.match(done.result.data.files, [{ hunks: [{ match: 'exact' }] }])
  t.same(bytes(app), toBytes(TEXT.replace('r[ea]ve[ff] end', 'R[ea]ve[ff] END\nmore')))
  await app.did('apply_patch', { patch: `--- a/a.txt\n+++ b/a.txt\n@@ -5 +5 @@\n-last \ufffd\n+\ufffd last\n` })
  const now = TEXT.replace('r[ea]ve[ff] end', 'R[ea]ve[ff] END\nmore').replace('last [80]', '[80] last')
  t.same(bytes(app), toBytes(now))
  t.match(await app.call('apply_patch', patch('-R\ufffdve\ufffd END', '+R\ufffdve END')), REFUSED)
  t.match(
    await app.call('apply_patch', patch('-caf\ufffd au lait', ' R\ufffdve\ufffd END', '+caf\ufffd au lait')),
    REFUSED,
    'lines that move'
  )
  t.same(bytes(app), toBytes(now))
  await app.did('apply_patch', patch('-caf\ufffd au lait', ' R\ufffdve\ufffd END'))
  t.same(bytes(app), toBytes(now.replace('caf[e9] au lait\n', '')))
})
