// tier: full
import { chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import type { ConfiguredRule } from '../../../src/protocol/rules.ts'
import { CALL_TOKEN, type StartOptions } from '../../start-app.ts'
import { createBareRepository, home, startGitWriteFixture, writeHook, writeUserConfig } from './write-fixture.ts'

const AS_AGENT = { authorization: `Bearer ${CALL_TOKEN}` }
const rules = (rule: ConfiguredRule): StartOptions => ({
  settings: { tiers: { administrator: [], user: [rule], workspace: [] } }
})

t.test('reports what cannot be committed, and changes nothing', async t => {
  const app = await startGitWriteFixture(t, {
    'a.txt': 'one\n',
    'dir/b.txt': 'b\n',
    '.gitattributes': '*.psd filter=lfs\n'
  })
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
  const bareOne = createBareRepository(app.path('bare.git'))
  t.match(await app.commit('x', ['bare.git/HEAD']), { status: 'error' })
  t.equal(bareOne.git('for-each-ref'), '')
})

t.test('rejects a commit during another operation', async t => {
  const app = await startGitWriteFixture(t, { 'a.txt': 'one\n' })
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

t.test('requires and shows the author', async t => {
  t.teardown(() => writeUserConfig())
  const app = await startGitWriteFixture(t, { 'a.txt': 'one\n' })
  app.write('a.txt', 'two\n')
  writeUserConfig('')
  t.match(await app.ask('git_commit', { message: 'x', files: ['a.txt'] }), {
    error: { code: 'CONFLICT', message: /git config --global user\.email/, details: { missing: 'identity' } }
  })
  writeUserConfig(`[includeIf "gitdir:${app.root}/"]\n\tpath = work\n`)
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

t.test('finds the author in the file that GIT_CONFIG_GLOBAL names', async t => {
  t.teardown(() => {
    writeUserConfig()
    delete process.env.GIT_CONFIG_GLOBAL
  })
  const app = await startGitWriteFixture(t, { 'a.txt': 'one\n' })
  app.write('a.txt', 'two\n')
  writeUserConfig('[user]\n\tname = Not Me\n')
  const file = path.join(home, 'elsewhere')
  writeFileSync(file, '[user]\n\tname = Ann Elsewhere\n\temail = ann@elsewhere.test\n')
  process.env.GIT_CONFIG_GLOBAL = file
  const asked = await app.ask('git_commit', { message: 'x', files: ['a.txt'] })
  t.match(asked.approval?.preview.text, /^Author: Ann Elsewhere <ann@elsewhere\.test>$/m)
})

t.test('warns an approver of everything unusual', async t => {
  const app = await startGitWriteFixture(t, { 'a.txt': 'one\n', 'same.txt': 's\n', '.gitignore': '*.log\n' })
  app.write('a.txt', 'two\n')
  app.write('out.log', 'log\n')
  app.git('config', 'commit.gpgSign', 'true')
  writeHook(app.path('.git/hooks/pre-commit'), 'touch PWNED')
  writeHook(app.path('.git/hooks/post-commit'), 'touch PWNED')
  app.write('.git/hooks/commit-msg.sample', '#!/bin/sh\n')
  const editor = { 'x-toolgate-client': 'emacs/30' }
  await app.request('PUT', '/buffers', { buffers: [{ path: 'a.txt', content: 'unsaved\n' }] }, editor)
  const asked = await app.ask('git_commit', { message: 'a\u202eb', files: ['a.txt', 'same.txt', 'out.log'] })
  const { notes } = asked.approval.preview
  t.strictSame(notes, [
    'Hooks of the repository do not run: pre-commit, post-commit.',
    'The configuration requires signed commits. Commits of git_commit are not signed.',
    'out.log is ignored by git, but would be added anyway.',
    'same.txt has no changes since the last commit and is not included.',
    'a.txt has unsaved changes in emacs/30: the file on disk is committed.',
    'The message contains invisible characters; they are shown as \\u{…}.'
  ])
  t.match(asked.approval.preview.title, /a\\u\{202e\}b/)
  const done = await app.approve(asked)
  t.match(done.result.data, { unchanged: ['same.txt'], message: 'a\u202eb\n' })
  t.notOk(app.exists('PWNED'), 'no hook has run')
  t.equal(app.git('log', '-1', '--format=%G?'), 'N')
})

t.test('secrets require strict approval, and not by an agent', async t => {
  const app = await startGitWriteFixture(t, { 'a.txt': 'one\n' })
  app.write('.env', 'KEY=1\n')
  const params = { message: 'x', files: ['.env'] }
  t.match(await app.ask('git_commit', params), { status: 'error', error: { code: 'SENSITIVE_PATH' } })
  const asked = await app.call('git_commit', params)
  t.match(asked.approval, {
    level: 'strict',
    preview: { notes: ['.env may contain credentials, which would stay in the history permanently.'] }
  })
})

t.test('refreshes a preview whose files have changed', async t => {
  const app = await startGitWriteFixture(t, { 'a.txt': 'one\n', 'b.txt': 'b\n' })
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

t.test('a commit shows nothing of files that may not be read without asking', async t => {
  const vault = { path: 'vault/**' }
  const configurations: Record<string, StartOptions> = {
    'a rule asks about the path': rules({ effect: 'ask', match: vault }),
    'a rule asks about reading': rules({ effect: 'ask', match: { effect: 'read', ...vault } }),
    'a rule denies the tool that reads': rules({ effect: 'deny', match: { tool: 'read_file', ...vault } })
  }
  for (const [name, options] of Object.entries(configurations))
    await t.test(name, async t => {
      const app = await startGitWriteFixture(t, { 'a.txt': 'a\n', 'vault/old.txt': 'zebra-committed\n' }, options)
      app.write('a.txt', 'b\n')
      app.write('vault/old.txt', 'zebra-changed\n')
      app.write('vault/new.txt', 'zebra-new\n')
      const params = { message: 'All', files: ['a.txt', 'vault/old.txt', 'vault/new.txt'] }
      const asked = await app.ask('git_commit', params)
      const { diff, notes } = asked.approval.preview
      t.match(diff, /^diff --git a\/a.txt b\/a.txt\n[\s\S]*\n-a\n\+b\n$/)
      for (const file of ['new', 'old'])
        t.ok(notes.includes(`Reading vault/${file}.txt requires approval: its changes are not shown.`))
      const one = { tool: 'git_commit', params: { ...params, files: ['vault/old.txt'] } }
      const dry = await app.post('/calls', { ...one, dry_run: true }, AS_AGENT)
      t.equal(dry.preview.diff, '')
      const seen = [asked, dry, await app.post('/policy/explain', one, AS_AGENT)]
      t.notMatch(JSON.stringify(seen), 'zebra')
      t.match(await app.approve(asked), { status: 'success' })
      t.equal(app.git('show', 'HEAD:vault/new.txt'), 'zebra-new')
    })
  await t.test('a rule denies reading', async t => {
    const options = rules({ effect: 'deny', match: { effect: 'read', ...vault } })
    const app = await startGitWriteFixture(t, { 'a.txt': 'a\n', 'vault/old.txt': 'zebra-committed\n' }, options)
    app.write('vault/old.txt', 'zebra-changed\n')
    const refused = await app.ask('git_commit', { message: 'All', files: ['vault/old.txt'] })
    t.match(refused, { status: 'rejected' })
    t.notMatch(JSON.stringify(refused), 'zebra')
  })
})
