// Tests of git history tools on real repositories: their report of each state.
// tier: full
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { snapshotFolder } from '../../snapshot-folder.ts'
import type { Json } from '../../start-app.ts'
import { makeTestFolder } from '../../support/test-folder.ts'
import { startGitReadFixture } from './read-fixture.ts'

const names = (entries: Json[]) => entries.map(({ path }) => path)

t.test('history', async t => {
  const app = await startGitReadFixture(t, { 'a.txt': '1\n' })
  app.init()
  app.git(['mv', 'a.txt', 'b.txt'])
  app.commit('Move\n\nWith a body\nof two lines.\n', 1)
  app.write('b.txt', '2\n')
  app.commit('Change b', 2)
  app.git(['commit', '-q', '--allow-empty', '--allow-empty-message', '-m', ''], {
    minute: 3,
    env: { GIT_AUTHOR_NAME: 'Bob', GIT_AUTHOR_EMAIL: 'bob@example.com' }
  })
  app.git(['tag', '-a', 'v1', '-m', 'The first.'])
  app.git(['tag', '-a', 'v1-again', '-m', 'Of a tag.', 'v1'])
  app.git(['checkout', '-qb', 'topic', 'HEAD~1'])
  app.git(['-c', 'i18n.commitEncoding=ISO-8859-1', 'commit', '-q', '--allow-empty', '-F', '-'], {
    minute: 4,
    input: Buffer.from('caf\xe9', 'latin1')
  })
  app.git(['checkout', '-q', 'main'])
  app.git(['merge', '-q', '--no-ff', '-m', 'Merge topic', 'topic'], { minute: 5 })
  const subjects = async (params: Json) =>
    (await app.data('git_log', params)).commits.map(({ subject }: Json) => subject)

  t.strictSame(await subjects({}), ['Merge topic', 'café', '', 'Change b', 'Move', 'First'])
  t.strictSame(await subjects({ limit: 2, offset: 3 }), ['Change b', 'Move'])
  t.strictSame(await subjects({ path: 'b.txt' }), ['Change b', 'Move', 'First'], 'followed')
  t.strictSame(await subjects({ path: 'b.txt', limit: 1, offset: 2 }), ['First'])
  t.strictSame(await subjects({ rev: 'HEAD~1..HEAD' }), ['Merge topic', 'café'])
  t.strictSame(await subjects({ rev: 'topic...v1' }), ['café', ''])
  t.strictSame(await subjects({ rev: 'v1', author: 'BOB@' }), [''])
  t.strictSame(await subjects({ message: 'two LINES.' }), ['Move'])
  t.strictSame(await subjects({ until: '2024-01-01T00:01:30Z' }), ['Move', 'First'])
  t.strictSame(await subjects({ since: '2024-01-01T00:04:30Z' }), ['Merge topic'])
  t.strictSame(await subjects({ since: '2024-01-01', until: '2024-01-02', limit: 1 }), ['Merge topic'])
  const first = ['First']
  t.strictSame(
    await subjects({ until: '2024-01-01' }),
    first,
    'a date alone is its first moment, at whatever hour one asks'
  )
  t.strictSame(
    await subjects({ since: '2024-01-01T00:04:30' }),
    ['Merge topic'],
    'times without a zone are UTC, as those told'
  )
  t.strictSame(await subjects({ offset: 100 }), [])
  t.strictSame(await subjects({ path: 'a.txt', since: '2024-01-02' }), [], 'gone, but it was there')
  t.match(await app.error('git_log', { path: 'never.txt' }), {
    code: 'FILE_NOT_FOUND',
    message: /never\.txt exists neither/
  })
  t.match(await app.error('git_diff', { path: 'never/was' }), {
    code: 'FILE_NOT_FOUND',
    details: { path: 'never/was' }
  })
  t.match(await app.data('git_diff', { path: 'a.txt' }), { total: 0 })
  const [merge] = (await app.data('git_log', { limit: 1, files: true })).commits
  t.match(merge, { parents: [/./, /./], refs: ['HEAD', 'refs/heads/main'], files: [] })
  const [, move] = (await app.data('git_log', { rev: 'v1', limit: 3, offset: 1, files: true })).commits
  t.match(move, {
    subject: 'Move',
    body: 'With a body\nof two lines.',
    author: { name: 'Ada', email: 'ada@example.com', date: '2024-01-01T00:01:00.000Z' },
    files: [{ path: 'b.txt', from: 'a.txt', operation: 'renamed', similarity: 100 }]
  })
  t.match(await app.data('git_show', { rev: 'v1-again' }), {
    kind: 'commit',
    tags: [
      { name: 'v1-again', message: 'Of a tag.' },
      { name: 'v1', message: 'The first.', tagger: 'Ada <ada@example.com>' }
    ],
    commit: { subject: '', author: { name: 'Bob' } },
    changes: { total: 0 }
  })
  t.match(await app.data('git_show', { rev: ':/Change' }), {
    commit: { subject: 'Change b' },
    changes: { files: [{ path: 'b.txt', added: 1, removed: 1 }] }
  })
  t.match(await app.data('git_show', { rev: ':b.txt' }), { kind: 'file', file: { content: '2\n' } })
  t.match(await app.data('git_show', { rev: 'HEAD^{/Move}:b.txt' }), { file: { content: '1\n' } })
  t.match(await app.error('git_show', { rev: 'HEAD^{tree}' }), { code: 'INVALID_PARAMS', message: /REVISION:PATH/ })
  const blob = app.git(['rev-parse', 'HEAD:b.txt'])
  t.match(await app.error('git_show', { rev: blob }), { code: 'INVALID_PARAMS', message: /REVISION:PATH/ })
  t.match(await app.error('git_diff', { base: blob }), { code: 'INVALID_PARAMS' })
  t.match(await app.error('git_diff', { base: 'HEAD:b.txt' }), { code: 'INVALID_PARAMS' })
  t.match(await app.error('git_diff', { base: 'a..b', staged: true }), { code: 'INVALID_PARAMS' })
  t.match(await app.error('git_diff', { base: 'v1..topic', staged: true }), {
    code: 'INVALID_PARAMS',
    message: /staged/
  })
  t.match(await app.data('git_diff', { base: 'v1...topic' }), { total: 0 })
  t.match(await app.data('git_diff', { base: 'v1~2..v1' }), { files: [{ path: 'b.txt' }] })
  const { ranges } = await app.data('git_blame', { path: 'b.txt', rev: 'v1~2' })
  t.match(ranges, [{ start: 1, end: 1, original_path: 'a.txt', text: '1\n' }])
  t.match(await app.error('git_blame', { path: 'b.txt', lines: [{ start: 9, end: 9 }] }), {
    code: 'INVALID_PARAMS',
    message: /has 1 lines/
  })
  t.match(await app.error('git_blame', { path: 'b.txt', lines: [{ start: 2, end: 1 }] }), { code: 'INVALID_PARAMS' })
  t.match(await app.error('git_blame', { path: 'b.txt', rev: 'v1..topic' }), { code: 'INVALID_PARAMS' })
  app.write('empty.txt', '')
  app.commit('empty', 9)
  t.match(await app.data('git_blame', { path: 'empty.txt' }), { ranges: [], commits: {} })
})

