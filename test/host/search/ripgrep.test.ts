// tier: full
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { ToolError } from '../../../src/errors.ts'
import { openWorkspace } from '../../../src/host/files/paths.ts'
import { searchExcludeGlobs, secretNamesOf } from '../../../src/host/files/policy/path-policy.ts'
import type { SpawnRequest } from '../../../src/host/processes/spawner/child-handle.ts'
import { Spawner } from '../../../src/host/processes/spawner/spawner.ts'
import { Ripgrep, type SearchHit, type SearchOmissions } from '../../../src/host/search/ripgrep.ts'
import type { RipgrepQuery } from '../../../src/host/search/ripgrep-arguments.ts'
import { needs } from '../../support/needs.ts'
import { makeTestFolder } from '../../support/test-folder.ts'
import { once, within } from '../../support/wait.ts'

const spawner = new Spawner(process.env)
t.teardown(() => spawner.close())

/** Swaps two names repeatedly. */
const EXCHANGE = `
import ctypes, sys
one, other = (name.encode() for name in sys.argv[1:])
exchange = lambda: ctypes.CDLL(None).renameat2(-100, one, -100, other, 2)
exchange()
print('begun', flush=True)
while True: exchange()`

type Tree = { [name: string]: string | Tree }

function bench(t: Test, tree: Tree) {
  const top = makeTestFolder(t, { ws: tree as never, out: { 'secret.txt': 'CANARY needle' } })
  const root = join(top, 'ws')
  execaSync('git', ['init', '-q', root])
  const workspace = openWorkspace('default', root)
  const guard = { stateDir: join(top, 'state'), sensitive: ['*.private'] }
  const ripgrep = new Ripgrep(spawner, workspace, {
    exclude: searchExcludeGlobs(workspace, guard),
    secrets: secretNamesOf(guard)
  })
  const signal = new AbortController().signal
  const query = (pattern: string, more: Partial<RipgrepQuery> = {}): RipgrepQuery => ({
    pattern,
    path: '.',
    kind: 'directory',
    mode: 'content',
    literal: false,
    case: 'sensitive',
    multiline: false,
    ignored: false,
    context: 0,
    include: [],
    exclude: [],
    signal,
    ...more
  })
  const search = async (
    pattern: string,
    more?: Partial<RipgrepQuery>
  ): Promise<{ found: SearchHit[]; missed: SearchOmissions }> => {
    const running = ripgrep.search(query(pattern, more))
    const found: SearchHit[] = []
    for (;;) {
      const step = await within('the next matches, or the end of the search', running.next())
      if (step.done) return { found: found.sort(byPlace), missed: step.value }
      found.push(...step.value)
    }
  }
  const paths = async (pattern: string, more?: Partial<RipgrepQuery>) =>
    (await search(pattern, { mode: 'files', ...more })).found.map(({ path }) => path)
  return { top, root, ripgrep, query, search, paths }
}

const byPlace = (a: SearchHit, b: SearchHit) =>
  Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)) || ('line' in a && 'line' in b ? a.line - b.line : 0)

t.test('a match has its position, its text and its context', async t => {
  const { search } = bench(t, { a: { 'b.txt': 'one\ntwo é needle\nthree\nneedle four\nfive\n' }, 'c.txt': 'no\n' })
  t.same(await search('needle', { context: 1 }), {
    found: [
      { path: 'a/b.txt', line: 2, column: 7, text: 'two é needle', before: ['one'], after: ['three'] },
      { path: 'a/b.txt', line: 4, column: 1, text: 'needle four', before: ['three'], after: ['five'] }
    ],
    missed: { unreadable: { count: 0, paths: [] }, binary: { count: 0, paths: [] }, too_long: 0 }
  })
  t.same((await search('e{2}.*\\nn', { multiline: true, path: 'a' })).found, [
    { path: 'a/b.txt', line: 3, column: 4, text: 'three\nneedle four', before: [], after: [] }
  ])
  t.same((await search('ne+d', { mode: 'count' })).found, [{ path: 'a/b.txt', count: 2 }])
  t.same((await search('NEEDLE', { case: 'insensitive', mode: 'files' })).found, [{ path: 'a/b.txt' }])
  t.same((await search('NEEDLE', { case: 'smart' })).found, [])
  t.same((await search('nothing here')).found, [])
})

