// Tests that files which git's own configuration names as hooks, programs or further configuration are written only with strict
// approval: git would run or read them by itself.
// tier: full
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { CALL_TOKEN, type Json, type StartOptions, startApp } from '../../start-app.ts'
import { makeTestFolder } from '../../support/test-folder.ts'

/** Starts a server on a repository with these settings, and an agent whose token may only call. */
async function start(t: Test, settings: Record<string, string>, options: StartOptions = {}, files = {}) {
  const app = await startApp(t, { 'src/a.txt': 'a\n', ...files }, options)
  execaSync('git', ['init', '-q', app.root])
  for (const [key, value] of Object.entries(settings)) execaSync('git', ['-C', app.root, 'config', key, value])
  const agent = (tool: string, params: object): Promise<Json> => app.callAs(CALL_TOKEN, tool, params)
  const create = (path: string) => agent('write_file', { path, content: 'echo x\n' })
  return { ...app, agent, create }
}

const strict = (file: string) => ({
  status: 'awaiting_approval',
  approval: {
    level: 'strict',
    reason: `Programs execute or interpret ${file} automatically, so writing it can execute code.`
  }
})

t.test('a new file that the configuration of the repository names', async t => {
  const { create } = await start(t, {
    'core.hooksPath': 'tools/hooks',
    'include.path': '../.gitlocal',
    'filter.tidy.clean': 'sh ci/tidy.sh --in "%f"',
    'diff.doc.textconv': './bin/show | head',
    'alias.fix': '!f() { scripts/fix "$@"; }; f',
    'core.sshCommand': "ssh -o ProxyCommand='net/proxy %h'",
    'core.fsmonitor': 'watch.py'
  })
  const named = [
    'tools/hooks/pre-commit',
    '.gitlocal',
    'ci/tidy.sh',
    'bin/show',
    'scripts/fix',
    'net/proxy',
    'watch.py'
  ]
  for (const file of named) t.match(await create(file), strict(file), file)
  for (const file of ['tools/other', 'src/b.txt', 'heads', 'hooks2/x'])
    t.match(await create(file), { status: 'success' }, file)
})

t.test('values that name no program ask nothing', async t => {
  const { create } = await start(t, {
    'remote.origin.url': '../other.git',
    'branch.main.merge': 'refs/heads/main',
    'alias.st': 'status docs/x',
    'core.editor': 'vim',
    'credential.helper': 'store',
    'filter.lfs.clean': 'git-lfs clean -- %f',
    'core.hooksPath': '.'
  })
  for (const file of ['refs/heads/main', 'docs/x', 'vim', 'store', 'clean', 'pre-commit'])
    t.match(await create(file), { status: 'success' }, file)
})

t.test('a folder that is moved to where its files are named', async t => {
  const { agent, create } = await start(t, { 'core.hooksPath': 'tools/hooks' })
  t.match(await create('new/hooks/pre-commit'), { status: 'success' })
  t.match(await agent('move_file', { from: 'new', to: 'tools' }), strict('tools/hooks'))
  t.match(await agent('move_file', { from: 'new/hooks', to: 'tools/hooks' }), strict('tools/hooks'))
  t.match(await agent('move_file', { from: 'new', to: 'tools2' }), { status: 'success' })
})

t.test('a configuration that is included by another one, and that of the user', async t => {
  const home = makeTestFolder(t, { '.gitconfig': '[core]\n\thooksPath = team-hooks\n' })
  const { create, root } = await start(
    t,
    { 'include.path': '../team/config' },
    { environment: { HOME: home } },
    { 'team/config': '[includeIf "gitdir:**"] path = more\n[diff] external = team/differ\n' }
  )
  for (const file of ['team/more', 'team/differ', 'team-hooks/post-checkout'])
    t.match(await create(file), strict(file), file)
  t.match(await create('hooks3/x'), { status: 'success' })

  const itself = '[include] path = config\n'.repeat(20)
  writeFileSync(path.join(root, 'team/config'), `${itself}[diff] external = team/other\n`)
  t.match(await create('team/other'), strict('team/other'), 'a file that includes itself is read once')

  mkdirSync(path.join(root, 'sub/.git'), { recursive: true })
  writeFileSync(path.join(root, 'sub/.git/config'), '[core]\n\thooksPath = ../shared\n')
  t.match(await create('sub/shared'), { status: 'success' })
  t.match(await create('sub/team-hooks/pre-push'), strict('sub/team-hooks/pre-push'))
})

