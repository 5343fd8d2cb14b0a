// git_commit on real repositories: what was shown is what is committed, and nothing else moves.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { startApp } from '../../start-app.ts'
import { bare, gitIn, home, hook, start, userConfig } from './writing-world.ts'

t.setTimeout(280_000)

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\0-\x08\x0b-\x1f\x7f]/

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

t.test('the first commit, one on no branch, and one in a folder below', async t => {
  const app = await start(t, {})
  app.write('a.txt', 'one\n')
  const asked = await app.ask('git_commit', { message: 'First', files: ['a.txt'] })
  t.strictSame(asked.approval.preview.notes, ['It is the first commit.'])
  const first = await app.approve(asked)
  t.match(first.result.data, { parent: null, branch: 'main', commit: app.head() })
  t.equal(app.git('reflog', '-1', '--format=%gs'), 'commit (initial): First')
  app.git('checkout', '-q', '--detach')
  app.write('a.txt', 'two\n')
  const detached = await app.commit('Second', ['a.txt'])
  t.match(detached.result.data, { branch: null, parent: first.result.data.commit })
  t.match(detached.approval.preview.notes, [/^No branch is checked out/])
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
  const app = await start(t, { 'a.txt': 'one\n' })
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
  const done = await above.post(`/calls/${asked.tool_call_id}/approve?wait_ms=60000`, { digest })
  t.match(done.result.data.files, [{ path: 'in.txt', operation: 'added' }])
  t.equal(git('ls-tree', '-r', '--name-only', 'HEAD'), 'ws/in.txt')
  t.equal(git('status', '--porcelain', '-uno'), 'A  out.txt')
})

