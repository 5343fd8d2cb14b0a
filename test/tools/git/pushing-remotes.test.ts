// Tests of what git_push makes of repositories, remotes and their addresses.
// tier: full
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { execaSync } from 'execa'
import t from 'tap'
import { isProcessRunning } from '../../../src/host/processes/pids.ts'
import { waitUntil } from '../../support/wait.ts'
import { pushedOnce } from './push-fixture.ts'
import { createBareRepository, gitIn, home, startGitWriteFixture, writeHook, writeUserConfig } from './write-fixture.ts'

t.test('shows the real content of commits, despite replacements in a repository', async t => {
  const app = await pushedOnce(t)
  const base = app.head()
  app.write('a.txt', 'harmless\n')
  app.git('commit', '-qam', 'Harmless')
  const harmless = app.head()
  app.git('reset', '-q', '--hard', base)
  // A change made in a merge commit, and in none of its parents.
  app.git('checkout', '-q', '-b', 'side')
  app.write('b.txt', 'b\n')
  app.git('add', 'b.txt')
  app.git('commit', '-qm', 'side')
  app.git('checkout', '-q', 'main')
  app.git('merge', '-q', '--no-ff', '--no-commit', 'side')
  app.write('.env', 'KEY=1\n')
  app.git('add', '-f', '.env')
  app.git('commit', '-qm', 'Real')
  const real = app.head()
  const asked = await app.ask('git_push', {})
  const { preview } = asked.approval
  t.match(preview.text, /2 commits:\n\w+ Real /)
  t.match(preview.notes, [String, 'The commits contain .env, which may contain credentials.'])
  app.git('replace', real, harmless)
  t.strictSame((await app.ask('git_push', {})).approval.preview, preview, 'replaced')
  app.git('replace', '-d', real)
  app.write('.git/info/grafts', `${real} ${base}\n`)
  t.strictSame((await app.ask('git_push', {})).approval.preview, preview, 'grafted')
})

t.test("a repository's settings run nothing and redirect nothing", async t => {
  const app = await pushedOnce(t)
  const canary = app.path('PWNED')
  const program = app.path('evil')
  writeHook(program, `touch ${canary}; exec git "$@"`)
  const trap = createBareRepository(path.join(app.folder, 'trap.git'))
  for (const name of ['pre-push', 'reference-transaction', 'post-commit'])
    writeHook(app.path(`.git/hooks/${name}`), `touch ${canary}`)
  for (const name of ['pre-receive', 'update', 'post-receive', 'post-update', 'reference-transaction'])
    writeHook(path.join(app.remote.folder, 'hooks', name), `touch ${canary}`)
  for (const key of ['core.fsmonitor', 'core.alternateRefsCommand', 'core.sshCommand', 'uploadpack.packObjectsHook'])
    app.remote.git('config', key, program)
  for (const [key, value] of Object.entries({
    'core.sshCommand': program,
    'core.askPass': program,
    'core.gitProxy': program,
    'core.fsmonitor': program,
    'core.hooksPath': app.path('.git/hooks'),
    'credential.helper': `!${program}`,
    'remote.origin.receivepack': program,
    'remote.origin.uploadpack': program,
    'remote.origin.vcs': 'evil',
    'remote.origin.proxy': 'http://127.0.0.1:1',
    'protocol.ext.allow': 'always',
    'push.gpgSign': 'if-asked',
    'gpg.program': program,
    'push.recurseSubmodules': 'on-demand',
    'push.pushOption': 'x',
    [`url.${trap.folder}.insteadOf`]: app.remote.folder,
    [`url.${trap.folder}.pushInsteadOf`]: app.remote.folder
  }))
    app.git('config', key, value)
  const head = gitIn(app.root)('commit-tree', '-p', 'HEAD', '-m', 'two', 'HEAD^{tree}')
  app.git('update-ref', 'refs/heads/main', head)
  app.remove('PWNED')
  const done = await app.run('git_push', {})
  t.match(done.result?.data ?? done.error, { url: app.remote.folder, outcome: 'updated' })
  t.match(done.approval.preview.notes, [/./, 'The hook pre-push of the repository does not run.'])
  t.equal(app.at(), head)
  t.equal(trap.git('for-each-ref'), '', 'it went where it was shown to go')
  t.notOk(existsSync(canary), 'nothing was run')
})

