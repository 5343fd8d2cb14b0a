// tier: quick
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execaSync } from 'execa'
import t from 'tap'
import { hashBytes } from '../../../src/host/files/content-source.ts'
import { encode } from '../../../src/text/encoding.ts'
import copyFile from '../../../src/tools/files/copy_file.ts'
import createDirectory from '../../../src/tools/files/create_directory.ts'
import deleteFile from '../../../src/tools/files/delete_file.ts'
import editFile from '../../../src/tools/files/edit_file.ts'
import moveFile from '../../../src/tools/files/move_file.ts'
import writeFile from '../../../src/tools/files/write_file.ts'
import {
  catchErrorCode,
  catchToolError,
  createToolFixture,
  effectOf,
  planOf,
  previewOf,
  requestOf,
  reviewOf,
  runPlanned,
  runTool,
  snapshotTree
} from '../fixture.ts'

const read = (root: string, path: string) => readFileSync(join(root, path), 'utf8')

t.test('write_file creates a file with its folders, and previews it', async t => {
  const { ctx, root, reported } = createToolFixture(t)
  const input = { path: 'a/b.txt', content: 'one\ntwo\n' }
  t.equal(await effectOf(writeFile, input, ctx), 'create')
  t.same(await previewOf(writeFile, input, ctx), {
    title: 'Create a/b.txt',
    diff: 'diff --git a/a/b.txt b/a/b.txt\nnew file mode 100644\n--- /dev/null\n+++ b/a/b.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n'
  })
  t.notOk(existsSync(join(root, 'a')), 'the preview changed nothing')
  const hash = hashBytes(Buffer.from(input.content))
  const output = await runTool(writeFile, input, ctx)
  t.same(output, { path: 'a/b.txt', size: 8, hash, created: true })
  t.equal(writeFile.present(output, input).content, 'Created a/b.txt (8 bytes).')
  t.same(reported.at(-1), { path: 'a/b.txt', operation: 'created', after_hash: hash, added: 2, removed: 0 })
})

t.test('write_file overwrites a file as previewed', async t => {
  const { ctx, root, reported } = createToolFixture(t, { 'a.txt': 'one\ntwo\n' })
  const input = { path: 'a.txt', content: 'one\nTWO\n' }
  t.equal(await effectOf(writeFile, input, ctx), 'write')
  t.match(await previewOf(writeFile, input, ctx), { title: 'Overwrite a.txt', diff: /-two\n\+TWO/ })
  t.match(await runTool(writeFile, input, ctx), { created: false })
  t.equal(read(root, 'a.txt'), 'one\nTWO\n')
  t.match(reported.at(-1), {
    operation: 'modified',
    before_hash: hashBytes(Buffer.from('one\ntwo\n')),
    added: 1,
    removed: 1
  })
})

t.test('write_file needs no approval for the content that the file has, and then writes nothing else', async t => {
  const { ctx, root, reported } = createToolFixture(t, { 'a.txt': 'one\r\n', '.env': 'KEY=1\n' })
  const input = { path: 'a.txt', content: 'one\n' }
  t.equal(await effectOf(writeFile, input, ctx), 'read')
  const hash = hashBytes(Buffer.from('one\r\n'))
  const plan = await planOf(writeFile, input, ctx)
  const output = await runPlanned(writeFile, input, ctx, plan)
  t.same(output, { path: 'a.txt', size: 5, hash, created: false, unchanged: true })
  t.equal(writeFile.present(output, input).content, 'a.txt already had this content (5 bytes).')
  t.same(reported, [])
  writeFileSync(join(root, 'a.txt'), 'changed meanwhile')
  t.equal(await catchErrorCode(() => runPlanned(writeFile, input, ctx, plan)), 'STALE_FILE')
  t.equal(read(root, 'a.txt'), 'changed meanwhile')
  t.equal(await effectOf(writeFile, input, ctx), 'write')
  t.match(await runTool(writeFile, input, ctx), { size: 4 })
})

