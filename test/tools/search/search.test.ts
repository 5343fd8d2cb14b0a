// tier: full
import { utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { Spawner } from '../../../src/host/processes/spawner/spawner.ts'
import { appliesGitignoreEverywhere } from '../../../src/host/watch/ignore-rules.ts'
import type { LookupContext } from '../../../src/tool/contexts.ts'
import type { Tool } from '../../../src/tool/tool.ts'
import glob from '../../../src/tools/search/glob.ts'
import grep from '../../../src/tools/search/grep.ts'
import tools from '../../../src/tools/search/index.ts'
import searchFiles from '../../../src/tools/search/search_files.ts'
import { catchErrorCode, type FileTree, runTool } from '../fixture.ts'
import { createHostFixture, drainProgress } from '../host-fixture.ts'

const spawner = new Spawner(process.env)
t.teardown(() => spawner.close())

function repository(t: Test, tree: FileTree) {
  const machine = createHostFixture(t, spawner, tree)
  execaSync('git', ['init', '-q', machine.root])
  return { ...machine, at: (path: string) => join(machine.root, path) }
}

t.same(
  tools.map(({ name }) => name),
  ['glob', 'grep', 'search_code', 'search_files']
)
for (const tool of tools as readonly Tool[])
  t.same(
    [tool.effect, tool.traits?.idempotent, await tool.request({ pattern: 'x' }, {} as LookupContext)],
    ['read', true, { paths: [{ path: '.', access: 'list', tree: true }] }],
    tool.name
  )

t.test('grep reports positions, and streams them', async t => {
  const { ctx } = repository(t, { a: { 'b.ts': 'one\nneedle two\nthree\n' }, 'c.md': 'a needle\n' })
  const input = { pattern: 'needle', context: 1 }
  const { told, answer } = await drainProgress(grep, input, ctx)
  t.same(told.map(({ message }) => message).sort(), ['a/b.ts:2: needle two', 'c.md:1: a needle'])
  t.same(answer, {
    matches: [
      { path: 'a/b.ts', line: 2, column: 1, text: 'needle two', before: ['one'], after: ['three'] },
      { path: 'c.md', line: 1, column: 3, text: 'a needle', before: [], after: [] }
    ],
    total: 2,
    truncated: false,
    missed: []
  })
  t.same(grep.present(answer, input), {
    title: 'needle',
    content: 'a/b.ts\n  1- one\n  2: needle two\n  3- three\nc.md\n  1: a needle',
    metadata: { total: 2 }
  })
})

t.test('grep stops at its limit and says so', async t => {
  const { ctx } = repository(t, { 'a.txt': 'x\n'.repeat(5000), 'b.txt': 'x\n' })
  const input = { pattern: 'x', limit: 3, path: 'a.txt' }
  const output = await runTool(grep, input, ctx)
  t.same([output.matches.map(({ line }) => line), output.truncated], [[1, 2, 3], true])
  t.ok(output.total > 3)
  t.match(grep.present(output, input), { truncated: true, content: /Stopped at 3 results; there are more/ })
  t.match(await runTool(grep, { pattern: 'x', limit: 1, path: 'b.txt' }, ctx), { total: 1, truncated: false })
})

t.test('grep in its other modes', async t => {
  const { ctx } = repository(t, { 'a.txt': 'X x\nx\n', 'b.js': 'x', 'c.js': 'no' })
  t.match(await runTool(grep, { pattern: 'x', mode: 'files' }, ctx), {
    matches: [{ path: 'a.txt' }, { path: 'b.js' }],
    total: 2
  })
  const counted = await runTool(grep, { pattern: 'X', mode: 'count', case: 'insensitive', include: '*.txt' }, ctx)
  t.same(counted.matches, [{ path: 'a.txt', count: 3 }])
  t.match(grep.present(counted, { pattern: 'X', mode: 'count' }).content, /^a\.txt: 3$/)
  t.match(await runTool(grep, { pattern: 'x', mode: 'files', exclude: ['a.*'] }, ctx), { matches: [{ path: 'b.js' }] })
  t.match(
    grep.present(await runTool(grep, { pattern: 'q(', literal: true }, ctx), { pattern: 'q(' }).content,
    /^No matches\.$/
  )
})

t.test('grep rejects what it cannot search', async t => {
  const { ctx } = repository(t, { '.env': 'x', 'a.txt': 'x' })
  t.equal(await catchErrorCode(() => runTool(grep, { pattern: '[' }, ctx)), 'INVALID_PARAMS')
  t.equal(await catchErrorCode(() => runTool(grep, { pattern: 'x', path: 'missing' }, ctx)), 'FILE_NOT_FOUND')
  t.equal(await catchErrorCode(() => runTool(grep, { pattern: 'x', path: '..' }, ctx)), 'INVALID_PATH')
  t.equal(await catchErrorCode(() => runTool(grep, { pattern: 'x', path: '.env' }, ctx)), 'SENSITIVE_PATH')
})

t.test('glob lists matches, newest first', async t => {
  const tree = {
    src: { 'a.ts': '', deep: { 'b.ts': '', '.c.ts': '' } },
    'd.ts': '',
    'e.js': '',
    '.gitignore': 'out/\n'
  }
  const { ctx, at } = repository(t, { ...tree, out: { 'f.ts': '' } })
  const times = { 'src/a.ts': 2, 'src/deep/b.ts': 3, 'd.ts': 1, 'src/deep/.c.ts': 0, 'out/f.ts': 9 }
  for (const [file, time] of Object.entries(times)) utimesSync(at(file), time, time)
  const files = async (input: object) => (await runTool(glob, { pattern: '*.ts', ...input }, ctx)).files
  for (const round of ['cold', 'warm']) {
    t.same(await files({}), ['src/deep/b.ts', 'src/a.ts', 'd.ts'], round)
    t.same(await files({ include_hidden: true }), ['src/deep/b.ts', 'src/a.ts', 'd.ts', 'src/deep/.c.ts'])
    t.same(await files({ path: 'src' }), ['src/deep/b.ts', 'src/a.ts'])
    t.same(await files({ pattern: 'deep/*', path: 'src' }), ['src/deep/b.ts'])
    t.same(await files({ pattern: 'src/**/*.{ts,js}' }), ['src/deep/b.ts', 'src/a.ts'])
    t.same(await files({ no_ignore: true }), ['out/f.ts', 'src/deep/b.ts', 'src/a.ts', 'd.ts'])
    t.same(await files({ path: 'out' }), ['out/f.ts'], 'an ignored folder that is asked for')
    await ctx.host.list.warm()
  }
  const input = { pattern: '*.ts', limit: 1 }
  const output = await runTool(glob, input, ctx)
  t.same(output, { files: ['src/deep/b.ts'], total: 3, truncated: true, left_out: { hidden: 1 } })
  t.match(
    glob.present(output, input).content,
    /^src\/deep\/b\.ts\n\(The newest 1 of 3\..*\)\n\(Omitted: 1 hidden \(include_hidden shows them\)\.\)$/
  )
  t.match(glob.present({ files: [], total: 0, truncated: false }, input).content, /^No files match/)
  const ignored = await runTool(glob, { pattern: 'f.*' }, ctx)
  t.same(ignored, { files: [], total: 0, truncated: false, left_out: { ignored: 1 } })
  t.equal(
    glob.present(ignored, { pattern: 'f.*' }).content,
    `No files match.\n(Omitted: 1 ignored (no_ignore shows them).)`
  )
  t.equal(await catchErrorCode(() => files({ pattern: 'a[' })), 'INVALID_PARAMS')
  t.equal(await catchErrorCode(() => files({ path: 'missing' })), 'FILE_NOT_FOUND')
  t.equal(await catchErrorCode(() => files({ path: 'd.ts' })), 'NOT_A_DIRECTORY')
})

t.test('search_files ranks: name, prefix, word, substring, letters', async t => {
  const tree = {
    'user.ts': '',
    'userList.ts': '',
    'super-user.ts': '',
    'ListUser.ts': '',
    'abuser.ts': '',
    user: { 'index.ts': '' },
    'u_s_e_r.txt': '',
    ultra: { slow: { editor: {} } },
    'none.md': ''
  }
  const { ctx, at } = repository(t, tree)
  const found = async (pattern: string, path?: string) =>
    (await runTool(searchFiles, { pattern, ...(path && { path }) }, ctx)).files
  t.same(await found('user'), [
    'user.ts',
    'userList.ts',
    'ListUser.ts',
    'super-user.ts',
    'abuser.ts',
    'user/index.ts',
    'u_s_e_r.txt'
  ])
  t.same((await found('USER.TS'))[0], 'user.ts')
  t.same(await found('user/ind'), ['user/index.ts'])
  t.same(await found('*user.ts'), ['user.ts', 'abuser.ts', 'ListUser.ts', 'super-user.ts'])
  t.same(await found('index', 'user'), ['user/index.ts'])
  t.same(await found('(x+x+)+y'), [])
  await ctx.host.list.warm()
  writeFileSync(at('brand-new.ts'), '')
  t.same(await found('brand'), ['brand-new.ts'])
  t.equal(await catchErrorCode(() => found('x[')), 'INVALID_PARAMS')
  t.equal(await catchErrorCode(() => found('x', 'missing')), 'FILE_NOT_FOUND')
})

t.test('says what was left out only if something was', async t => {
  const files = {
    '.gitignore': 'out/\n',
    out: { 'made.env': 'x', 'b.js': 'needle' },
    '.env': 'needle',
    'a.env': 'x',
    'a.ts': 'a\n'
  }
  const { ctx } = repository(t, files)
  for (const warm of [false, true]) {
    if (warm) await ctx.host.list.warm()
    const found = { files: ['a.ts'], total: 1, truncated: false }
    t.same(await runTool(glob, { pattern: '*.ts' }, ctx), found)
    t.same(glob.present(found, { pattern: '*.ts' }).content, 'a.ts')
    const none = { files: [], total: 0, truncated: false }
    const secret = { ...none, left_out: { sensitive: 2 } }
    t.same(await runTool(glob, { pattern: '*.env' }, ctx), secret)
    t.equal(
      glob.present(secret, { pattern: '*.env' }).content,
      `No files match.\n(Omitted: 2 that may contain credentials.)`
    )
    t.same(await runTool(glob, { pattern: '**/*.env', no_ignore: true }, ctx), { ...none, left_out: { sensitive: 3 } })
    t.same(await runTool(searchFiles, { pattern: 'a.env' }, ctx), { ...none, left_out: { sensitive: 1 } })

    const nothing = { matches: [], total: 0, truncated: false, missed: [] }
    const searched = await runTool(grep, { pattern: 'needle' }, ctx)
    t.same(searched, { ...nothing, left_out: { ignored: 1, sensitive: 2 } })
    t.equal(
      grep.present(searched, { pattern: 'needle' }).content,
      `No matches.\n(Omitted: 1 ignored (no_ignore shows them), 2 that may contain credentials.)`
    )
    t.same(await runTool(grep, { pattern: 'needle', include: '*.ts' }, ctx), nothing)
    t.same(await runTool(grep, { pattern: 'x', no_ignore: true, path: 'out' }, ctx), {
      ...nothing,
      left_out: { sensitive: 1 }
    })
  }
})

t.test('search_files lists ignored files if there are no other matches', async t => {
  const { ctx } = repository(t, { '.gitignore': 'out/\n', out: { 'made.js': '', 'other.js': '' }, 'a.ts': '' })
  const found = (input: object) => runTool(searchFiles, { pattern: 'made', ...input }, ctx)
  const nothing = { files: [], total: 0, truncated: false }
  t.same(await found({}), { ...nothing, left_out: { ignored: 1 } })
  t.match(searchFiles.present(await found({}), { pattern: 'made' }), {
    content: `No files match.\n(Omitted: 1 ignored (no_ignore shows them).)`
  })
  t.same(await found({ no_ignore: true }), { files: ['out/made.js'], total: 1, truncated: false })
  t.same(await found({ path: 'out' }), { files: ['out/made.js'], total: 1, truncated: false })
  t.same(await found({ pattern: 'nothing' }), nothing)
  t.equal(await catchErrorCode(() => found({ path: 'a.ts' })), 'NOT_A_DIRECTORY')
})

// A pattern file further up would prevent that.
const skip =
  !appliesGitignoreEverywhere(tmpdir()) && 'there is a repository or a .gitignore above the folder for temporary files'
t.test('a .gitignore applies outside repositories too', { skip }, async t => {
  const { ctx } = createHostFixture(t, spawner, {
    '.gitignore': 'out/\n*.log\n',
    out: { 'a.ts': 'needle' },
    src: { 'b.ts': 'needle', 'c.log': 'needle' }
  })
  const paths = async (input: object) =>
    (await runTool(grep, { pattern: 'needle', ...input }, ctx)).matches.map(m => m.path)
  t.same(await paths({}), ['src/b.ts'])
  t.same(await paths({ path: 'src' }), ['src/b.ts'], 'the rules of folders above hold')
  t.same(await paths({ no_ignore: true }), ['out/a.ts', 'src/b.ts', 'src/c.log'])
  t.same((await runTool(glob, { pattern: '*' }, ctx)).files, ['src/b.ts'])
  t.same((await runTool(searchFiles, { pattern: '*.ts' }, ctx)).files, ['src/b.ts'])
})

t.test('truncates long answers', async t => {
  const names = Array.from({ length: 600 }, (_, i) => `${'long'.repeat(25)}-${i}.txt`)
  const { ctx } = repository(t, Object.fromEntries(names.map(name => [name, 'needle\n'])))
  const limit = 1_000
  const shown = {
    glob: glob.present(await runTool(glob, { pattern: '*.txt', limit }, ctx), { pattern: '*.txt', limit }),
    grep: grep.present(await runTool(grep, { pattern: 'needle', limit }, ctx), { pattern: 'needle', limit }),
    search_files: searchFiles.present(await runTool(searchFiles, { pattern: 'long', limit }, ctx), { pattern: 'long' })
  }
  for (const [tool, { content }] of Object.entries(shown)) {
    t.ok(content.length < 52_000, tool)
    t.match(content, /\n\(The call's data has \d+ more lines\.\)$/)
  }
})

t.test('search_files lists the best of very many', async t => {
  const { ctx } = repository(t, Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`file${i}.txt`, ''])))
  const input = { pattern: 'file' }
  const output = await runTool(searchFiles, input, ctx)
  t.same([output.files.length, output.total, output.truncated], [100, 150, true])
  t.equal(output.files[0], 'file0.txt')
  t.match(searchFiles.present(output, input), { truncated: true, content: /\(The best 100 of 150 files\.\)/ })
  t.match(searchFiles.present(await runTool(searchFiles, { pattern: 'qqq' }, ctx), input).content, /^No files match/)
})