t.test('branches', async t => {
  const app = await startGitReadFixture(t, { 'one/a.txt': '1\n' })
  app.init('one')
  for (let i = 0; i < 5; i += 1) app.git(['branch', `b${i}`], { in: 'one' })
  app.git(['clone', '-q', 'one', 'two'])
  app.commit('Ours', 1, 'two')
  t.match(await app.data('git_branch', { path: 'two', remotes: true }), {
    current: 'main',
    branches: [
      {
        name: 'main',
        current: true,
        remote: false,
        upstream: 'origin/main',
        ahead: 1,
        behind: 0,
        subject: 'Ours',
        author: 'Ada',
        date: '2024-01-01T00:01:00.000Z'
      }
    ],
    truncated: false
  })
  const page = await app.data('git_branch', { path: 'one', limit: 2, offset: 2 })
  t.strictSame([page.branches.map(({ name }: Json) => name), page.truncated, page.next_offset], [['b2', 'b3'], true, 4])
  app.git(['branch', '-q', '-r', '-d', 'origin/main'], { in: 'two' })
  t.match((await app.data('git_branch', { path: 'two' })).branches, [{ name: 'main', gone: true }])
})

t.test('writes nothing, for any query', async t => {
  const app = await startGitReadFixture(t, { 'a.txt': '1\n', 'b.txt': '2\n' })
  app.init()
  // The index holds an older time than the file, so that git would like to refresh it.
  utimesSync(app.at('a.txt'), new Date('2030-01-01'), new Date('2030-01-01'))
  const before = snapshotFolder(app.root)
  await app.data('git_status')
  for (const params of [{}, { staged: true }, { base: 'HEAD' }]) await app.data('git_diff', params)
  await app.data('git_log', { files: true, path: 'a.txt' })
  await app.data('git_show', { rev: 'HEAD' })
  await app.data('git_blame', { path: 'a.txt' })
  await app.data('git_branch')
  t.strictSame(snapshotFolder(app.root), before)
})