t.test('attributes that the configuration names choose which program git runs for a file', async t => {
  const { create } = await start(t, { 'core.attributesFile': 'dev/attributes', 'core.excludesFile': 'dev/ignored' })
  t.match(await create('dev/attributes'), strict('dev/attributes'))
  t.match(await create('dev/ignored'), { status: 'success' })
  t.match(await create('.git/info/attributes'), { error: { code: 'SENSITIVE_PATH' } })
})

t.test('configurations of submodules, linked worktrees and bare repositories', async t => {
  const { agent, create, root, write } = await start(
    t,
    { 'extensions.worktreeConfig': 'true' },
    {},
    { 'dev/old': '[user]\n' }
  )
  const git = (...args: string[]) =>
    execaSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', '-C', root, ...args], { stdio: 'ignore' })
  execaSync('git', ['init', '-q', path.join(root, 'source')])
  git('-C', 'source', 'commit', '--allow-empty', '--message', 'first')
  git('-c', 'protocol.file.allow=always', 'submodule', 'add', path.join(root, 'source'), 'lib/sub')
  const sub = ['-C', 'lib/sub', 'config']
  git(...sub, 'include.path', '../../../../dev/included')
  git(...sub, '--add', 'include.path', path.join(root, 'dev/old'))
  git(...sub, 'filter.x.clean', 'sh ../../dev/clean.sh')
  git('commit', '--allow-empty', '--message', 'first')
  git('worktree', 'add', '--detach', path.join(root, 'linked'))
  git('-C', 'linked', 'config', '--worktree', 'core.hooksPath', '../dev/hooks')
  execaSync('git', ['init', '-q', '--bare', path.join(root, 'mirror')])
  write('mirror/config', '[core]\n\tbare = true\n[include]\n\tpath = own/more\n[diff]\n\texternal = tools/differ\n')
  for (const file of [
    'dev/included',
    'dev/clean.sh',
    'dev/hooks/post-checkout',
    'mirror/own/more',
    'mirror/tools/differ'
  ])
    t.match(await create(file), strict(file), file)
  t.match(await agent('edit_file', { path: 'dev/old', old: '[user]', new: '[diff]' }), strict('dev/old'))
  for (const file of ['dev/other', 'lib/dev/clean.sh', 'mirror/own/other'])
    t.match(await create(file), { status: 'success' }, file)
})

t.test('an explanation shows that a file which is read is executed by git', async t => {
  const { request } = await start(t, { 'core.hooksPath': 'tools/hooks' }, {}, { 'tools/hooks/pre-commit': 'echo x\n' })
  const explain = async (path: string): Promise<Json> =>
    (await request('POST', '/policy/explain', { tool: 'read_file', params: { path } })).body
  for (const path of ['tools/hooks/pre-commit', 'src/a.txt'])
    t.match(await explain(path), {
      verdict: { decision: 'allow' },
      paths: [{ path, self_starting: path !== 'src/a.txt' }]
    })
})

t.test('a commit of a file that git executes needs approval in mode auto', async t => {
  const { request, agent, root } = await start(
    t,
    { 'core.hooksPath': 'tools/hooks', 'user.name': 'T', 'user.email': 't@localhost' },
    {},
    { 'tools/hooks/pre-commit': 'echo x\n' }
  )
  execaSync('git', ['-C', root, 'add', '--all'])
  execaSync('git', ['-C', root, 'commit', '--quiet', '--no-verify', '--message', 'first'])
  await request('PUT', '/sessions/default/mode', { mode: 'auto', token_id: 'server:call' })
  writeFileSync(path.join(root, 'tools/hooks/pre-commit'), 'echo y\n')
  writeFileSync(path.join(root, 'src/a.txt'), 'b\n')
  const commit = (file: string) => agent('git_commit', { message: 'More', files: [file] })
  const reason =
    'Programs execute or interpret tools/hooks/pre-commit automatically, also when someone checks out the commit.'
  t.match(await commit('tools/hooks/pre-commit'), { status: 'awaiting_approval', approval: { reason } })
  t.match(await commit('src/a.txt'), { status: 'success', approved_by: { source: 'mode', mode: 'auto' } })
})
