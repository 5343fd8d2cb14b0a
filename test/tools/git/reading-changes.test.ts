// Tests of git read tools on names and changes of every kind, and on large ones.
// tier: full
import { chmodSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { Json } from '../../start-app.ts'
import { startGitReadFixture, toBytePath } from './read-fixture.ts'

const ZEROS = '0'.repeat(40)
const names = (entries: Json[]) => entries.map(({ path }) => path)

t.test('names of every kind', async t => {
  // biome-ignore format: a table
  const odd = [
    'with space', 'tab\there', 'line\nbreak', '"quoted"', 'back\\slash', '-dash', '--output=x', ':colon', ':(top)x',
    '*', '[a]', '{b}', '?', '!bang', '#hash', '$(x)', 'ünï', '名前', '🙂', 'a => b', '{x => y}', 'diff --git a b'
  ]
  const app = await startGitReadFixture(t, Object.fromEntries(odd.map(name => [`d/${name}`, 'one\n'])))
  app.init()
  for (const name of odd) app.write(`d/${name}`, 'two\n')
  const sorted = [...odd].map(name => `d/${name}`).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  t.strictSame(names((await app.data('git_status')).entries), sorted)
  const diff = await app.data('git_diff')
  t.strictSame(names(diff.files), sorted)
  for (const file of diff.files) {
    t.match(file, { operation: 'modified', added: 1, removed: 1 }, file.path)
    t.match(file.diff, /^diff --git [\s\S]*\n@@ -1 \+1 @@\n-one\n\+two\n$/, file.path)
  }
  for (const name of sorted) {
    t.strictSame(names((await app.data('git_diff', { path: name })).files), [name], 'that one alone')
    t.match(await app.data('git_log', { path: name }), { commits: [{ subject: 'First' }] }, name)
    t.match(await app.data('git_blame', { path: name }), { ranges: [{ text: 'two\n', oid: ZEROS }] }, name)
    t.match(
      await app.data('git_show', { rev: `HEAD:${name}` }).catch(fault => fault.message),
      /[\t\n]/.test(name) ? /INVALID_PARAMS/ : { path: name, file: { content: 'one\n' } }
    )
  }
  app.commit('all of them')
  app.git(['mv', 'd/tab\there', 'd/{x => y} moved'])
  app.git(['mv', '--', 'd/-dash', '-dashed'])
  app.commit('moved')
  const { commits } = await app.data('git_log', { files: true, limit: 1 })
  t.match(commits[0].files, [
    { path: '-dashed', from: 'd/-dash', operation: 'renamed', added: 0, removed: 0 },
    { path: 'd/{x => y} moved', from: 'd/tab\there', operation: 'renamed', added: 0, removed: 0 }
  ])
  writeFileSync(toBytePath(app.at('d'), [0x66, 0xff, 0xe9]), 'bytes\n')
  t.strictSame(names((await app.data('git_status')).entries), ['d/f\ufffd\ufffd'], 'bytes that are no UTF-8')
  app.git(['add', '-A'])
  t.match((await app.data('git_diff', { staged: true })).files, [{ path: 'd/f\ufffd\ufffd', added: 1 }])
})

t.test('changes of every kind', async t => {
  const app = await startGitReadFixture(t, {
    'mode.sh': '#!/bin/sh\n',
    'type.txt': 'text\n',
    'crlf.txt': 'a\r\nb\r\n',
    'folder-to-be': 'x\n',
    'gone.txt': 'g\n',
    'r.txt': 'line\n'.repeat(20),
    'latin.txt': 'x\n'
  })
  writeFileSync(app.at('bin'), Buffer.from([0, 1, 2]))
  symlinkSync('mode.sh', app.at('link'))
  app.init()
  chmodSync(app.at('mode.sh'), 0o755)
  app.remove('type.txt')
  symlinkSync('mode.sh', app.at('type.txt'))
  app.remove('link')
  symlinkSync('crlf.txt', app.at('link'))
  app.write('crlf.txt', 'a\r\nB\r\n')
  app.remove('folder-to-be')
  app.write('folder-to-be/inner.txt', 'i\n')
  app.remove('gone.txt')
  renameSync(app.at('r.txt'), app.at('renamed.txt'))
  app.write('renamed.txt', `${'line\n'.repeat(20)}more\n`)
  writeFileSync(app.at('bin'), Buffer.from([0, 1, 3]))
  writeFileSync(app.at('latin.txt'), Buffer.from([0xe9, 0x0a]))
  app.git(['add', '-A'])
  const { files } = await app.data('git_diff', { staged: true })
  t.match(files, [
    {
      path: 'bin',
      operation: 'modified',
      binary: true,
      added: null,
      removed: null,
      diff: /Binary files a\/bin and b\/bin differ/
    },
    { path: 'crlf.txt', operation: 'modified', diff: /\n-b\r\n\+B\r\n$/ },
    { path: 'folder-to-be', operation: 'deleted' },
    { path: 'folder-to-be/inner.txt', operation: 'added' },
    { path: 'gone.txt', operation: 'deleted', added: 0, removed: 1 },
    { path: 'latin.txt', diff: /\n-x\n\+\ufffd\n$/ },
    {
      path: 'link',
      operation: 'modified',
      old_mode: '120000',
      new_mode: '120000',
      diff: /-mode\.sh\n[\s\S]*\+crlf\.txt/
    },
    { path: 'mode.sh', operation: 'modified', old_mode: '100644', new_mode: '100755', added: 0, removed: 0 },
    { path: 'renamed.txt', from: 'r.txt', operation: 'renamed', similarity: Number, added: 1, removed: 0 },
    {
      path: 'type.txt',
      operation: 'type_changed',
      old_mode: '100644',
      new_mode: '120000',
      diff: /deleted file mode 100644[\s\S]*new file mode 120000/
    }
  ])
  const stat = await app.data('git_diff', { staged: true, stat: true })
  t.strictSame(
    stat.files,
    files.map(({ diff: _, ...file }: Json) => file),
    'the same without text'
  )
  t.strictSame((await app.data('git_diff')).files, [])
  t.match(await app.data('git_diff', { base: 'HEAD', path: 'crlf.txt', context: 0 }), {
    files: [{ diff: /@@ -2 \+2 @@/ }]
  })
})

t.test('large ones stay within limits', async t => {
  const app = await startGitReadFixture(t)
  app.init()
  app.write('long.txt', 'x\n'.repeat(300_000))
  app.write('one-line.txt', 'y'.repeat(3_000_000))
  app.write('z.txt', 'z\n')
  app.git(['add', '-A'])
  const call = await app.call('git_diff', { staged: true })
  const { files, truncated, added, total } = call.result.data
  t.match(files, [
    { path: 'long.txt', added: 300_000, diff_truncated: true },
    { path: 'one-line.txt', added: 1, diff_truncated: true },
    { path: 'z.txt', added: 1 }
  ])
  t.match(files[2].diff, /\+z\n$/, 'what comes after is told whole')
  t.strictSame([truncated, added, total], [true, 300_002, 3])
  t.ok(call.result.content.length < 60_000)
  t.ok(files[0].diff.length <= 128 * 1024)
  const alone = await app.data('git_diff', { staged: true, path: 'long.txt', limit: 1 })
  t.ok(alone.files[0].diff.length > 128 * 1024 && alone.files[0].diff.length <= 1024 * 1024)
  const page = await app.data('git_diff', { staged: true, limit: 1, offset: 2 })
  t.strictSame([names(page.files), page.next_offset], [['z.txt'], undefined])
  app.commit('large')
  t.match(await app.data('git_show', { rev: 'HEAD:long.txt', offset: 299_999 }), {
    file: { content: 'x\n', lines: 300_000 },
    truncated: false
  })
  t.match(await app.data('git_show', { rev: 'HEAD:long.txt' }), { truncated: true, next_offset: 2_000 })
  t.match(await app.data('git_blame', { path: 'long.txt' }), {
    ranges: [{ start: 1, end: 1_000 }],
    truncated: true,
    next_line: 1_001
  })
})