t.test('write_file preserves encoding and line endings of a file', async t => {
  const { ctx, root } = createToolFixture(t, {
    bom: Buffer.from('\ufeffold\r\nx\r\n'),
    wide: encode('old\n', 'utf-16be')!,
    latin: Buffer.from('caf\xe9 and more plain text', 'latin1'),
    binary: Buffer.from([0, 1])
  })
  const written = async (path: string, content: string, encoding: 'utf-8' | 'base64' = 'utf-8') => {
    await runTool(writeFile, { path, content, encoding }, ctx)
    return readFileSync(join(root, path))
  }
  t.same(await written('bom', 'a\nb\n'), Buffer.from('\ufeffa\r\nb\r\n'))
  t.same(await written('bom', 'a\r\nb\n'), Buffer.from('\ufeffa\r\nb\n'), 'mixed line endings are meant')
  t.same(await written('wide', 'é'), encode('é', 'utf-16be'))
  t.same(await written('latin', 'é'), Buffer.from([0xe9]))
  t.same(await written('latin', '日'), Buffer.from('日'), 'what the encoding does not have is UTF-8')
  t.same(await written('binary', 'text'), Buffer.from('text'))
  t.same(await written('binary', 'AAEC', 'base64'), Buffer.from([0, 1, 2]))
  t.same(await previewOf(writeFile, { path: 'binary', content: 'AAE=', encoding: 'base64' }, ctx), {
    title: 'Overwrite binary',
    text: '2 bytes that are not text'
  })
})

t.test('write_file rejects what it cannot do', async t => {
  const { ctx, root } = createToolFixture(t, { d: {}, 'a.txt': '' })
  const before = snapshotTree(root)
  const cases: [Parameters<typeof writeFile.request>[0], string][] = [
    [{ path: 'd', content: '' }, 'NOT_A_FILE'],
    [{ path: 'a.txt/x', content: '' }, 'NOT_A_DIRECTORY'],
    [{ path: 'x/y', content: '', create_dirs: false }, 'FILE_NOT_FOUND'],
    [{ path: 'a.txt/y', content: '', create_dirs: false }, 'NOT_A_DIRECTORY'],
    [{ path: '../x', content: '' }, 'INVALID_PATH'],
    [{ path: 'x', content: '\ud800' }, 'INVALID_PARAMS'],
    [{ path: 'x', content: 'no base64!', encoding: 'base64' }, 'INVALID_PARAMS'],
    [{ path: '.git/hooks/x', content: '' }, 'PERMISSION_DENIED']
  ]
  for (const [input, expected] of cases)
    t.equal(await catchErrorCode(() => runTool(writeFile, input, ctx)), expected, JSON.stringify(input))
  t.equal(snapshotTree(root), before)
  await runTool(writeFile, { path: 'd/new', content: 'x', create_dirs: false }, ctx)
  await runTool(writeFile, { path: 'top', content: 'x', create_dirs: false }, ctx)
  t.same(readdirSync(root), ['a.txt', 'd', 'top'])
})

