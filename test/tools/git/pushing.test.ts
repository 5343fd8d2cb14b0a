// Tests of git_push to real remotes: exactly the shown commits go exactly to the given remote.
// tier: full
import t from 'tap'
import type { ConfiguredRule } from '../../../src/protocol/rules.ts'
import { pushedOnce } from './push-fixture.ts'
import { createBareRepository, startGitWriteFixture } from './write-fixture.ts'

t.test('pushes a branch as previewed', async t => {
  const app = await startGitWriteFixture(t, { 'a.txt': 'one\n' })
  const remote = createBareRepository(app.path('remotes/origin.git'))
  app.git('remote', 'add', 'origin', remote.folder)
  const first = app.head()
  app.write('a.txt', 'two\n')
  app.git('commit', '-qam', 'second')
  const asked = await app.ask('git_push', {})
  t.match(asked, {
    status: 'awaiting_approval',
    approval: {
      level: 'strict',
      preview: {
        title: `Push main to origin (${remote.folder})`,
        text: [
          'main → main of origin',
          `URL: ${remote.folder}`,
          `Commit: ${app.head()}`,
          '',
          '2 commits:',
          `${app.head().slice(0, 7)} second (Ann Example)`,
          `${first.slice(0, 7)} first (Ann Example)`
        ].join('\n'),
        notes: ['As of the last fetch, origin has no branch main: it will be created.', 'main will track origin/main.']
      }
    }
  })
  t.equal(remote.git('for-each-ref'), '', 'nothing happened yet')
  const done = await app.approve(asked)
  t.strictSame(done.result?.data ?? done.error, {
    repository: '.',
    remote: 'origin',
    url: remote.folder,
    branch: 'main',
    commit: app.head(),
    before: null,
    outcome: 'created',
    commits: [
      { oid: app.head(), subject: 'second' },
      { oid: first, subject: 'first' }
    ],
    total: 2,
    upstream_set: true,
    remote_says: '',
    notes: []
  })
  t.equal(remote.git('rev-parse', 'main'), app.head())
  t.equal(app.git('rev-parse', 'origin/main'), app.head())
  t.equal(app.git('rev-parse', '--abbrev-ref', 'main@{upstream}'), 'origin/main')
})

t.test('previews only commits that the remote lacks, and a second push says so', async t => {
  const app = await pushedOnce(t)
  const before = app.head()
  const now = app.commitText('two\n')
  app.write('.env', 'KEY=1\n')
  const asked = await app.ask('git_push', { remote: 'origin', branch: 'main' })
  t.match(asked.approval.preview, {
    text: /1 commit:\n[0-9a-f]+ two \(Ann Example\)$/,
    notes: [`As of the last fetch, origin has main at ${before.slice(0, 12)}; this information may be out of date.`]
  })
  t.match((await app.approve(asked)).result.data, {
    before,
    commit: now,
    outcome: 'updated',
    total: 1,
    upstream_set: false
  })
  t.equal(app.at(), now)
  t.match((await app.run('git_push', {})).result.data, { outcome: 'up_to_date', total: 0, commits: [] })
})

t.test('names files of the commits that may contain credentials, up to a limit', async t => {
  const app = await pushedOnce(t)
  const names = Array.from({ length: 12 }, (_, i) => `${String.fromCharCode(97 + i)}/.env`)
  for (const name of names) app.write(name, 'KEY=1\n')
  app.git('add', '--force', ...names)
  app.git('commit', '-qm', 'Keys')
  const { notes } = (await app.ask('git_push', {})).approval.preview
  t.strictSame(notes.slice(1), [
    ...names.slice(0, 10).map(name => `The commits contain ${name}, which may contain credentials.`),
    'The commits contain 2 more files that may contain credentials.'
  ])
})

t.test('never loses commits of the remote', async t => {
  const app = await pushedOnce(t)
  const theirs = app.others()
  app.commitText('mine\n')
  const refused = await app.run('git_push', {})
  t.match(refused.error, {
    code: 'CONFLICT',
    message: /has commits that are missing in the local branch/,
    details: { reason: '[rejected] (fetch first)' }
  })
  t.equal(app.at(), theirs)
  app.git('fetch', '-q')
  t.match(
    (await app.ask('git_push', {})).error,
    { code: 'CONFLICT', details: { missing: 1 } },
    'told before anybody is asked'
  )
})

t.test('rejects force unless a rule allows it, and replaces only the previewed commit', async t => {
  const plain = await pushedOnce(t)
  t.match((await plain.call('git_push', { force: true })).error, {
    code: 'PERMISSION_DENIED',
    message: /Denied if no rule allows/
  })

  const rule: ConfiguredRule = { effect: 'allow', match: { tool: 'git_push' } }
  const app = await pushedOnce(t, { settings: { tiers: { administrator: [], user: [rule], workspace: [] } } })
  app.git('commit', '-q', '--amend', '-m', 'other words')
  const asked = await app.ask('git_push', { force: true })
  t.match(asked.approval, { level: 'strict', preview: { title: /^Force-push main/ } })
  t.match(asked.approval.preview.notes.join('\n'), /Discards 1 commits of the remote/)
  t.match((await app.approve(asked)).result.data, { outcome: 'forced' })
  t.equal(app.at(), app.head())

  const theirs = app.others()
  app.git('commit', '-q', '--amend', '-m', 'again')
  t.match((await app.run('git_push', { force: true })).error, {
    code: 'CONFLICT',
    details: { reason: '[rejected] (stale info)' }
  })
  t.equal(app.at(), theirs)
  t.match(await app.run('git_push', { force: false }), { error: { code: 'CONFLICT' } })
})

t.test('pushes what was shown, to where it was shown', async t => {
  const app = await pushedOnce(t)
  app.commitText('two\n')
  const other = createBareRepository(app.path('remotes/other.git'))
  const changes: [what: string, change: () => void][] = [
    ['a further commit', () => app.commitText('three\n')],
    ['another address', () => app.git('remote', 'set-url', 'origin', other.folder)],
    ['another address to push to', () => app.git('remote', 'set-url', '--push', 'origin', app.remote.folder)],
    ['a fetch', () => app.git('update-ref', 'refs/remotes/origin/main', 'HEAD')]
  ]
  for (const [what, change] of changes) {
    const asked = await app.ask('git_push', {})
    change()
    t.match(await app.approve(asked), { code: 'PREVIEW_CHANGED' }, what)
  }
  t.equal(other.git('for-each-ref'), '')
})