t.test('files are stored as git stores them', async t => {
  const app = await start(t, {
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

t.test('a submodule is committed by its folder, and its files in it', async t => {
  const app = await start(t, { 'a.txt': 'one\n' })
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

t.test('what cannot be committed is told, and all stays as it is', async t => {
  const app = await start(t, { 'a.txt': 'one\n', 'dir/b.txt': 'b\n', '.gitattributes': '*.psd filter=lfs\n' })
  app.write('big.psd', 'x\n')
  app.write('a.txt', 'two\n')
  const before = app.status()
  const cases: [files: string[], message: string, wanted: object][] = [
    [['dir'], 'x', { code: 'NOT_A_FILE' }],
    [['.'], 'x', { code: 'NOT_A_FILE' }],
    [['no.txt'], 'x', { code: 'FILE_NOT_FOUND' }],
    [['dir/b.txt'], 'x', { code: 'CONFLICT', details: { unchanged: ['dir/b.txt'] } }],
    [['big.psd'], 'x', { code: 'CONFLICT', details: { filter: 'lfs' } }],
    [['a.txt'], ' \n\t\n', { code: 'INVALID_PARAMS' }],
    [['a.txt'], 'a\u0000b', { code: 'INVALID_PARAMS' }],
    [['a.txt'], 'a\u001b[2Jb', { code: 'INVALID_PARAMS' }],
    [['../a.txt'], 'x', { code: 'INVALID_PATH' }],
    [['.git/config'], 'x', { code: /.+/ }]
  ]
  for (const [files, message, wanted] of cases)
    t.match(await app.run('git_commit', { message, files }), { status: 'error', error: wanted }, `${files} ${message}`)
  t.equal(app.status(), before)
  const bareOne = bare(app.path('bare.git'))
  t.match(await app.commit('x', ['bare.git/HEAD']), { status: 'error' })
  t.equal(bareOne.git('for-each-ref'), '')
})

t.test('in the middle of something else nothing is committed', async t => {
  const app = await start(t, { 'a.txt': 'one\n' })
  app.git('switch', '-qc', 'side')
  app.write('a.txt', 'side\n')
  app.git('commit', '-qam', 'side')
  app.git('switch', '-q', 'main')
  app.write('a.txt', 'main\n')
  app.git('commit', '-qam', 'main')
  for (const [operation, ...words] of [
    ['merge', 'merge', 'side'],
    ['cherry-pick', 'cherry-pick', 'side'],
    ['revert', 'revert', '--no-edit', 'HEAD~1'],
    ['rebase', 'rebase', 'side']
  ] as string[][]) {
    t.throws(() => app.git(...words))
    const refused = await app.commit('x', ['a.txt'])
    t.match(refused.error, {
      code: 'CONFLICT',
      details: { operation },
      message: new RegExp(`git ${operation} --abort`)
    })
    app.git(operation!, '--abort')
  }
  t.match(await app.commit('x', ['a.txt']), { error: { details: { unchanged: ['a.txt'] } } })
})

t.test('who commits must be known, and is shown', async t => {
  t.teardown(() => userConfig())
  const app = await start(t, { 'a.txt': 'one\n' })
  app.write('a.txt', 'two\n')
  userConfig('')
  t.match(await app.ask('git_commit', { message: 'x', files: ['a.txt'] }), {
    error: { code: 'CONFLICT', message: /git config --global user\.email/, details: { missing: 'identity' } }
  })
  userConfig(`[includeIf "gitdir:${app.root}/"]\n\tpath = work\n`)
  writeFileSync(path.join(home, 'work'), '[user]\n\tname = Ann at Work\n\temail = ann@work.test\n')
  const asked = await app.ask('git_commit', { message: 'x', files: ['a.txt'] })
  t.match(asked.approval.preview.text, /^Author: Ann at Work <ann@work.test>$/m)
  app.git('config', 'user.name', 'Somebody Else')
  const changed = await app.approve(asked)
  t.match(changed, { code: 'PREVIEW_CHANGED' }, 'it would be by another')
  t.match(
    (await app.approve(await app.get(`/calls/${asked.tool_call_id}`))).result.data.author,
    'Somebody Else <ann@work.test>'
  )
})

t.test('an approver is told of all that is out of the ordinary', async t => {
  const app = await start(t, { 'a.txt': 'one\n', 'same.txt': 's\n', '.gitignore': '*.log\n' })
  app.write('a.txt', 'two\n')
  app.write('out.log', 'log\n')
  app.git('config', 'commit.gpgSign', 'true')
  hook(app.path('.git/hooks/pre-commit'), 'touch PWNED')
  hook(app.path('.git/hooks/post-commit'), 'touch PWNED')
  app.write('.git/hooks/commit-msg.sample', '#!/bin/sh\n')
  const editor = { 'x-toolgate-client': 'emacs/30' }
  await app.request('PUT', '/buffers', { buffers: [{ path: 'a.txt', content: 'unsaved\n' }] }, editor)
  const asked = await app.ask('git_commit', { message: 'a\u202eb', files: ['a.txt', 'same.txt', 'out.log'] })
  const { notes } = asked.approval.preview
  t.strictSame(notes, [
    'Hooks of the repository do not run: pre-commit, post-commit.',
    'Commits are to be signed here by the configuration; this one is not.',
    'out.log is ignored by git, and would be added all the same.',
    'same.txt is as it was committed last, so it is not in it.',
    'a.txt has unsaved changes in emacs/30: what is on the disk is committed.',
    'The message holds invisible characters, shown as \\u{…}.'
  ])
  t.match(asked.approval.preview.title, /a\\u\{202e\}b/)
  const done = await app.approve(asked)
  t.match(done.result.data, { unchanged: ['same.txt'], message: 'a\u202eb\n' })
  t.notOk(app.exists('PWNED'), 'no hook has run')
  t.equal(app.git('log', '-1', '--format=%G?'), 'N')
})

t.test('secrets are asked about strictly, and not by an agent', async t => {
  const app = await start(t, { 'a.txt': 'one\n' })
  app.write('.env', 'KEY=1\n')
  const params = { message: 'x', files: ['.env'] }
  t.match(await app.ask('git_commit', params), { status: 'error', error: { code: 'SENSITIVE_PATH' } })
  const asked = await app.call('git_commit', params)
  t.match(asked.approval, {
    level: 'strict',
    preview: { notes: ['.env may hold credentials, which stay in the history for good.'] }
  })
})

t.test('what has changed since it was shown is shown again', async t => {
  const app = await start(t, { 'a.txt': 'one\n', 'b.txt': 'b\n' })
  app.write('a.txt', 'two\n')
  const changes: [what: string, change: () => void][] = [
    ['the file', () => app.write('a.txt', 'three\n')],
    ['the branch', () => app.git('commit', '-q', '--allow-empty', '-m', 'other')],
    ['what is checked out', () => app.git('switch', '-qc', 'other')],
    ['its mode', () => chmodSync(app.path('a.txt'), 0o755)],
    ['the attributes', () => app.write('.gitattributes', 'a.txt eol=crlf\n')]
  ]
  for (const [what, change] of changes) {
    const asked = await app.ask('git_commit', { message: what, files: ['a.txt'] })
    const before = app.head()
    change()
    const answer = await app.approve(asked)
    if (what === 'the attributes') t.match(answer, { status: 'success' }, 'it stores the same')
    else t.match(answer, { code: 'PREVIEW_CHANGED' }, what)
    if (what !== 'the branch' && answer.code) t.equal(app.head(), before)
  }
})

t.test('git that is at work at the same time is not disturbed', async t => {
  const app = await start(t, { 'a.txt': 'one\n' })
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

t.test('any message and any name is stored as it is', async t => {
  const app = await start(t, {})
  let count = 0
  const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 })
  const name = fc
    .oneof(
      word,
      fc.constantFrom('-x', ':x', '*', '[a]', 'a b', '"q"', 'a\\b', '--amend', 'é', '😀', "it's", '#x', '~', '$(x)')
    )
    .filter(
      text =>
        text.isWellFormed() &&
        !/[\p{C}/]/u.test(text) &&
        text.trim() !== '' &&
        !/^\.{1,2}$|^\.git|^\.env|^~/i.test(text)
    )
  const message = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.constantFrom('--amend', '# not a comment', 'é\n\n\n x \n', '-m x')
  )
  await fc.assert(
    fc.asyncProperty(name, message, async (file, text) => {
      const wanted = execFileSync('git', ['stripspace'], { input: text, encoding: 'utf8' })
      count += 1
      app.write(`d${count}/${file}`, `${count}\n`)
      const done = await app.run('git_commit', { message: text, files: [`d${count}/${file}`] })
      if (done.status !== 'success') {
        const isFault = done.error.code === 'INVALID_PARAMS' || /SENSITIVE/.test(done.error.code)
        return (
          isFault &&
          (wanted === '' || CONTROL.test(text) || !text.isWellFormed() || done.error.code !== 'INVALID_PARAMS')
        )
      }
      const stored = app.git('cat-file', 'commit', 'HEAD').split('\n\n').slice(1).join('\n\n')
      const names = app.git('show', '--format=', '--name-only', '-z').split('\0')
      return (
        `${stored}\n` === wanted && names[0] === `d${count}/${file}` && app.git('status', '--porcelain', '-uno') === ''
      )
    }),
    { numRuns: 12 }
  )
})

t.test('nothing that a repository names is run', async t => {
  const app = await start(t, { 'a.txt': 'one\n', '.gitattributes': '* diff=evil merge=evil\n' })
  const canary = path.join(app.folder, 'PWNED')
  const program = app.path('evil')
  hook(program, `touch ${canary}; cat`)
  for (const name of [
    ...['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'post-checkout', 'post-rewrite'],
    ...['reference-transaction', 'post-index-change', 'fsmonitor-watchman', 'pre-auto-gc']
  ])
    hook(app.path(`.git/hooks/${name}`), `touch ${canary}`)
  for (const [key, value] of Object.entries({
    'core.fsmonitor': program,
    'core.hooksPath': app.path('.git/hooks'),
    'core.editor': program,
    'core.pager': program,
    'commit.gpgSign': 'true',
    'gpg.program': program,
    'user.signingKey': 'x',
    'diff.external': program,
    'diff.evil.command': program,
    'diff.evil.textconv': program,
    'merge.evil.driver': program,
    'filter.evil.clean': program,
    'filter.evil.smudge': program,
    'filter.evil.process': program,
    'filter.evil.required': 'true',
    'trace2.eventTarget': canary,
    'commit.template': app.path('evil'),
    'gc.auto': '1'
  }))
    app.git('config', key, value)
  app.write('a.txt', 'two\n')
  t.match(await app.commit('Second', ['a.txt']), { status: 'success' })
  t.match(await app.run('git_branch', { name: 'side', create: true, start: 'HEAD~1', switch: true }), {
    status: 'success'
  })
  t.equal(app.read('a.txt'), 'one\n')
  app.write('.gitattributes', '*.txt filter=evil\n')
  app.write('a.txt', 'three\n')
  t.match((await app.commit('x', ['a.txt'])).error, { code: 'CONFLICT', details: { filter: 'evil' } })
  t.match((await app.run('git_branch', { name: 'main', switch: true })).error, { code: 'CONFLICT' })
  t.notOk(existsSync(canary))
})