t.test('edit_file applies its preview', async t => {
  const { ctx, root, reported } = createToolFixture(t, { 'a.txt': 'one\ntwo\nthree\n' })
  const input = { path: 'a.txt', old: 'two', new: '2' }
  const preview = await previewOf(editFile, input, ctx)
  t.same(preview, { title: 'Edit a.txt', diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n' })
  t.equal(await reviewOf(editFile, input, ctx), undefined)
  const output = await runTool(editFile, input, ctx)
  const hash = hashBytes(Buffer.from('one\n2\nthree\n'))
  t.same(output, {
    path: 'a.txt',
    applied: true,
    replacements: 1,
    match: 'exact',
    similarity: 1,
    diff: preview.diff,
    hash
  })
  t.equal(read(root, 'a.txt'), 'one\n2\nthree\n')
  t.match(editFile.present(output, input), { title: 'a.txt', content: /^Replaced 1 place in a.txt.\n--- a/ })
  t.match(reported.at(-1), { operation: 'modified', added: 1, removed: 1, after_hash: hash })
})

t.test('edit_file reports an inexact match, and a fuzzy one always requires approval', async t => {
  const { ctx } = createToolFixture(t, { 'a.py': 'def f():\n    return 1\n\ndef other_function():\n    pass\n' })
  const indented = { path: 'a.py', old: 'def f():\n  return 1', new: 'def f():\n  return 2' }
  t.match(await previewOf(editFile, indented, ctx), { notes: [/indentation/], diff: /- {4}return 1\n\+ {4}return 2/ })
  t.equal(await reviewOf(editFile, indented, ctx), undefined)
  const fuzzy = { path: 'a.py', old: 'def othr_funktion():', new: 'def g():' }
  t.match(await previewOf(editFile, fuzzy, ctx), { notes: [/The most similar text \(9\d %\)/] })
  t.match(await reviewOf(editFile, fuzzy, ctx), /most similar/)
  const output = await runTool(editFile, fuzzy, ctx)
  t.match(output, { match: 'fuzzy', similarity: 0.904 })
  t.match(editFile.present(output, fuzzy).content, /most similar text \(90 %\)/)
  const all = { path: 'a.py', old: '  ', new: '\t', replace_all: true }
  t.match(await previewOf(editFile, all, ctx), { title: 'Edit a.py in 4 places' })
  t.match(editFile.present(await runTool(editFile, all, ctx), all).content, /^Replaced 4 places/)
})

t.test('edit_file shows where the text could have been meant', async t => {
  const { ctx, root } = createToolFixture(t, { 'a.txt': 'same\nother line here\nsame\n' })
  const before = snapshotTree(root)
  const twice = await catchToolError(() => runTool(editFile, { path: 'a.txt', old: 'same', new: 'x' }, ctx))
  t.equal(twice.code, 'AMBIGUOUS_MATCH')
  t.equal(
    twice.message,
    'The old text occurs 2 times in a.txt: line 1 (100 %), line 3 (100 %). Include more context in the old text, or use replace_all.'
  )
  const missing = await catchToolError(() =>
    runTool(editFile, { path: 'a.txt', old: 'othr lime hare!!', new: 'x' }, ctx)
  )
  t.equal(missing.code, 'OLD_TEXT_NOT_FOUND')
  t.match(missing.message, /^The old text does not occur in a.txt. Nearest: line 2 \(\d\d %\)/)
  t.match(missing.details, {
    path: 'a.txt',
    candidates: [
      {
        path: 'a.txt',
        start_line: 2,
        end_line: 2,
        similarity: Number,
        diff: '@@ -1 +1 @@\n-othr lime hare!!\n+other line here\n'
      }
    ],
    search_complete: true
  })
  const cases: [Parameters<typeof editFile.request>[0], string][] = [
    [{ path: 'a.txt', old: 'same', new: 'same' }, 'INVALID_PARAMS'],
    [{ path: 'a.txt', old: 'same', new: '\udc00' }, 'INVALID_PARAMS'],
    [{ path: 'none', old: 'a', new: 'b' }, 'FILE_NOT_FOUND'],
    [{ path: '.', old: 'a', new: 'b' }, 'NOT_A_FILE']
  ]
  for (const [input, expected] of cases) t.equal(await catchErrorCode(() => runTool(editFile, input, ctx)), expected)
  t.equal(snapshotTree(root), before)
})

t.test('edit_file rejects files it cannot preserve', async t => {
  const { ctx, root } = createToolFixture(t, {
    bin: Buffer.from([0, 1]),
    latin: Buffer.from('caf\xe9 and more plain text', 'latin1'),
    ws: 'a \nb'
  })
  t.equal(await catchErrorCode(() => runTool(editFile, { path: 'bin', old: 'a', new: 'b' }, ctx)), 'BINARY_FILE')
  t.equal(
    await catchErrorCode(() => runTool(editFile, { path: 'latin', old: 'and', new: '日' }, ctx)),
    'INVALID_PARAMS'
  )
  t.equal(
    await catchErrorCode(() => runTool(editFile, { path: 'ws', old: 'a\r\nb', new: 'a \nb' }, ctx)),
    'INVALID_PARAMS',
    'nothing would change'
  )
  writeFileSync(join(root, 'large'), Buffer.alloc(9_000_000, 'a'))
  t.equal(await catchErrorCode(() => runTool(editFile, { path: 'large', old: 'ab', new: 'b' }, ctx)), 'TOO_LARGE')
})

t.test('a carriage return alone is a character of its line', async t => {
  const { ctx, root } = createToolFixture(t, { cr: 'one\rtwo\rthree\r' })
  t.equal(
    await catchErrorCode(() => runTool(editFile, { path: 'cr', old: 'one\ntwo\n', new: '' }, ctx)),
    'OLD_TEXT_NOT_FOUND'
  )
  const edited = await runTool(editFile, { path: 'cr', old: 'one\rtwo\r', new: 'one\r2\r' }, ctx)
  t.match(edited, { match: 'exact' })
  t.equal(readFileSync(join(root, 'cr'), 'utf8'), 'one\r2\rthree\r')
})

t.test('a file with credentials reveals nothing before a decision', async t => {
  const { ctx } = createToolFixture(t, { '.env': 'TOKEN=CANARY\nOTHER=1\n' })
  for (const old of ['OTHER=1', 'OTHER=2', 'TOKEN=X']) {
    const input = { path: '.env', old, new: 'OTHER=3' }
    const shown = JSON.stringify([await previewOf(editFile, input, ctx), await reviewOf(editFile, input, ctx)])
    t.notMatch(shown, /CANARY|similar/)
    t.match(shown, /requires approval/)
  }
  const write = await previewOf(writeFile, { path: '.env', content: 'TOKEN=new' }, ctx)
  t.match(write, { title: 'Overwrite .env', text: 'TOKEN=new', notes: [/requires approval/] })
  t.same(await requestOf(editFile, { path: '.env', old: 'a', new: 'b', if_match: 'h' }, ctx), {
    paths: [
      { path: '.env', access: 'write', if_match: 'h' },
      { path: '.env', access: 'read' }
    ]
  })
})

t.test('delete_file previews the removal, and removes folders only if requested', async t => {
  const { ctx, root } = createToolFixture(t, { 'a.txt': 'a', d: { e: { f: '' }, g: '' }, keep: '' })
  t.match(await previewOf(deleteFile, { path: 'a.txt' }, ctx), { title: 'Delete a.txt', text: 'a.txt', diff: /^-a$/m })
  t.match(await previewOf(deleteFile, { path: 'd', recursive: true }, ctx), {
    title: 'Delete d and the 3 entries in it',
    text: 'd\nd/e\nd/g\nd/e/f'
  })
  t.equal(await catchErrorCode(() => previewOf(deleteFile, { path: 'd' }, ctx)), 'NOT_A_FILE')
  t.equal(await catchErrorCode(() => runTool(deleteFile, { path: 'd' }, ctx)), 'NOT_A_FILE')
  t.equal(await catchErrorCode(() => runTool(deleteFile, { path: 'none' }, ctx)), 'FILE_NOT_FOUND')
  t.equal(await catchErrorCode(() => runTool(deleteFile, { path: '.', recursive: true }, ctx)), 'PERMISSION_DENIED')
  const output = await runTool(deleteFile, { path: 'd', recursive: true }, ctx)
  t.same(output, { deleted: ['d', 'd/e', 'd/g', 'd/e/f'] })
  t.equal(deleteFile.present(output, { path: 'd' }).content, 'Deleted 4 paths:\nd\nd/e\nd/g\nd/e/f')
  t.same(await runTool(deleteFile, { path: 'a.txt' }, ctx), { deleted: ['a.txt'] })
  t.same(readdirSync(root), ['keep'])
  t.match(deleteFile.present({ deleted: Array(300).fill('x') }, { path: 'd' }).content, /… and 100 more$/)
  t.same(await requestOf(deleteFile, { path: 'd', recursive: true }, ctx), {
    paths: [{ path: 'd', access: 'write', tree: true }]
  })
})

t.test('move_file overwrites only if requested', async t => {
  const { ctx, root } = createToolFixture(t, { a: 'a', b: 'b', '.env': 'S' })
  const free = { from: 'a', to: 'x/c' }
  t.equal(await effectOf(moveFile, free, ctx), 'create')
  t.same(await previewOf(moveFile, free, ctx), {
    title: 'Move a to x/c',
    diff: 'diff --git a/a b/x/c\nrename from a\nrename to x/c\n'
  })
  await planOf(moveFile, free, ctx)
  t.equal(await catchErrorCode(() => planOf(moveFile, { from: 'a', to: 'b' }, ctx)), 'FILE_EXISTS')
  t.equal(await catchErrorCode(() => planOf(moveFile, { from: 'none', to: 'c' }, ctx)), 'FILE_NOT_FOUND')
  t.equal(await catchErrorCode(() => runTool(moveFile, { from: 'a', to: 'b' }, ctx)), 'FILE_EXISTS')
  const over = { from: 'a', to: 'b', overwrite: true }
  t.equal(await effectOf(moveFile, over, ctx), 'write')
  t.same(await previewOf(moveFile, over, ctx), {
    title: 'Move a to b',
    diff: 'diff --git a/a b/b\nrename from a\nrename to b\n',
    notes: ['Overwrites the existing b.']
  })
  const output = await runTool(moveFile, over, ctx)
  t.same(
    [output, moveFile.present(output, over).content, read(root, 'b')],
    [{ from: 'a', to: 'b' }, 'Moved a to b.', 'a']
  )
  t.same(await runTool(moveFile, { from: 'b', to: 'x/c' }, ctx), { from: 'b', to: 'x/c' })
  const { paths } = await requestOf(moveFile, { from: '.env', to: 'x' }, ctx)
  t.ok(paths!.some(({ path, access }) => path === '.env' && access === 'read'))
})

t.test('copy_file copies files and whole folders', async t => {
  const { ctx, root, outside } = createToolFixture(t, { 'a.sh': 'a', d: { e: { f: 'ff' }, g: 'g' }, b: 'b' })
  execaSync('chmod', ['755', join(root, 'a.sh')])
  symlinkSync(outside, join(root, 'd/link'))
  symlinkSync(outside, join(root, 'out'))
  const before = snapshotTree(root)
  const cases: [Parameters<typeof copyFile.request>[0], string][] = [
    [{ source: 'none', dest: 'x' }, 'FILE_NOT_FOUND'],
    [{ source: 'a.sh', dest: 'b' }, 'FILE_EXISTS'],
    [{ source: 'a.sh', dest: 'd', overwrite: true }, 'NOT_A_FILE'],
    [{ source: 'd', dest: 'x' }, 'NOT_A_FILE'],
    [{ source: 'd', dest: 'd/x', recursive: true }, 'INVALID_PATH'],
    [{ source: '.', dest: 'x', recursive: true }, 'INVALID_PATH'],
    [{ source: 'out', dest: 'x' }, 'INVALID_PATH'],
    [{ source: 'a.sh', dest: '.git/x' }, 'PERMISSION_DENIED']
  ]
  for (const [input, expected] of cases)
    t.equal(await catchErrorCode(() => runTool(copyFile, input, ctx)), expected, JSON.stringify(input))
  t.equal(snapshotTree(root), before)

  const input = { source: 'd', dest: 'copies/d', recursive: true }
  t.same(await previewOf(copyFile, input, ctx), {
    title: 'Copy d to copies/d',
    text: 'd/g → copies/d/g\nd/e/f → copies/d/e/f',
    notes: ['Omitted: 1 link.']
  })
  const output = await runTool(copyFile, input, ctx)
  t.same(
    [output, copyFile.present(output, input).content],
    [
      { source: 'd', dest: 'copies/d', size: 3, left_out: { links: 1, others: 0 } },
      'Copied d to copies/d (3 bytes). Omitted: 1 link.'
    ]
  )
  t.same(await runTool(copyFile, { source: 'a.sh', dest: 'copies/a.sh' }, ctx), {
    source: 'a.sh',
    dest: 'copies/a.sh',
    size: 1
  })
  t.match(await previewOf(copyFile, { source: 'a.sh', dest: 'b', overwrite: true }, ctx), {
    notes: ['Overwrites 1 files.']
  })
  await runTool(copyFile, { source: 'a.sh', dest: 'b', overwrite: true }, ctx)
  t.same([read(root, 'b'), read(root, 'copies/d/e/f')], ['a', 'ff'])
  t.match(snapshotTree(join(root, 'copies')), /^a.sh f 755/m)
})

t.test('create_directory creates missing folders', async t => {
  const { ctx, reported } = createToolFixture(t, { f: '' })
  t.same(await previewOf(createDirectory, { path: 'a/b' }, ctx), { title: 'Create folder a/b' })
  const output = await runTool(createDirectory, { path: 'a/b' }, ctx)
  t.same(output, { path: 'a/b', created: true })
  t.equal(createDirectory.present(output, { path: 'a/b' }).content, 'Created a/b.')
  const again = await runTool(createDirectory, { path: 'a//b/' }, ctx)
  t.same(again, { path: 'a/b', created: false })
  t.equal(createDirectory.present(again, { path: 'a/b' }).content, 'a/b already existed.')
  t.same(
    reported.filter(entry => entry !== 'committed'),
    [
      { path: 'a', operation: 'created', kind: 'directory' },
      { path: 'a/b', operation: 'created', kind: 'directory' }
    ]
  )
  t.equal(await catchErrorCode(() => runTool(createDirectory, { path: 'x/y', parents: false }, ctx)), 'FILE_NOT_FOUND')
  t.equal(await catchErrorCode(() => runTool(createDirectory, { path: 'f' }, ctx)), 'FILE_EXISTS')
  t.equal(await catchErrorCode(() => runTool(createDirectory, { path: '../x' }, ctx)), 'INVALID_PATH')
})
