// git_push to real remotes: exactly the commits that were shown go exactly where it was said.
import t from 'tap'
import { bare, start } from './writing-world.ts'

t.test('a branch is pushed as shown', async t => {
  const app = await start(t, { 'a.txt': 'one\n' })
  const remote = bare(app.path('remotes/origin.git'))
  app.git('remote', 'add', 'origin', remote.folder)
  const first = app.head()
  app.write('a.txt', 'two\n')
  app.git('commit', '-qam', 'second')
  const asked = await app.ask('git_push', {})
  if (asked.error) console.error(asked.error)
  t.match(asked, {
    status: 'awaiting_approval',
    approval: {
      level: 'strict',
      preview: {
        title: `Push main to origin (${remote.folder})`,
        text: [
          'main → main of origin',
          `Address: ${remote.folder}`,
          `Commit: ${app.head()}`,
          '',
          '2 commits:',
          `${app.head().slice(0, 7)} second (Ann Example)`,
          `${first.slice(0, 7)} first (Ann Example)`
        ].join('\n'),
        notes: [
          'As of the last fetch origin has no branch main: this makes it.',
          'main will follow origin/main from then on.'
        ]
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