t.test('a line ends before its CRLF', async t => {
  const { search } = bench(t, { 'a.txt': 'one\r\ntwo\r\n' })
  t.same((await search('^(one|tw.*)$')).found, [
    { path: 'a.txt', line: 1, column: 1, text: 'one', before: [], after: [] },
    { path: 'a.txt', line: 2, column: 1, text: 'two', before: [], after: [] }
  ])
  t.same((await search('one\\r?\\ntwo$', { multiline: true, mode: 'count' })).found, [{ path: 'a.txt', count: 1 }])
})

t.test('no pattern, path or glob becomes an option', async t => {
  const { paths, root, top } = bench(t, {
    'x.sh': '#!/bin/sh\ntouch ../PWNED\n',
    'a.txt': '--pre=./x.sh\n-e\n#!x\nx\n',
    '--pre=.': { 'x.sh': 'x\n' },
    '-f': 'x\n'
  })
  execaSync('chmod', ['+x', join(root, 'x.sh')])
  t.same(await paths('--pre=./x.sh'), ['a.txt'])
  t.same(await paths('-e', { literal: true }), ['a.txt'])
  t.same(await paths('--', { include: ['--pre=./x.sh'] }), [])
  t.same(await paths('^x$', { path: '--pre=.', include: ['-*', '*.sh'] }), ['--pre=./x.sh'])
  t.same(await paths('^x$', { path: '-f', kind: 'file' }), ['-f'])
  t.same(await paths('^x$', { exclude: ['--pre=*', '-f', '!a.txt', '#'] }), ['a.txt'])
  t.notOk(existsSync(join(top, 'PWNED')))
})

t.test("reports ripgrep's rejection as the caller's error", async t => {
  const { search } = bench(t, { 'a.txt': 'xx' })
  const cases: [string, Partial<RipgrepQuery>, string, RegExp][] = [
    ['[', {}, '/params/pattern', /unclosed character class/],
    ['(?P<a>x)(?P=a)', {}, '/params/pattern', /unrecognized flag|backreference/],
    ['(?=x)', {}, '/params/pattern', /look-around/],
    ['a{1000}{1000}{1000}', {}, '/params/pattern', /size limit/],
    ['a\nb', {}, '/params/pattern', /multiline/],
    ['x', { exclude: ['a['] }, '/params/exclude', /unclosed character class/],
    ['x', { include: ['a['] }, '/params/include', /without \]/]
  ]
  for (const [pattern, more, pointer, message] of cases) {
    const error = await search(pattern, more).then(
      () => t.fail(`${pattern} is taken`),
      error => error
    )
    t.match(error, { code: 'INVALID_PARAMS', message, details: { errors: [{ pointer }] } }, pattern)
  }
  t.same((await search('(x+x+)+y')).found, [], 'what would take another engine for ever is linear here')
})