t.test('rejects invalid addresses', async t => {
  const app = await startGitWriteFixture(t, { 'a.txt': 'one\n' })
  const outside = createBareRepository(path.join(app.folder, 'outside.git'))
  app.write('link/.git', `gitdir: ${outside.folder}\n`)
  symlinkSync(outside.folder, app.path('linked.git'))
  const blocked = [
    'ext::sh -c true',
    'EXT::sh -c true',
    'fd::17',
    'http://host.test/x',
    'git://host.test/x',
    'ftp://h/x',
    '-x'
  ]
  const dashes = [
    'ssh://-oProxyCommand=x/y',
    'git@-oProxyCommand=x:y',
    'ssh://%2DoProxyCommand=x/y',
    'git@host:-x',
    'host::x'
  ]
  const folders = [
    outside.folder,
    `file://${outside.folder}`,
    '../outside.git',
    'linked.git',
    'link',
    'no-such',
    'a.txt',
    '/'
  ]
  for (const url of [...blocked, ...dashes, ...folders]) {
    app.git('config', 'remote.origin.url', url)
    const { error } = await app.ask('git_push', {})
    t.match(error?.code, folders.includes(url) ? /INVALID_PATH/ : 'URL_BLOCKED', url)
  }
  t.equal(outside.git('for-each-ref'), '')
  t.match((await app.ask('git_push', { remote: '--receive-pack=x' })).error, { code: 'INVALID_PARAMS' })
  t.match((await app.ask('git_push', { branch: '--force' })).error, { code: 'INVALID_PARAMS' })
  t.match((await app.ask('git_push', { branch: 'none' })).error, { code: 'INVALID_PARAMS' })
  app.git('config', '--add', 'remote.origin.url', 'https://other.test/x')
  t.match((await app.ask('git_push', {})).error, { code: 'CONFLICT', message: /several push URLs/ })
})

t.test("pushes by ssh, with the user's configuration", async t => {
  t.teardown(() => writeUserConfig())
  const app = await startGitWriteFixture(t, { 'a.txt': 'one\n' })
  const remote = createBareRepository(path.join(app.folder, 'far/origin.git'))
  const log = path.join(app.folder, 'ssh.log')
  // A fake ssh: logs its arguments, and runs the last of them.
  writeHook(
    path.join(home, 'bin/ssh'),
    `echo "$@" >${log}\nfor last; do :; done\nunset GIT_DIR GIT_OBJECT_DIRECTORY\neval "$last"`
  )
  writeUserConfig(
    `[user]\n\tname = Ann\n\temail = a@b.test\n[core]\n\tsshCommand = ${home}/bin/ssh -i key\n[url "git@host.test:"]\n\tinsteadOf = work:\n`
  )
  app.git('remote', 'add', 'origin', `work:${remote.folder}`)
  const asked = await app.ask('git_push', {})
  t.match(asked.approval?.preview.text ?? asked.error, new RegExp(`^URL: git@host\\.test:${remote.folder}$`, 'm'))
  const done = await app.approve(asked)
  t.match(done.result?.data ?? done.error, { outcome: 'created', url: `git@host.test:${remote.folder}` })
  t.equal(remote.git('rev-parse', 'main'), app.head())
  t.match(readFileSync(log, 'utf8'), /^-i key -o BatchMode=yes -o ConnectTimeout=30 .*git@host\.test git-receive-pack/)

  const failing: [said: string, wanted: object][] = [
    [
      'echo "git@host.test: Permission denied (publickey)." >&2; exit 255',
      { code: 'PERMISSION_DENIED', message: /Authentication at the remote failed/ }
    ],
    [
      'echo "Host key verification failed." >&2; exit 255',
      { code: 'PERMISSION_DENIED', message: /host key is unknown/ }
    ],
    [
      'echo "ssh: Could not resolve hostname host.test: Name or service not known" >&2; exit 255',
      { code: 'NETWORK_ERROR' }
    ],
    ['echo "ssh: connect to host host.test port 22: Connection refused" >&2; exit 255', { code: 'NETWORK_ERROR' }],
    ['exit 3', { code: 'EXECUTION_ERROR' }]
  ]
  app.git('commit', '-q', '--allow-empty', '-m', 'more')
  for (const [script, error] of failing) {
    writeHook(path.join(home, 'bin/ssh'), script)
    t.match(await app.run('git_push', {}), { status: 'error', error }, script)
  }
  t.equal(
    app.git('rev-parse', 'origin/main'),
    app.git('rev-parse', 'HEAD~1'),
    'nothing is noted of what did not happen'
  )
})

