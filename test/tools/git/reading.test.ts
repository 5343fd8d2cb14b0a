// Tests of git read tools on real repositories: their report of each state.
// tier: full
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import type { Json } from '../../start-app.ts'
import { startGitReadFixture } from './read-fixture.ts'

const names = (entries: Json[]) => entries.map(({ path }) => path)

t.test('status', async t => {
  await t.test('reports each kind of change, and changes nothing itself', async t => {
    const app = await startGitReadFixture(t, {
      'a.txt': 'a\n',
      'b.txt': 'b\n',
      'c.txt': 'c\n',
      '.gitignore': 'ignored\n'
    })
    app.init()
    app.write('a.txt', 'A\n')
    app.write('new/one.txt', '1')
    app.write('new/two.txt', '2')
    app.write('ignored', 'i')
    app.git(['mv', 'b.txt', 'moved.txt'])
    app.write('moved.txt', 'b and more\n')
    app.remove('c.txt')
    const before = app.everything()
    t.match(await app.data('git_status', { ignored: true }), {
      repository: '.',
      branch: { head: 'main', oid: app.git(['rev-parse', 'HEAD']), detached: false },
      entries: [
        { path: 'a.txt', kind: 'changed', index: 'unmodified', worktree: 'modified' },
        { path: 'c.txt', kind: 'changed', index: 'unmodified', worktree: 'deleted' },
        { path: 'moved.txt', from: 'b.txt', kind: 'renamed', index: 'renamed', worktree: 'modified' },
        { path: 'new/', kind: 'untracked', index: 'unmodified', worktree: 'unmodified' },
        { path: 'ignored', kind: 'ignored' }
      ],
      counts: { staged: 1, unstaged: 3, unmerged: 0, untracked: 1, ignored: 1 },
      stashes: 0,
      total: 5,
      truncated: false
    })
    t.strictSame(names((await app.data('git_status', { untracked: 'files', path: 'new' })).entries), [
      'new/one.txt',
      'new/two.txt'
    ])
    t.strictSame((await app.data('git_status', { untracked: 'none' })).counts.untracked, 0)
    t.strictSame(app.everything(), before, 'neither files nor the index were written')
  })

  await t.test('paginates', async t => {
    const app = await startGitReadFixture(t)
    app.init()
    for (let i = 0; i < 25; i += 1) app.write(`f${String(i).padStart(2, '0')}`, 'x')
    const seen: string[] = []
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page: Json = await app.data('git_status', { limit: 10, offset })
      t.equal(page.total, 25)
      seen.push(...names(page.entries))
      offset = page.next_offset
    }
    t.strictSame(
      seen,
      Array.from({ length: 25 }, (_, i) => `f${String(i).padStart(2, '0')}`)
    )
  })

  await t.test('reports upstream, distance and stashes', async t => {
    const app = await startGitReadFixture(t, { 'one/a.txt': 'a\n' })
    app.init('one')
    app.git(['clone', '-q', 'one', 'two'])
    app.write('one/a.txt', 'b\n')
    app.commit('theirs', 1, 'one')
    app.write('two/c.txt', 'c\n')
    app.commit('ours', 2, 'two')
    app.git(['fetch', '-q'], { in: 'two' })
    app.write('two/c.txt', 'put aside\n')
    app.git(['stash', '-q'], { in: 'two' })
    t.match(await app.data('git_status', { path: 'two' }), {
      repository: 'two',
      branch: { head: 'main', upstream: 'origin/main', ahead: 1, behind: 1 },
      stashes: 1,
      total: 0
    })
    app.git(['update-ref', '-d', 'refs/remotes/origin/main'], { in: 'two' })
    const { branch } = await app.data('git_status', { path: 'two' })
    t.strictSame([branch.upstream, branch.ahead], ['origin/main', undefined], 'an upstream that is gone')
  })

  await t.test('reports a merge in progress with each kind of conflict', async t => {
    const app = await startGitReadFixture(t, { 'both.txt': '1\n', 'ours.txt': '1\n', 'theirs.txt': '1\n' })
    app.init()
    app.git(['checkout', '-qb', 'topic'])
    app.write('both.txt', 'theirs\n')
    app.write('new.txt', 'theirs\n')
    app.remove('ours.txt')
    app.write('theirs.txt', 'theirs\n')
    app.commit('theirs')
    app.git(['checkout', '-q', 'main'])
    app.write('both.txt', 'ours\n')
    app.write('new.txt', 'ours\n')
    app.write('ours.txt', 'ours\n')
    app.remove('theirs.txt')
    app.commit('ours', 2)
    t.throws(() => app.git(['merge', '-q', 'topic']))
    const status = await app.data('git_status')
    t.equal(status.operation, 'merge')
    t.strictSame(
      status.entries.map(({ path, kind, conflict }: Json) => [path, kind, conflict]),
      [
        ['both.txt', 'unmerged', 'both_modified'],
        ['new.txt', 'unmerged', 'both_added'],
        ['ours.txt', 'unmerged', 'deleted_by_them'],
        ['theirs.txt', 'unmerged', 'deleted_by_us']
      ]
    )
    t.equal(status.counts.unmerged, 4)
    const diff = await app.data('git_diff', { path: 'both.txt' })
    t.match(diff.files, [
      { path: 'both.txt', operation: 'unmerged', diff: /^\* Unmerged path both\.txt\n[\s\S]*\n\+<<<<<<< HEAD/ }
    ])
    t.match(await app.data('git_diff'), { total: 4, left_out: [] })
  })

  await t.test('reports other operations in progress', async t => {
    const app = await startGitReadFixture(t, { 'a.txt': '1\n' })
    app.init()
    app.git(['checkout', '-qb', 'topic'])
    app.write('a.txt', '2\n')
    app.commit('two')
    app.git(['checkout', '-q', 'main'])
    app.write('a.txt', '3\n')
    app.commit('three', 2)
    const begun = async () => (await app.data('git_status')).operation
    t.equal(await begun(), undefined)
    t.throws(() => app.git(['cherry-pick', 'topic']))
    t.equal(await begun(), 'cherry-pick')
    app.git(['cherry-pick', '--abort'])
    t.throws(() => app.git(['revert', '--no-edit', 'HEAD~1']))
    t.equal(await begun(), 'revert')
    app.git(['revert', '--abort'])
    t.throws(() => app.git(['rebase', 'topic']))
    t.match(await app.data('git_status'), { operation: 'rebase', branch: { head: null, detached: true } })
    app.git(['rebase', '--abort'])
    app.git(['bisect', 'start'])
    t.equal(await begun(), 'bisect')
  })
})