t.test('excludes links, git, sensitive and binary files', async t => {
  const { paths, search, ripgrep, root, top } = bench(t, {
    'a.txt': 'needle',
    '.env': 'needle',
    '.env.example': 'needle',
    '.ENV.local': 'needle',
    'credentials.json': 'needle',
    'credentials.ts': 'needle',
    'mine.private': 'needle',
    '.ssh': { config: 'needle' },
    '.github': { 'w.yml': 'needle' },
    'b.bin': 'needle\n\0needle\n',
    sub: { '.git': 'gitdir: needle' }
  })
  symlinkSync(join(top, 'out'), join(root, 'out'))
  symlinkSync(join(top, 'out', 'secret.txt'), join(root, 'link.txt'))
  const open = ['.env.example', '.github/w.yml', 'a.txt', 'credentials.ts']
  t.same(
    (await search('needle')).found.map(({ path }) => path),
    open
  )
  t.same(
    (await paths('needle')).filter(path => path !== 'b.bin'),
    open
  )
  const { files: listed, sensitive } = await ripgrep.files({ path: '.', hidden: true, ignored: true })
  t.same([...listed].sort(), [...open, 'b.bin'].sort())
  t.same([...sensitive].sort(), ['.ENV.local', '.env', '.ssh/config', 'credentials.json', 'mine.private'])
  for (const path of ['.env', '.ssh/config', 'credentials.json', 'mine.private', '.git/HEAD', 'sub/.GIT'])
    await t.rejects(paths('.', { path, kind: 'file' }), { code: 'SENSITIVE_PATH' }, `${path}, asked for by name`)
  await t.rejects(paths('.', { path: '.ssh' }), { code: 'SENSITIVE_PATH' })
  await t.rejects(ripgrep.files({ path: '.git', hidden: true, ignored: true }), { code: 'SENSITIVE_PATH' })
  t.same(await paths('needle', { path: 'credentials.ts', kind: 'file' }), ['credentials.ts'])
  t.same(await paths('needle', { path: 'link.txt', kind: 'file' }), [], 'a link is not followed')
  t.same((await search('needle', { path: 'b.bin', kind: 'file' })).found, [])
  await t.rejects(search('needle', { path: 'out' }), { code: 'NOT_A_DIRECTORY' })
})

t.test('excludes ignored files, also included ones, unless requested by name', async t => {
  const tree = { '.gitignore': '*.min.js\nbuild/\n', 'a.js': 'x', 'a.min.js': 'x', build: { 'b.js': 'x' }, 'c.ts': 'x' }
  const { paths, ripgrep } = bench(t, tree)
  t.same(await paths('x', { include: ['*.js'] }), ['a.js'])
  t.same(await paths('x', { include: ['**'] }), ['a.js', 'c.ts'])
  t.same(await paths('x', { include: ['*.{js,ts}'] }), ['a.js', 'c.ts'])
  t.same(await paths('x', { path: 'build' }), ['build/b.js'])
  t.same(await paths('x', { path: 'a.min.js', kind: 'file' }), ['a.min.js'])
  const list = async (more: object) =>
    [...(await ripgrep.files({ path: '.', hidden: false, ignored: false, ...more })).files].sort()
  t.same(await list({}), ['a.js', 'c.ts'])
  t.same(await list({ hidden: true }), ['.gitignore', 'a.js', 'c.ts'])
  t.same(await list({ ignored: true }), ['a.js', 'a.min.js', 'build/b.js', 'c.ts'])
  t.same([...(await ripgrep.filesIn('.')).files].sort(), ['.gitignore', 'a.js', 'c.ts'])
  t.same(await ripgrep.filesIn('missing'), { files: [], sensitive: [] })
})

t.test('include globs match paths if they contain a slash', async t => {
  const tree = { src: { 'a.ts': 'x', deep: { 'b.ts': 'x', 'c.tsx': 'x' } }, test: { 'a.ts': 'x' }, '[x].ts': 'x' }
  const { paths } = bench(t, tree)
  t.same(await paths('x', { include: ['src/*.ts'] }), ['src/a.ts'])
  t.same(await paths('x', { include: ['src/**/*.{ts,tsx}'] }), ['src/a.ts', 'src/deep/b.ts', 'src/deep/c.tsx'])
  t.same(await paths('x', { include: ['{src,test}/a.ts'] }), ['src/a.ts', 'test/a.ts'])
  t.same(await paths('x', { include: ['\\[x\\].ts'] }), ['[x].ts'])
  t.same(await paths('x', { path: 'src', include: ['deep/*'] }), ['src/deep/b.ts', 'src/deep/c.tsx'])
  t.same(await paths('x', { include: ['deep/', 'test'] }), [])
  t.same(await paths('x', { exclude: ['deep', 'test/'] }), ['[x].ts', 'src/a.ts'])
  t.same(await paths('x', { include: ['{a,b}'.repeat(30)] }), [], 'many braces are no burden')
})

