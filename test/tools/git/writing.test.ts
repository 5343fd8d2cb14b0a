// git_commit on real repositories: what was shown is what is committed, and nothing else moves.
import t from 'tap'
import { start } from './writing-world.ts'

t.test('a commit holds the named files as shown, and nothing else that is staged', async t => {
  const app = await start(t, { 'a.txt': 'one\n', 'b.txt': 'b\n', 'gone.txt': 'x\n' })
  const parent = app.head()
  app.write('a.txt', 'one\ntwo\n')
  app.write('new.txt', 'new\n')
  app.write('b.txt', 'staged\n')
  app.git('add', 'b.txt')
  app.remove('gone.txt')
  const asked = await app.ask('git_commit', {
    message: 'Change a  \n\n\nand more\n',
    files: ['a.txt', 'new.txt', 'gone.txt']
  })
  t.match(asked, {
    status: 'awaiting_approval',
    approval: {
      level: 'ask',
      preview: {
        title: 'Commit 3 files on main: Change a',
        text: `On main, after ${parent.slice(0, 12)}\nAuthor: Ann Example <ann@example.com>\n\nChange a\n\nand more\n`,
        diff: [
          'diff --git a/a.txt b/a.txt\nindex 5626abf..814f4a4 100644\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n one\n+two\n',
          'diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\nindex 587be6b..0000000\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n',
          'diff --git a/new.txt b/new.txt\nnew file mode 100644\nindex 0000000..3e75765\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n'
        ].join('')
      }
    }
  })
  t.equal(app.head(), parent, 'nothing happened yet')
  t.equal(app.git('count-objects'), '6 objects, 24 kilobytes', 'not even an object')
  const done = await app.approve(asked)
  t.strictSame(done.result?.data, {
    repository: '.',
    commit: app.head(),
    branch: 'main',
    parent,
    author: 'Ann Example <ann@example.com>',
    message: 'Change a\n\nand more\n',
    files: [
      { path: 'a.txt', operation: 'modified', added: 1, removed: 0 },
      { path: 'gone.txt', operation: 'deleted', added: 0, removed: 1 },
      { path: 'new.txt', operation: 'added', added: 1, removed: 0 }
    ],
    unchanged: []
  })
  t.equal(
    app.git('log', '-1', '--format=%an <%ae> %cn%n%B'),
    'Ann Example <ann@example.com> Ann Example\nChange a\n\nand more\n'
  )
  t.equal(app.git('show', '--name-status', '--format='), 'M\ta.txt\nD\tgone.txt\nA\tnew.txt')
  t.equal(app.status(), 'M  b.txt', 'the other file stays staged, and the named ones are clean')
  t.equal(app.git('reflog', '-1', '--format=%gs'), 'commit: Change a')
  t.equal(app.git('fsck', '--strict'), '')
})