t.test('gives up a remote that never responds, with all its processes', async t => {
  t.teardown(() => writeUserConfig())
  const app = await startGitWriteFixture(t, { 'a.txt': 'one\n' })
  const started = path.join(app.folder, 'started')
  execaSync('mkfifo', [started])
  writeHook(path.join(home, 'bin/ssh'), `echo $$ >${started}; exec sleep 600`)
  writeUserConfig(`[core]\n\tsshCommand = ${home}/bin/ssh\n`)
  app.git('remote', 'add', 'origin', 'git@host.test:x.git')
  const asked = await app.ask('git_push', {})
  const running = app.approve(asked)
  const pid = Number(await readFile(started, 'utf8'))
  await app.post(`/calls/${asked.tool_call_id}/cancel`, {})
  t.equal((await running).status, 'cancelled')
  await waitUntil('the push to end', () => !isProcessRunning(pid))
  t.pass('its ssh is gone')
})

t.test('redacts credentials', async t => {
  const app = await startGitWriteFixture(t, { 'a.txt': 'one\n' })
  app.git('remote', 'add', 'origin', 'https://ann:s3cr3t-t0ken@127.0.0.1:1/x.git?private_token=s3cr3t-t0ken')
  const asked = await app.ask('git_push', {})
  t.match(asked.approval.preview.text, 'https://***@127.0.0.1:1/x.git?***')
  const done = await app.approve(asked)
  t.match(done.error, { code: 'NETWORK_ERROR' })
  t.notMatch(JSON.stringify([asked, done, await app.get(`/calls/${asked.tool_call_id}`)]), /s3cr3t/)
})

t.test('protects protected and checked-out branches', async t => {
  const app = await startGitWriteFixture(t, { 'a.txt': 'one\n' })
  app.git('clone', '-q', '.', 'copy')
  app.git('remote', 'add', 'origin', 'copy')
  app.git('commit', '-q', '--allow-empty', '-m', 'more')
  t.match((await app.run('git_push', {})).error, { code: 'CONFLICT', message: /checked out/ })
  const remote = createBareRepository(app.path('strict.git'))
  remote.git('config', 'receive.denyNonFastForwards', 'true')
  remote.git('config', 'transfer.hideRefs', 'refs/heads/main')
  app.git('remote', 'set-url', 'origin', 'strict.git')
  t.match((await app.run('git_push', {})).error, { code: 'PERMISSION_DENIED', details: { reason: /remote rejected/ } })
  app.git('checkout', '-q', '--detach')
  t.match((await app.ask('git_push', {})).error, { code: 'CONFLICT', message: /No branch is checked out/ })
})

t.test('fails before approval if git cannot list the commits', async t => {
  const app = await startGitWriteFixture(t, { 'a.txt': 'one\n' })
  const remote = createBareRepository(app.path('remotes/origin.git'))
  app.git('remote', 'add', 'origin', remote.folder)
  const first = app.head()
  app.git('commit', '-q', '--allow-empty', '-m', 'second')
  app.remove(`.git/objects/${first.slice(0, 2)}/${first.slice(2)}`)
  const asked = await app.ask('git_push', {})
  t.match(asked, { status: 'error', error: { code: 'EXECUTION_ERROR', message: /missing or damaged/ } })
  t.notMatch(JSON.stringify(asked), app.root, 'without folders of this machine')
})