t.test('paginates, and supports other options', async t => {
  const app = await startGitReadFixture(t, {
    'a.txt': 'a\n',
    'b.txt': 'b\n',
    'c.txt': 'c\n',
    'd/e.txt': 'e  e\n',
    'd/line\nbreak': 'x\n'
  })
  writeFileSync(app.at('bin'), Buffer.from([1, 0, 2]))
  app.init()
  for (const name of ['a.txt', 'b.txt', 'c.txt']) app.write(name, `${name}\n`)
  app.write('d/e.txt', 'e e\n')
  const seen: [string, boolean][] = []
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const call: Json = await app.call('git_diff', { limit: 2, offset })
    const { files, total, next_offset, truncated } = call.result.data
    t.strictSame([total, truncated], [4, next_offset !== undefined])
    seen.push(...files.map(({ path, diff }: Json) => [path, diff !== undefined]))
    offset = next_offset
  }
  t.strictSame(seen, [
    ['a.txt', true],
    ['b.txt', true],
    ['c.txt', true],
    ['d/e.txt', true]
  ])
  t.match((await app.data('git_diff', { ignore_whitespace: true, path: 'd' })).files, [
    { path: 'd/e.txt', added: 0, removed: 0, diff: undefined }
  ])
  app.commit('Second', 1)
  t.match(await app.data('git_blame', { path: 'd/e.txt', ignore_whitespace: true }), {
    ranges: [{ oid: app.git(['rev-parse', 'HEAD~1']) }]
  })
  t.match(await app.data('git_show', { rev: 'HEAD', limit: 1 }), {
    changes: { files: [{ path: 'a.txt' }] },
    next_offset: 1
  })
  t.match(await app.data('git_show', { rev: 'HEAD:', limit: 2, offset: 1 }), {
    kind: 'tree',
    path: '.',
    entries: [
      { path: 'b.txt', type: 'file', size: 6 },
      { path: 'bin', size: 3 }
    ],
    total: 5,
    next_offset: 3
  })
  t.match(await app.data('git_show', { rev: 'HEAD:d/' }), {
    path: 'd',
    entries: [{ path: 'd/e.txt' }, { path: 'd/line\nbreak' }]
  })
  t.match((await app.call('git_show', { rev: 'HEAD:bin' })).result, {
    content: 'bin is not a text file; it has 3 bytes.',
    data: { file: { binary: true, size: 3 } }
  })
  t.match(await app.error('git_show', { rev: 'HEAD:./a.txt' }), { code: 'INVALID_PARAMS', message: /from the top/ })
  t.match(await app.error('git_show', { rev: 'x'.repeat(2_000) }), { code: 'INVALID_PARAMS' })
  t.match(await app.error('git_log', { author: 'a\nb' }), { code: 'INVALID_PARAMS' })

  app.git(['checkout', '-q', '--orphan', 'other'])
  app.git(['commit', '-q', '-m', 'Apart'], { minute: 2, env: { GIT_COMMITTER_NAME: 'Bob' } })
  const all = await app.call('git_log', { all: true, limit: 2 })
  t.strictSame(
    all.result.data.commits.map(({ subject }: Json) => subject),
    ['Apart', 'Second']
  )
  t.match(all.result.content, /Committer: Bob <ada@example\.com>/)
  t.match(await app.error('git_diff', { base: 'main...other' }), { code: 'EXECUTION_ERROR', message: /no merge base/ })

  app.remove('d/line\nbreak')
  app.git(['add', '-A'])
  const gone = await app.data('git_diff', { staged: true })
  t.match(gone, { files: [{ path: 'd/line\nbreak', operation: 'deleted' }], left_out: [{ path: 'd/line\nbreak' }] })
})