t.test('cuts very long lines around the match, or reports them as omitted', async t => {
  const { search } = bench(t, {
    'long.txt': `${'a'.repeat(5000)} needle ${'b'.repeat(5000)}\n`,
    'longer.txt': `short needle\n${'a'.repeat(2_000_000)} needle\nneedle again\n`
  })
  const { found, missed } = await search('needle')
  t.same(missed, { unreadable: { count: 0, paths: [] }, binary: { count: 0, paths: [] }, too_long: 1 })
  t.same(
    found.map(one => 'text' in one && [one.path, one.line, one.column, one.text.length, one.text.includes('needle')]),
    [
      ['long.txt', 1, 5002, 1002, true],
      ['longer.txt', 1, 7, 12, true],
      ['longer.txt', 3, 1, 12, true]
    ]
  )
})

t.test('the reader may leave, or the call be cancelled', async t => {
  const { ripgrep, query, root } = bench(t, {})
  mkdirSync(join(root, 'many'))
  for (let i = 0; i < 50; i += 1) writeFileSync(join(root, 'many', `${i}.txt`), 'needle\n'.repeat(20_000))
  for await (const group of ripgrep.search(query('needle'))) {
    t.ok(group.length > 0)
    break
  }
  const abort = new AbortController()
  const search = ripgrep.search(query('needle', { signal: abort.signal }))
  await search.next()
  abort.abort(new ToolError('CANCELLED', 'enough'))
  const rest = async () => {
    for await (const _ of search);
  }
  await t.rejects(rest(), { code: 'CANCELLED' })
  await t.rejects(ripgrep.files({ path: '.', hidden: true, ignored: false, signal: abort.signal }), {
    code: 'CANCELLED'
  })
})

t.test('a failed search differs from one without matches', async t => {
  const { root } = bench(t, { 'a.txt': 'needle' })
  const workspace = openWorkspace('default', root)
  const ways: [script: string, message: string][] = [
    ['echo no room >&2; exit 1', 'The search failed: no room'],
    ['kill -KILL $$', 'The search failed: ripgrep was killed by SIGKILL'],
    ['exit 101', 'The search failed: ripgrep ended with code 101']
  ]
  for (const [script, message] of ways) {
    class Instead extends Spawner {
      override spawn(request: SpawnRequest) {
        return super.spawn({ ...request, file: '/bin/sh', args: ['-c', script] })
      }
    }
    const instead = new Instead(process.env)
    t.teardown(() => instead.close())
    const ripgrep = new Ripgrep(instead, workspace, { exclude: [] })
    const files = ripgrep.files({ path: '.', hidden: true, ignored: false })
    await t.rejects(files, { code: 'EXECUTION_ERROR', message }, script)
  }
})

t.test('spells names that are not UTF-8, and shows lines in their encoding', async t => {
  const { search, root } = bench(t, {})
  writeFileSync(Buffer.concat([Buffer.from(`${root}/n`), Buffer.from([0xff])]), 'needle\n')
  writeFileSync(join(root, 'latin.txt'), Buffer.from('caf\xe9 needle\n', 'latin1'))
  t.same(
    (await search('needle')).found.map(one => 'text' in one && [one.path, one.text, one.column]),
    [
      ['latin.txt', 'caf\xe9 needle', 6],
      ['n\\xff', 'needle', 1]
    ]
  )
})

t.test('a link swapped for a folder or file leads no search outside', needs('linux', 'python3'), async t => {
  const { root, top, search, ripgrep } = bench(t, { flip: { d: { 'plain.txt': 'nothing' } } })
  symlinkSync(join(top, 'out'), join(root, 'flip/l'))
  const other = spawn('python3', ['-c', EXCHANGE, 'd', 'l'], { cwd: join(root, 'flip') })
  try {
    await once(other.stdout, 'data')
    for (let i = 0; i < 30; i += 1) {
      t.strictSame((await search('CANARY')).found, [])
      const { files } = await ripgrep.files({ path: '.', hidden: true, ignored: false })
      t.notOk(files.some(file => file.endsWith('secret.txt')))
    }
  } finally {
    // Not a teardown: the folder is removed before those run, while the process still changes it.
    const ended = once(other, 'exit')
    other.kill('SIGKILL')
    await ended
  }
})