t.test('repositories of every kind', async t => {
  await t.test('none, and one in a subfolder', async t => {
    const app = await startGitReadFixture(t, { 'sub/a.txt': 'a\n', 'b.txt': 'b\n' })
    for (const tool of ['git_status', 'git_diff', 'git_log', 'git_branch'])
      t.match(await app.error(tool), { code: 'FILE_NOT_FOUND', message: /no Git repository.*git init/ })
    app.init('sub')
    app.write('sub/a.txt', 'A\n')
    t.match(await app.data('git_status', { path: 'sub' }), { repository: 'sub', entries: [{ path: 'sub/a.txt' }] })
    t.match(await app.data('git_diff', { path: 'sub/a.txt' }), { repository: 'sub', files: [{ path: 'sub/a.txt' }] })
    t.match(await app.data('git_show', { rev: 'HEAD:a.txt', path: 'sub' }), { path: 'sub/a.txt' })
    t.match(await app.data('git_blame', { path: 'sub/a.txt' }), { repository: 'sub', path: 'sub/a.txt' })
  })

  await t.test('one that begins above the root shows only its part under it', async t => {
    const outer = await startGitReadFixture(t, { 'in/a.txt': 'a\n', 'out/b.txt': 'b\n', 'top.txt': 't\n' })
    outer.init()
    const app = await startGitReadFixture(t, {}, { settings: { roots: [{ name: 'default', path: outer.at('in') }] } })
    outer.write('in/a.txt', 'A\n')
    outer.write('out/b.txt', 'B\n')
    outer.write('out/new.txt', 'n\n')
    t.match(await app.data('git_status', { untracked: 'files' }), {
      repository: '.',
      total: 1,
      entries: [{ path: 'a.txt' }]
    })
    t.strictSame(names((await app.data('git_diff')).files), ['a.txt'])
    const shown = await app.data('git_show', { rev: 'HEAD' })
    t.strictSame(names(shown.changes.files), ['a.txt'])
    t.match(await app.data('git_show', { rev: 'HEAD:in/a.txt' }), { path: 'a.txt', file: { content: 'a\n' } })
    t.match(await app.data('git_show', { rev: 'HEAD:in' }), { path: '.', entries: [{ path: 'a.txt' }] })
    for (const rev of ['HEAD:out/b.txt', 'HEAD:', 'HEAD:out'])
      t.match(await app.error('git_show', { rev }), { code: 'INVALID_PATH' }, rev)
    outer.git(['mv', 'in/a.txt', 'out/moved.txt'])
    outer.git(['mv', '-f', 'out/b.txt', 'in/b.txt'])
    outer.commit('moved')
    const { commits } = await app.data('git_log', { files: true, limit: 1 })
    t.notMatch(JSON.stringify(commits), /out\//, 'nothing outside is named')
    t.strictSame(names((await app.data('git_log', { path: 'a.txt' })).commits).length, 2)
  })

  await t.test('bare', async t => {
    const app = await startGitReadFixture(t, { 'one/a.txt': 'a\n' })
    app.init('one')
    app.git(['clone', '-q', '--bare', 'one', 'bare.git'])
    t.match(await app.data('git_log', { path: 'bare.git' }), {
      repository: 'bare.git',
      commits: [{ subject: 'First' }]
    })
    t.match(await app.data('git_show', { path: 'bare.git', rev: 'HEAD:a.txt' }), { file: { content: 'a\n' } })
    t.match(await app.data('git_branch', { path: 'bare.git' }), { current: 'main' })
    t.match(await app.data('git_diff', { path: 'bare.git', base: 'HEAD..HEAD' }), { total: 0 })
    for (const tool of ['git_status', 'git_diff'])
      t.match(await app.error(tool, { path: 'bare.git' }), { code: 'CONFLICT', message: /is bare/ }, tool)
  })

  await t.test('before the first commit, and with none checked out', async t => {
    const app = await startGitReadFixture(t, { 'a.txt': 'a\n' })
    app.git(['init', '-q'])
    app.git(['add', '-A'])
    t.match(await app.data('git_status'), {
      branch: { head: 'main', oid: null, detached: false },
      counts: { staged: 1 }
    })
    t.match(await app.data('git_diff', { staged: true }), { files: [{ path: 'a.txt', operation: 'added', added: 1 }] })
    t.strictSame((await app.data('git_log')).commits, [])
    t.match(await app.data('git_branch'), { current: 'main', branches: [] })
    t.match(await app.error('git_show', { rev: 'HEAD' }), {
      code: 'INVALID_PARAMS',
      message: /is unknown or ambiguous/
    })
    t.match(await app.error('git_blame', { path: 'a.txt' }), { code: 'FILE_NOT_FOUND' })
    app.commit('First')
    app.git(['checkout', '-q', '--detach'])
    t.match(await app.data('git_status'), { branch: { head: null, detached: true, oid: /^[0-9a-f]{40}$/ } })
    t.match(await app.data('git_branch'), { current: null, branches: [{ name: 'main', current: false }] })
  })

  await t.test('linked working trees and submodules', async t => {
    const app = await startGitReadFixture(t, { 'main/a.txt': 'a\n', 'lib/l.txt': 'l\n' })
    app.init('lib')
    app.init('main')
    app.git(['worktree', 'add', '-q', '../linked', '-b', 'linked'], { in: 'main' })
    app.write('linked/a.txt', 'A\n')
    t.match(await app.data('git_status', { path: 'linked' }), {
      repository: 'linked',
      branch: { head: 'linked' },
      entries: [{ path: 'linked/a.txt' }]
    })
    t.match((await app.data('git_branch', { path: 'main' })).branches, [
      { name: 'linked', elsewhere: true },
      { name: 'main', current: true }
    ])
    app.git(['submodule', '--quiet', 'add', '../lib', 'sub'], { in: 'main' })
    app.commit('with a submodule', 1, 'main')
    app.write('main/sub/l.txt', 'changed\n')
    t.match(await app.data('git_status', { path: 'main' }), { total: 0 }, 'what is in it is not looked at')
    t.match(await app.data('git_status', { path: 'main/sub' }), {
      repository: 'main/sub',
      entries: [{ path: 'main/sub/l.txt' }]
    })
    app.commit('in it', 2, 'main/sub')
    t.match(await app.data('git_status', { path: 'main' }), {
      entries: [{ path: 'main/sub', submodule: { commit_changed: true } }]
    })
    t.match((await app.data('git_diff', { path: 'main' })).files, [
      { path: 'main/sub', old_mode: '160000', diff: /Subproject commit/ }
    ])
  })

  await t.test('one whose folder is elsewhere only if that refers back to it', async t => {
    const app = await startGitReadFixture(t, { 'ws/a.txt': 'a\n' })
    const outside = path.join(app.folder, 'outside')
    mkdirSync(outside)
    app.git(['init', '-q', outside])
    writeFileSync(path.join(outside, 'secret.txt'), 'secret\n')
    app.git(['-C', outside, 'add', '-A'])
    app.git(['-C', outside, 'commit', '-qm', 'Secret'])
    mkdirSync(app.at('trap'))
    app.write('trap/.git', `gitdir: ${outside}/.git\n`)
    mkdirSync(app.at('link'))
    symlinkSync(`${outside}/.git`, app.at('link/.git'))
    app.init('parts')
    for (const part of ['objects', 'refs']) {
      rmSync(app.at(`parts/.git/${part}`), { recursive: true })
      symlinkSync(`${outside}/.git/${part}`, app.at(`parts/.git/${part}`))
    }
    app.init('common')
    app.write('common/.git/commondir', `${outside}/.git\n`)
    for (const trap of ['trap', 'link', 'parts', 'common'])
      for (const [tool, params] of [
        ['git_log', {}],
        ['git_show', { rev: 'HEAD' }]
      ] as const) {
        const fault = await app.error(tool, { path: trap, ...params })
        t.match(fault, { code: 'PERMISSION_DENIED' }, `${trap}, ${tool}`)
        t.notMatch(JSON.stringify(fault), /secret|outside\//i)
      }
    app.git(['-C', outside, 'worktree', 'add', '-q', app.at('tree'), '-b', 'tree'])
    t.match(await app.data('git_log', { path: 'tree' }), { repository: 'tree', commits: [{ subject: 'Secret' }] })
  })

  await t.test('shallow ones, and commits with replacements: reported unchanged', async t => {
    const app = await startGitReadFixture(t, { 'one/a.txt': '1\n' })
    app.init('one')
    app.commit('Second', 1, 'one')
    app.git(['clone', '-q', '--depth=1', `file://${app.at('one')}`, 'two'])
    t.match(await app.data('git_log', { path: 'two' }), {
      shallow: true,
      commits: [{ subject: 'Second', parents: [] }]
    })
    t.match((await app.data('git_blame', { path: 'two/a.txt' })).commits, {
      [app.git(['rev-parse', 'HEAD'], { in: 'two' })]: { boundary: true }
    })
    app.git(['replace', '--graft', 'HEAD'], { in: 'one' })
    t.equal((await app.data('git_log', { path: 'one' })).commits.length, 2)
  })
})
