// Tests that sandboxed programs without network see git's configuration without credentials, in whatever encoding they print it.
// tier: full
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { withoutGitCredentials } from '../../../src/host/files/policy/git-credentials.ts'
import { startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'

const { sandbox } = defaultSettings()
const SECRETS = [
  'token-in-name-1111',
  'word-2222',
  'header-3333',
  'helper-4444',
  'nested-5555',
  'tree-6666',
  'module-7777',
  'own-8888',
  'remotes-9999',
  'backup-1010',
  'submodules-1212',
  'log-1313'
]

/** Starts a server on a repository whose remotes and settings have credentials, with a nested one, a worktree and a submodule. */
async function startWithRemotes(t: Test) {
  const app = await startApp(t, { 'a.txt': 'a\n', 'nested/b.txt': 'b\n' }, { settings: { sandbox } })
  const git = (cwd: string, ...args: string[]) =>
    execaSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], {
      cwd: path.join(app.root, cwd)
    })
  git('.', 'init', '--quiet')
  git('.', 'remote', 'add', 'origin', 'https://token-in-name-1111@git.example/x.git')
  git('.', 'remote', 'add', 'other', 'https://me:word-2222@git.example/y.git')
  git('.', 'remote', 'add', 'ssh', 'ssh://git@git.example/z.git')
  git('.', 'config', 'http.extraheader', 'AUTHORIZATION: basic header-3333')
  git('.', 'config', 'credential.helper', '!echo password=helper-4444')
  git('.', 'config', 'user.name', 'Somebody')
  git('.', 'commit', '--quiet', '--allow-empty', '--message', 'first')
  git('nested', 'init', '--quiet')
  git('nested', 'remote', 'add', 'origin', 'https://nested-5555@git.example/n.git')
  git('.', 'worktree', 'add', '--quiet', 'tree')
  git('.', 'config', 'extensions.worktreeConfig', 'true')
  git('tree', 'config', '--worktree', 'remote.tree.url', 'https://tree-6666@git.example/t.git')
  git('.', 'init', '--quiet', '--bare', '.git/modules/a/b')
  git('.git/modules/a/b', 'config', 'remote.origin.url', 'https://module-7777@git.example/m.git')
  git('.', 'config', '--worktree', 'remote.own.url', 'https://own-8888@git.example/o.git')
  app.write('.git/remotes/old', 'URL: https://u:remotes-9999@git.example/r.git\n')
  app.write('.git/config.bak', '[remote "b"]\n\turl = https://backup-1010@git.example/b.git\n')
  app.write(
    '.git/logs/HEAD',
    `${'0'.repeat(40)} ${'1'.repeat(40)} T <t@l> 1 +0000\tclone: from https://log-1313@git.example/l\n`
  )
  app.write('nested/.gitmodules', '[submodule "s"]\n\tpath = s\n\turl = https://submodules-1212@git.example/s.git\n')
  app.write('.gitmodules', '[submodule "s"]\n\tpath = s\n\turl = https://git.example/s.git\n')
  return app
}

/** Files of Git with credentials. */
const FILES = [
  ...['.git/config', 'nested/.git/config', '.git/worktrees/tree/config.worktree', '.git/modules/a/b/config'],
  ...['.git/config.worktree', '.git/remotes/old', '.git/config.bak', '.git/logs/HEAD', 'nested/.gitmodules']
]
const ALL = `cat ${FILES.join(' ')}`

t.test('tools ask before they read them, and searches leave them out', async t => {
  const { call, write } = await startWithRemotes(t)
  for (const file of FILES)
    t.match(
      await call('read_file', { path: file }),
      { status: 'awaiting_approval', approval: { level: 'strict' } },
      file
    )
  write('bare/config', '[remote "b"]\n\turl = https://u:bare-1414@git.example/b.git\n')
  write('app/config', 'color = always\n')
  t.match(await call('read_file', { path: 'bare/config' }), {
    status: 'awaiting_approval',
    approval: { level: 'strict' }
  })
  for (const path of ['app/config', '.gitmodules', '.git/HEAD', '.git/worktrees/tree/HEAD'])
    t.match(await call('read_file', { path }), { status: 'success' }, path)
  const { result } = await call('grep', { pattern: 'git\\.example', include_hidden: true, no_ignore: true })
  t.notMatch(JSON.stringify(result), /-\d{4}@/)
})

t.test('code that runs unasked reads the configuration without credentials', needs('bwrap'), async t => {
  const { call, root } = await startWithRemotes(t)
  const before = readFileSync(path.join(root, '.git/config'), 'utf8')
  const code = `${ALL} | rev; git remote -v; git config user.name`
  const { approved_by, result, error } = await call('run_code', { language: 'bash', code })
  t.match(approved_by, { source: 'auto' }, JSON.stringify(error))
  t.equal(error, undefined, JSON.stringify(error))
  const { stdout } = result.data
  for (const secret of SECRETS) {
    t.notMatch(stdout, secret)
    t.notMatch(stdout, [...secret].reverse().join(''))
  }
  t.match(stdout, 'https://git.example/x.git (fetch)', 'git works')
  t.match(stdout, 'ssh://git@git.example/z.git', 'an account is no credential')
  t.match(stdout, 'Somebody')
  t.equal(readFileSync(path.join(root, '.git/config'), 'utf8'), before, 'the file is as it was')
  const { result: remotes } = await call('shell_exec', { command: 'git remote -v' })
  t.match(remotes.data.stdout, 'https://git.example/x.git')
  t.notMatch(remotes.data.stdout, SECRETS[0]!)
})

t.test('so does an approved command without network, which sees lists of submodules whole', needs('bwrap'), async t => {
  const { call, post } = await startWithRemotes(t)
  const asked = await call('shell_exec', { command: `touch x; ${ALL.replace(' nested/.gitmodules', '')} | base64 -w0` })
  const { digest } = asked.approval
  const done = await post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest, confirm: true })
  const text = Buffer.from(done.result.data.stdout, 'base64').toString()
  t.match(text, '[remote "origin"]')
  for (const secret of SECRETS) t.notMatch(text, secret)
})

t.test('removes credentials from any form of a configuration, and keeps the rest', async t => {
  const text = `[core]
\tbare = false ; a comment
[remote "origin"]
\turl = "https://user:p%40ss@host/x.git" # why
\tpushurl = HTTPS://tok@host/y
\tfetch = +refs/heads/*:refs/remotes/origin/*
[url "https://tok@host/"]
\tinsteadOf = gh:
[http "https://host"] extraHeader = Authorization: x\\
 y z
\tproxy = http://p:q@proxy:3128
[credential]
\thelper = "!f() { echo password=z; }; f"
[sendemail]
\tsmtpPass = z
[branch "token"]
\tremote = origin
`
  t.equal(
    withoutGitCredentials(text),
    `[core]
\tbare = false ; a comment
[remote "origin"]
\turl = "https://host/x.git" # why
\tpushurl = HTTPS://host/y
\tfetch = +refs/heads/*:refs/remotes/origin/*
[url "https://host/"]
\tinsteadOf = gh:
[http "https://host"] # extraHeader = (omitted)
\tproxy = http://proxy:3128
[credential]
\t# helper = (omitted)
[sendemail]
\t# smtpPass = (omitted)
[branch "token"]
\tremote = origin
`
  )
})
