// Tests of git in commands where the workspace is a part of a repository: a folder of it, a submodule, or a working tree elsewhere.
// tier: full
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { startApp, type TestApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { runApproved } from '../../tools/commands/jobs.ts'

const settings = { sandbox: { ...defaultSettings().sandbox, level: 'workspace' as const } }
const gitIn =
  (folder: string) =>
  (...args: string[]) =>
    execaSync(
      'git',
      ['-c', 'user.name=T', '-c', 'user.email=t@localhost', '-c', 'protocol.file.allow=always', ...args],
      { cwd: folder }
    ).stdout

/** Writes and commits a file beside the workspace and one in it, in a repository above it. */
async function startInFolder(app: TestApp, ...options: string[]) {
  const git = gitIn(app.folder)
  git('init', '-q', '-b', 'main', ...options)
  writeFileSync(path.join(app.folder, 'out.txt'), 'out\n')
  git('add', 'out.txt', path.relative(app.folder, app.root))
  git('commit', '-qm', 'first')
  return git
}

for (const [name, options] of Object.entries({ sha1: [], sha256: ['--object-format=sha256'] }))
  t.test(`a folder of a repository, ${name}`, needs('bwrap'), async t => {
    const app = await startApp(t, { 'in.txt': 'in\n' }, { settings })
    const git = await startInFolder(app, ...options)
    app.write('in.txt', 'changed\n')
    const shell = async (command: string) => (await runApproved(app, 'shell_exec', { command })).result.data
    const asked = await app.call('shell_exec', { command: 'git log --format=%s' })
    t.match(asked, {
      status: 'awaiting_approval',
      approval: { reason: /^git log --format=%s reads the history of a repository whose root is above the workspace/ }
    })
    await app.post('/reject', { tool_call_id: asked.tool_call_id })
    t.match(await shell('git log --format=%s'), { stdout: 'first\n' })
    t.match(await shell('git status --short'), { stdout: ' M in.txt\n' })
    t.match(await shell('git diff --stat'), { stdout: / ws\/in\.txt \| 2 [+]-/ })
    t.match(await shell('git add in.txt; git -c user.name=T -c user.email=t@l commit -qam second'), {
      exit_code: 128,
      stdout: /Read-only file system/
    })
    t.equal(git('status', '--short', '-uno'), ' M ws/in.txt')
    t.match((await app.call('git_status', {})).result.data, { entries: [{ path: 'in.txt', worktree: 'modified' }] })
    const code = "import os; print(os.path.exists('../.git'), os.path.exists('../out.txt'))"
    t.match((await app.call('shell_exec', { command: `python3 -c "${code}"` })).result.data, {
      stdout: 'False False\n'
    })
  })

t.test('a folder that the repository above does not have', needs('bwrap'), async t => {
  const app = await startApp(t, {}, { settings })
  writeFileSync(path.join(app.folder, '.gitignore'), 'ws\n')
  const git = gitIn(app.folder)
  git('init', '-q')
  git('add', '.gitignore')
  git('commit', '-qm', 'private')
  t.match((await runApproved(app, 'shell_exec', { command: 'git log --format=%s' })).result.data, {
    stdout: /not a git repository/
  })
})

for (const kind of ['submodule', 'worktree'] as const)
  t.test(`a ${kind}`, needs('bwrap'), async t => {
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-test-')))
    t.teardown(() => rmSync(folder, { recursive: true }))
    const inner = path.join(folder, 'inner')
    for (const at of [inner, folder]) {
      mkdirSync(at, { recursive: true })
      writeFileSync(path.join(at, 'a.txt'), 'one\n')
      const git = gitIn(at)
      git('init', '-q', '-b', 'main')
      git('add', 'a.txt')
      git('commit', '-qm', at === inner ? 'inner' : 'outer')
    }
    if (kind === 'submodule') gitIn(folder)('submodule', '--quiet', 'add', inner, 'ws')
    else gitIn(inner)('worktree', 'add', '-q', path.join(folder, 'ws'))
    const { write, call } = await startApp(t, {}, { settings, folder })
    write('a.txt', 'two\n')
    for (const [command, stdout] of [
      ['git log --format=%s', 'inner\n'],
      ['git status --short', ' M a.txt\n']
    ] as const)
      t.match((await call('shell_exec', { command })).result?.data, { stdout }, command)
    t.match((await call('git_status', {})).result.data, { entries: [{ path: 'a.txt', worktree: 'modified' }] })
  })

t.test('a clone that borrows objects', needs('bwrap'), async t => {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-test-')))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const lender = path.join(folder, 'lender')
  mkdirSync(lender)
  const git = gitIn(lender)
  git('init', '-q')
  git('commit', '-q', '--allow-empty', '-m', 'first')
  gitIn(folder)('clone', '-q', '--shared', lender, 'ws')

  const refusing = await startApp(t, {}, { settings, folder })
  t.match((await refusing.call('git_log', {})).error, {
    code: 'PERMISSION_DENIED',
    message:
      /refers to files outside the workspace in "objects\/info\/alternates"; add the folder .* to `sandbox\.read`/
  })
  await refusing.close()
  const app = await startApp(t, {}, { settings: { sandbox: { ...settings.sandbox, read: [lender] } }, folder })
  t.match((await app.call('git_log', {})).result.data, { commits: [{ subject: 'first' }] })
  t.match((await app.call('shell_exec', { command: 'git log --format=%s' })).result.data, { stdout: 'first\n' })
})
