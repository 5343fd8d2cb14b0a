// tier: quick
// Files with zero bytes, in UTF-16, or unreadable: a search names what it has not searched, or has not shown.
import { chmodSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { startApp } from '../../start-app.ts'

const TEXT = 'const key = `a\0b`\nexport function wanted() {}\n'
const NOTE = (files: string) => `Matches in binary files are not shown. Set \`binary\` to show matches in: ${files}.`

t.test('names files with zero bytes that match', async t => {
  const { call, write } = await startApp(t, {
    'n.ts': TEXT,
    'late.ts': `wanted\n${'x\n'.repeat(100_000)}\0`,
    'o.txt': 'other'
  })
  for (const params of [{}, { path: 'n.ts' }, { path: '.', include: 'n*' }, { literal: true }, { multiline: true }]) {
    const { result } = await call('grep', { pattern: 'wanted', ...params })
    const names = Object.hasOwn(params, 'include') || params.path === 'n.ts' ? 'n.ts' : 'late.ts, n.ts'
    t.same([result.data.matches, result.data.missed], [[], [NOTE(names)]], JSON.stringify(params))
    t.equal(result.content, `No matches in the files that were searched.\n(${NOTE(names)})`)
  }
  write('plain.ts', 'wanted\n')
  const beside = await call('grep', { pattern: 'wanted' })
  t.match(beside.result.data, { matches: [{ path: 'plain.ts', line: 1 }], missed: [NOTE('late.ts, n.ts')] })
  t.same((await call('grep', { pattern: 'unwanted' })).result.content, 'No matches.')
})

t.test('shows their lines on request, and finds them in the other modes', async t => {
  const { call } = await startApp(t, { 'src/n.ts': TEXT })
  const { result } = await call('grep', { pattern: 'wanted', binary: true })
  t.match(result.data, {
    matches: [{ path: 'src/n.ts', line: 2, column: 17, text: 'export function wanted() {}' }],
    missed: []
  })
  t.same((await call('grep', { pattern: 'wanted', mode: 'files' })).result.data.matches, [{ path: 'src/n.ts' }])
  t.same((await call('grep', { pattern: 'wanted', mode: 'count' })).result.data.matches, [
    { path: 'src/n.ts', count: 1 }
  ])
})

t.test('bounds the names', async t => {
  const files = Array.from({ length: 13 }, (_, i) => [`f${String(i).padStart(2, '0')}.bin`, TEXT])
  const { call } = await startApp(t, Object.fromEntries(files))
  const names = files.slice(0, 10).map(([name]) => name)
  t.same((await call('grep', { pattern: 'wanted' })).result.data.missed, [NOTE(`${names.join(', ')} and 3 more`)])
})

t.test('leaves out secrets and ignored files from the names, too', async t => {
  const { call } = await startApp(t, { '.ignore': 'out\n', 'out/n.ts': TEXT, '.env': TEXT, id_rsa: TEXT })
  t.same((await call('grep', { pattern: 'wanted' })).result.data.missed, [])
})

t.test('names files in UTF-16 without a byte order mark', async t => {
  const { call, write } = await startApp(t, { 'image.bin': '\x89PNG\0\0\0\x01' })
  const text = 'The first line of a text.\nwanted is in the second.\n'.repeat(20)
  write('u.txt', Buffer.from(text, 'utf16le'))
  write('sub/b.txt', Buffer.from(text, 'utf16le').swap16())
  const note =
    'Some files were not searched, because they are in UTF-16 without a byte order mark. Set `encoding` to search: sub/b.txt, u.txt.'
  t.same((await call('grep', { pattern: 'wanted' })).result.data.missed, [note])
  t.same((await call('grep', { pattern: 'wanted', mode: 'files' })).result.data.missed, [note])
  t.match((await call('grep', { pattern: 'wanted', path: 'u.txt' })).result.data.missed, [/u\.txt/])
  const named = await call('grep', { pattern: 'wanted', path: 'u.txt', encoding: 'utf-16le' })
  t.match(named.result.data, { total: 20, missed: [] })
})

t.test(
  'names what could not be read',
  { skip: process.getuid?.() === 0 && 'everything is readable for root' },
  async t => {
    const { call, root } = await startApp(t, { 'closed.txt': 'wanted', 'shut/a.txt': 'wanted' })
    for (const name of ['closed.txt', 'shut']) chmodSync(path.join(root, name), 0)
    t.teardown(() => chmodSync(path.join(root, 'shut'), 0o700))
    t.same((await call('grep', { pattern: 'wanted' })).result.data.missed, [
      'Files that could not be read: closed.txt, shut.'
    ])
  }
)