t.test('other locations of repositories', async t => {
  await t.test('a submodule served as a workspace', async t => {
    const outer = await startGitReadFixture(t, { 'lib/l.txt': 'l\n', 'main/a.txt': 'a\n' })
    outer.init('lib')
    outer.init('main')
    outer.git(['submodule', '--quiet', 'add', '../lib', 'sub'], { in: 'main' })
    const app = await startGitReadFixture(
      t,
      {},
      { settings: { roots: [{ name: 'default', path: outer.at('main/sub') }] } }
    )
    outer.write('main/sub/l.txt', 'L\n')
    t.match(await app.data('git_status'), { repository: '.', entries: [{ path: 'l.txt' }] })
  })

  await t.test('a bare one beside its working trees, and one that names a folder elsewhere', async t => {
    const app = await startGitReadFixture(t, { 'p/a.txt': 'a\n' })
    app.init('p')
    app.git(['config', 'core.bare', 'true'], { in: 'p' })
    t.match(await app.error('git_status', { path: 'p' }), { code: 'CONFLICT', message: /is bare/ })
    t.match(await app.data('git_log', { path: 'p' }), { commits: [{ subject: 'First' }] })
    app.git(['config', 'core.worktree', '/'], { in: 'p' })
    t.match(await app.error('git_log', { path: 'p' }), {
      code: 'PERMISSION_DENIED',
      message: /its configuration has a working tree/
    })
  })
})

t.test('uses those user settings that name no program', async t => {
  const home = makeTestFolder(t)
  const environment = { ...process.env, HOME: home, XDG_CONFIG_HOME: undefined }
  const app = await startGitReadFixture(t, { 'a.txt': 'a\n', 'by-name': '1', 'by-place': '2' }, { environment })
  app.git(['init', '-q'])
  const untracked = async () => names((await app.data('git_status')).entries)
  mkdirSync(path.join(home, '.config/git'), { recursive: true })
  writeFileSync(path.join(home, '.config/git/ignore'), 'by-place\n')
  t.strictSame(await untracked(), ['a.txt', 'by-name'])
  writeFileSync(path.join(home, 'ignored'), 'by-name\n')
  const canary = path.join(app.folder, 'PWNED')
  writeFileSync(path.join(home, 'more'), `[core]\n\texcludesFile = ~/ignored\n\tfsmonitor = touch ${canary};true\n`)
  writeFileSync(path.join(home, '.gitconfig'), '[include]\n\tpath = ~/more\n')
  t.strictSame(await untracked(), ['a.txt', 'by-place'])
  app.git(['config', 'core.excludesFile', '/dev/null'])
  t.strictSame(await untracked(), ['a.txt', 'by-name', 'by-place'], "the repository's own wins")
  t.notOk(existsSync(canary))
})
