// tier: full
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what stands in braces is for a shell
// Paths that mean something else than what they spell: refused where nothing has that name, by each tool and each of its params.
import { existsSync, readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import t from 'tap'
import { type Json, startApp } from '../start-app.ts'
import { isAvailable } from '../support/needs.ts'

const FILES = { 'src/app.ts': 'app\n', 'my file.txt': 'mine\n' }

/** Each path with the reason for which it is refused, and with what to use instead. */
const MISREAD: readonly [given: string, why: string, meant?: string][] = [
  ['~/z.txt', 'begins with `~`, which is not expanded'],
  ['~', 'begins with `~`, which is not expanded'],
  ['src/~/z.txt', 'begins with `~`, which is not expanded'],
  ['~root/z.txt', 'begins with `~`, which is not expanded'],
  ['~/../z.txt', 'begins with `~`, which is not expanded'],
  ['$HOME/z.txt', 'begins with a shell variable, which is not expanded'],
  ['${HOME}/z.txt', 'begins with a shell variable, which is not expanded'],
  ['$TMPDIR/z.txt', 'begins with a shell variable, which is not expanded'],
  ['$env:USERPROFILE\\z.txt', 'begins with a shell variable, which is not expanded'],
  ['%USERPROFILE%\\z.txt', 'begins with a shell variable, which is not expanded'],
  ['%AppData%/z.txt', 'begins with a shell variable, which is not expanded'],
  ['${workspaceFolder}/src/app.ts', 'begins with a shell variable, which is not expanded', 'src/app.ts'],
  ['$PWD/src/new.ts', 'begins with a shell variable, which is not expanded', 'src/new.ts'],
  ['$(pwd)/src/new.ts', 'begins with a shell variable, which is not expanded', 'src/new.ts'],
  ['`pwd`/src/new.ts', 'begins with a shell variable, which is not expanded', 'src/new.ts'],
  ['C:\\Users\\me\\z.txt', 'begins with a drive letter, which is not supported on this system'],
  ['c:/Users/me/z.txt', 'begins with a drive letter, which is not supported on this system'],
  ['src/C:/z.txt', 'begins with a drive letter, which is not supported on this system'],
  ['src\\app.ts', 'has backslashes, which do not separate folders on this system', 'src/app.ts'],
  ['.\\src\\app.ts', 'has backslashes, which do not separate folders on this system', 'src/app.ts'],
  ['src/lib\\new.ts', 'has backslashes, which do not separate folders on this system', 'src/lib/new.ts'],
  ['..\\z.txt', 'has backslashes, which do not separate folders on this system'],
  ['\\\\server\\share', 'has backslashes, which do not separate folders on this system'],
  ['my\\ file.txt', 'has shell backslashes, which are not removed', 'my file.txt'],
  ['file:///abs/q.txt', 'is a URL, not a path'],
  ['file:src/app.ts', 'is a URL, not a path', 'src/app.ts'],
  ['https://example.com/z.txt', 'is a URL, not a path'],
  ['vscode-remote://ssh/z.txt', 'is a URL, not a path'],
  ['untitled:Untitled-1', 'is a URL, not a path'],
  ['"src/app.ts"', 'is in quotation marks', 'src/app.ts'],
  ["'src/new.ts'", 'is in quotation marks', 'src/new.ts'],
  ['`src/app.ts`', 'is in quotation marks', 'src/app.ts'],
  ['\u201csrc/app.ts\u201d', 'is in quotation marks', 'src/app.ts'],
  ['<src/app.ts>', 'is in quotation marks', 'src/app.ts'],
  ['src/app.ts"', 'begins or ends with a quotation mark', 'src/app.ts'],
  [' src/app.ts', 'has a space at the beginning or end of a name', 'src/app.ts'],
  ['src/app.ts ', 'has a space at the beginning or end of a name', 'src/app.ts'],
  ['src/app.ts\n', 'has a space at the beginning or end of a name', 'src/app.ts'],
  ['src /app.ts', 'has a space at the beginning or end of a name', 'src/app.ts'],
  ['src/app.ts\u00a0', 'has a space at the beginning or end of a name', 'src/app.ts'],
  ['src/\u200bapp.ts', 'has an invisible character (U+200B)', 'src/app.ts'],
  ['\ufeffsrc/app.ts', 'has an invisible character (U+FEFF)', 'src/app.ts'],
  ['src/app\u2060.ts\u00ad', 'has an invisible character (U+2060 U+00AD)', 'src/app.ts'],
  ['src/app.ts:12', 'ends with a line number, which is not part of a path', 'src/app.ts'],
  ['src/app.ts:12:3', 'ends with a line number, which is not part of a path', 'src/app.ts'],
  ['src/app.ts:12-20', 'ends with a line number, which is not part of a path', 'src/app.ts'],
  ['src/app.ts:12:', 'ends with a line number, which is not part of a path', 'src/app.ts'],
  ['src/app.ts#L12-L20', 'ends with a line number, which is not part of a path', 'src/app.ts'],
  ['src/app.ts(12,3)', 'ends with a line number, which is not part of a path', 'src/app.ts'],
  ['src%2Fapp.ts', 'is percent-encoded, but paths are not decoded', 'src/app.ts'],
  [' "src\\app.ts:12"', 'has a space at the beginning or end of a name', 'src/app.ts']
]

/** Names that look odd but mean themselves. */
const NAMES = [
  'app/routes/$id.tsx',
  '$lib/x.ts',
  'a/~root/x',
  '~$letter.docx',
  'x~',
  '#notes#',
  'log/12:30:01.txt',
  'localhost:8080/index.html',
  'it\'s "so".md',
  '[slug]/(group)/page (2).tsx',
  '100%.txt',
  'a b/c d.txt',
  '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645.txt',
  '\u{1f468}\u200d\u{1f469}.txt',
  'price: 12.txt'
]

const refusal = (given: string, why: string, meant?: string) => ({
  code: 'INVALID_PATH',
  message: `${JSON.stringify(given)} ${why}; ${
    meant === undefined ? 'use a path relative to the workspace root' : `use ${JSON.stringify(meant)}`
  }.`,
  recoverable: false,
  details: { path: given, ...(meant !== undefined && { meant }) }
})

t.test('refuses paths that mean something else, and makes nothing', async t => {
  const { call, root } = await startApp(t, FILES)
  for (const [given, why, meant] of MISREAD) {
    const writing = await call('write_file', { path: given, content: 'x' })
    t.same(writing.error, refusal(given, why, meant), given)
    const reading = await call('read_file', { path: given })
    t.same(reading.error, refusal(given, why, meant), given)
  }
  t.same(readdirSync(root).sort(), ['my file.txt', 'src'])
  t.same(readdirSync(path.join(root, 'src')), ['app.ts'])
})

t.test('names the path in the workspace that an absolute notation means', async t => {
  const { call, root } = await startApp(t, FILES)
  const home = path.relative(homedir(), root)
  const cases: readonly [given: string, why: string][] = [
    [`file://${root}/src/a%20b.ts`, 'is a URL, not a path'],
    [`file://localhost${root}/src/a%20b.ts`, 'is a URL, not a path'],
    [`"${root}/src/a b.ts"`, 'is in quotation marks'],
    [`${root}/src/a b.ts:7`, 'ends with a line number, which is not part of a path'],
    [`${root}/src/a b.ts\n`, 'has a space at the beginning or end of a name']
  ]
  for (const [given, why] of cases) {
    t.same((await call('write_file', { path: given, content: 'x' })).error, refusal(given, why, 'src/a b.ts'))
  }
  if (!home.startsWith('..'))
    t.same((await call('write_file', { path: `~/${home}/src/new.ts`, content: 'x' })).error.details.meant, 'src/new.ts')
})

t.test('makes entries whose names only look odd', async t => {
  const { call, root } = await startApp(t)
  for (const name of NAMES) {
    const { status, error } = await call('write_file', { path: name, content: 'x' })
    t.same([status, error], ['success', undefined], name)
    t.ok(existsSync(path.join(root, name)), name)
  }
})

t.test('reaches what has such a name, and what lies in such a folder', async t => {
  const names = MISREAD.map(([given]) => path.normalize(given)).filter(
    given => !/^\.|\n|^~\/\.\./.test(given) && given !== '~'
  )
  const { call, read } = await startApp(t, Object.fromEntries(names.map(name => [name, `${name.length}\n`])))
  for (const name of names) {
    const { status, result } = await call('read_file', { path: name })
    t.same([status, result?.data.content], ['success', `${name.length}\n`], name)
  }
  t.match(await call('write_file', { path: '~/beside.txt', content: 'x' }), { status: 'success' })
  t.match(await call('write_file', { path: 'c:/Users/me/beside.txt', content: 'x' }), { status: 'success' })
  t.equal(read('~/beside.txt'), 'x')
})

/** Every param of every tool that is a path, with a call that would be accepted but for it. */
const PARAMS: readonly [tool: string, params: (given: string) => Json][] = [
  ['read_file', path => ({ path })],
  ['write_file', path => ({ path, content: 'x' })],
  ['edit_file', path => ({ path, old: 'a', new: 'b' })],
  ['multi_edit', path => ({ path, edits: [{ old: 'a', new: 'b' }] })],
  ['edit_notebook_cell', path => ({ path, cell: 1, source: 'x' })],
  ['apply_patch', path => ({ patch: `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch` })],
  ['apply_patch', path => ({ patch: `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n` })],
  [
    'apply_patch',
    path => ({
      patch: `*** Begin Patch\n*** Update File: src/app.ts\n*** Move to: ${path}\n@@\n-app\n+new\n*** End Patch`
    })
  ],
  ['move_file', path => ({ from: path, to: 'src/b.ts' })],
  ['move_file', path => ({ from: 'src/app.ts', to: path })],
  ['copy_file', path => ({ source: path, dest: 'src/b.ts' })],
  ['copy_file', path => ({ source: 'src/app.ts', dest: path })],
  ['create_directory', path => ({ path })],
  ['delete_file', path => ({ path })],
  ['list_directory', path => ({ path })],
  ['glob', path => ({ path, pattern: '*' })],
  ['grep', path => ({ path, pattern: 'x' })],
  ['search_files', path => ({ path, pattern: 'x' })],
  ['search_code', path => ({ path, query: 'x' })],
  ['shell_exec', path => ({ command: 'true', cwd: path })],
  ['shell_background', path => ({ command: 'true', cwd: path })],
  ['run_code', path => ({ language: 'bash', code: 'true', cwd: path })],
  ['run_tests', path => ({ path })],
  ['format_code', path => ({ paths: [path] })],
  ['git_diff', path => ({ path })],
  ['git_log', path => ({ path })],
  ['git_blame', path => ({ path })],
  ['symbols', path => ({ path })],
  ['diagnostics', path => ({ path })]
]

t.test('refuses them in every param that is a path', async t => {
  const { call } = await startApp(t, FILES)
  for (const given of ['~/z.ts', 'src\\app.ts', 'src/app.ts:12'])
    for (const [tool, params] of PARAMS) {
      // Code runs in a sandbox alone, which is looked for first.
      if (tool === 'run_code' && !isAvailable('sandbox')) continue
      const { status, error } = await call(tool, params(given))
      t.match([status, error], ['error', { code: 'INVALID_PATH', message: JSON.stringify(given) }], `${tool} ${given}`)
    }
})

t.test('refuses them for uploads, before any byte is stored', async t => {
  const { request, root } = await startApp(t)
  for (const [given, why] of MISREAD.slice(0, 20)) {
    const target = `/files/${given.split('/').map(encodeURIComponent).join('/')}`
    if (new URL(target, 'http://x').pathname !== target) continue
    const { status, body } = await request('PUT', target, 'x', { 'content-type': 'application/octet-stream' })
    t.match([status, body.code, body.detail], [400, 'INVALID_PATH', why], given)
  }
  t.same(readdirSync(root), [])
})
