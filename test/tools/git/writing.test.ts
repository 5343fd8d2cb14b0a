// tier: full
import { chmodSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { startApp } from '../../start-app.ts'
import { gitIn, startGitWriteFixture } from './write-fixture.ts'

t.test('a commit has the named files as previewed, and nothing else that is staged', async t => {
  const app = await startGitWriteFixture(t, { 'a.txt': 'one\n', 'b.txt': 'b\n', 'gone.txt': 'x\n' })
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
    unchanged: [],
    notes: []
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

t.test('the first commit, one on a detached HEAD, and one in a subfolder', async t => {
  const app = await startGitWriteFixture(t, {})
  app.write('a.txt', 'one\n')
  const asked = await app.ask('git_commit', { message: 'First', files: ['a.txt'] })
  t.strictSame(asked.approval.preview.notes, ['This is the first commit.'])
  const first = await app.approve(asked)
  t.match(first.result.data, { parent: null, branch: 'main', commit: app.head() })
  t.equal(app.git('reflog', '-1', '--format=%gs'), 'commit (initial): First')
  app.git('checkout', '-q', '--detach')
  app.write('a.txt', 'two\n')
  const detached = await app.commit('Second', ['a.txt'])
  t.match(detached.result.data, { branch: null, parent: first.result.data.commit })
  t.match(detached.approval.preview.notes, [/^HEAD is detached/])
  t.equal(app.git('rev-parse', 'main'), first.result.data.commit, 'the branch stays')
  t.equal(app.status(), '')

  app.git('init', '-q', 'below')
  app.write('below/b.txt', 'b\n')
  const below = await app.commit('Below', ['below/b.txt'])
  t.match(below.result.data, { repository: 'below', files: [{ path: 'below/b.txt', operation: 'added' }] })
  t.match(await app.commit('Both', ['below/b.txt', 'a.txt']), {
    error: { code: 'INVALID_PARAMS', details: { errors: [{ pointer: '/params/files/1' }] } }
  })
})

t.test('a linked worktree, and a repository above the workspace', async t => {
  const app = await startGitWriteFixture(t, { 'a.txt': 'one\n' })
  app.git('worktree', 'add', '-q', '-b', 'side', 'tree')
  app.write('tree/a.txt', 'side\n')
  t.match(await app.commit('On the side', ['tree/a.txt']), { result: { data: { repository: 'tree', branch: 'side' } } })
  t.equal(app.git('log', '-1', '--format=%s', 'side'), 'On the side')
  t.equal(app.git('-C', 'tree', 'status', '--porcelain'), '')

  const above = await startApp(t, { 'in.txt': 'in\n' })
  const git = gitIn(above.folder)
  git('init', '-q')
  writeFileSync(path.join(above.folder, 'out.txt'), 'out\n')
  git('add', 'out.txt')
  const asked = await above.call('git_commit', { message: 'From below', files: ['in.txt'] })
  const { digest } = asked.approval
  const done = await above.post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest })
  t.match(done.result.data.files, [{ path: 'in.txt', operation: 'added' }])
  t.equal(git('ls-tree', '-r', '--name-only', 'HEAD'), 'ws/in.txt')
  t.equal(git('status', '--porcelain', '-uno'), 'A  out.txt')
})

t.test('stores files like git', async t => {
  const app = await startGitWriteFixture(t, {
    '.gitattributes': '*.win text eol=crlf\n*.js -diff\n',
    'a.win': 'one\n',
    'run.sh': 'x\n'
  })
  app.write('a.win', 'one\r\ntwo\r\n')
  app.write('hidden.js', 'evil()\n')
  chmodSync(app.path('run.sh'), 0o755)
  symlinkSync('a.win', app.path('link'))
  app.write('data.bin', Buffer.from([0, 1, 2, 255]))
  const files = ['a.win', 'hidden.js', 'run.sh', 'link', 'data.bin']
  const asked = await app.ask('git_commit', { message: 'Odd ones', files })
  t.notOk('files' in asked.approval, 'a diff that tells of binary files is only to be read')
  t.match(await app.get(`/calls/${asked.tool_call_id}/preview`), { files: [] })
  await app.post(`/calls/${asked.tool_call_id}/reject`, {})
  const done = await app.commit('Odd ones', files)
  const { diff } = done.approval.preview
  for (const line of [
    '+two\n',
    '+evil()',
    'new mode 100755',
    'new file mode 120000',
    'Binary files /dev/null and b/data.bin'
  ])
    t.ok(diff.includes(line), line)
  t.notOk(diff.includes('\r'), 'as it is stored')
  t.equal(app.status(), '')
  t.equal(app.git('cat-file', '-p', 'HEAD:a.win'), 'one\ntwo')
  t.match(done.result.data.files, [
    { path: 'a.win', added: 1, removed: 0 },
    { path: 'data.bin', added: null, removed: null },
    { path: 'hidden.js', added: 1 },
    { path: 'link', added: 1 },
    { path: 'run.sh', operation: 'modified', added: 0, removed: 0 }
  ])

  app.git('config', 'core.autocrlf', 'true')
  app.write('b.txt', 'x\r\n')
  await app.commit('By setting', ['b.txt'])
  t.equal(app.git('cat-file', '-p', 'HEAD:b.txt'), 'x')
})

t.test('commits a submodule by its folder, and its files in it', async t => {
  const app = await startGitWriteFixture(t, { 'a.txt': 'one\n' })
  const other = gitIn(app.folder)
  other('init', '-q', 'origin')
  gitIn(path.join(app.folder, 'origin'))('commit', '-q', '--allow-empty', '-m', 'o')
  app.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', path.join(app.folder, 'origin'), 'sub')
  app.git('commit', '-qm', 'sub')
  app.write('sub/x.txt', 'x\n')
  t.match(await app.commit('In it', ['sub/x.txt']), { result: { data: { repository: 'sub' } } })
  const done = await app.commit('Of it', ['sub'])
  t.match(done.result.data, { repository: '.', files: [{ path: 'sub', operation: 'modified' }] })
  t.match(done.approval.preview.notes, [/^sub is a submodule: [0-9a-f]{12} becomes [0-9a-f]{12}\.$/])
  t.equal(app.status(), '')
})

t.test('does not disturb a concurrent git', async t => {
  const app = await startGitWriteFixture(t, { 'a.txt': 'one\n' })
  app.write('a.txt', 'two\n')
  const head = app.head()
  for (const lock of ['.git/index.lock', '.git/refs/heads/main.lock']) {
    app.write(lock, '')
    t.match(await app.commit('x', ['a.txt']), { status: 'error', error: { code: 'CONFLICT' } }, lock)
    t.equal(app.read(lock), '', 'it is left to its owner')
    app.remove(lock)
    t.equal(app.head(), head)
    t.equal(app.status(), ' M a.txt')
  }
  t.match(await app.commit('x', ['a.txt']), { status: 'success' })
  t.strictSame(
    readdirSync(app.path('.git')).filter(name => /lock|toolgate/.test(name)),
    [],
    'nothing of ours is left'
  )
})
