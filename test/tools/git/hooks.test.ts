// Tests of a repository's hooks: they run as commands, are evaluated as such, and can reject.
// tier: full
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import type { Config } from '../../../src/config/schema.ts'
import type { ConfiguredRule } from '../../../src/protocol/rules.ts'
import { needs } from '../../support/needs.ts'
import { createBareRepository, startGitWriteFixture, writeHook } from './write-fixture.ts'

const base = defaultSettings()
const textOf = (file: string) => readFileSync(file, 'utf8')

function asking(t: Test, user: ConfiguredRule[] = [], sandbox: Partial<Config['sandbox']> = {}) {
  const tiers = { administrator: [], user, workspace: [] }
  const settings = {
    git: { hooks: 'ask' as const },
    tiers,
    sandbox: { ...base.sandbox, level: 'none' as const, ...sandbox }
  }
  return startGitWriteFixture(t, { 'a.txt': 'one\n' }, { settings })
}

t.test('shows hooks as the command of the call, runs them like git, and lets them change the message', async t => {
  const app = await asking(t)
  app.write('other.txt', 'staged\n')
  app.git('add', 'other.txt')
  app.write('a.txt', 'two\n')
  writeHook(app.path('.git/hooks/pre-commit'), `git diff --cached --name-only >${app.folder}/seen`)
  writeHook(app.path('.git/hooks/prepare-commit-msg'), 'echo "by $2" >>"$1"')
  writeHook(app.path('.git/hooks/commit-msg'), 'grep -q by "$1" && echo "Change-Id: 1" >>"$1"')
  writeHook(app.path('.git/hooks/post-commit'), `git log -1 --format=%s >${app.folder}/after; exit 3`)
  const asked = await app.ask('git_commit', { message: 'Second', files: ['a.txt'] })
  t.match(
    asked.approval.preview.notes.join('\n'),
    /as commands: pre-commit, prepare-commit-msg, commit-msg, post-commit/
  )
  const { explanation, ...told } = await app.post('/policy/explain', {
    tool: 'git_commit',
    params: { message: 'Second', files: ['a.txt'] }
  })
  const line =
    './.git/hooks/pre-commit && ./.git/hooks/prepare-commit-msg MESSAGE && ./.git/hooks/commit-msg MESSAGE && ./.git/hooks/post-commit'
  t.ok(JSON.stringify({ explanation, told }).includes('./.git/hooks/pre-commit'), line)
  const done = await app.approve(asked)
  t.match(done.result?.data ?? done.error, {
    message: 'Second\nby message\nChange-Id: 1\n',
    notes: [/^The hook post-commit ended with exit code 3/]
  })
  t.equal(app.git('log', '-1', '--format=%B'), 'Second\nby message\nChange-Id: 1\n')
  t.equal(app.git('show', '--format=', '--name-only'), 'a.txt')
  t.equal(textOf(path.join(app.folder, 'seen')), 'a.txt\n', 'of what is staged it sees what is committed')
  t.equal(textOf(path.join(app.folder, 'after')), 'Second by message Change-Id: 1\n')
  t.equal(app.status(), 'A  other.txt')
})

t.test("a hook that fails, or changes the commit's content, stops it", async t => {
  const app = await asking(t)
  const head = app.head()
  app.write('a.txt', 'two\n')
  writeHook(app.path('.git/hooks/pre-commit'), 'echo "no good"; exit 1')
  const refused = await app.commit('x', ['a.txt'])
  t.match(refused.error, {
    code: 'EXECUTION_ERROR',
    message: /rejected the commit/,
    details: { exit_code: 1, output: /no good/ }
  })
  writeHook(app.path('.git/hooks/pre-commit'), 'echo formatted >a.txt')
  const changed = await app.commit('x', ['a.txt'])
  t.match(changed, {
    status: 'error',
    error: { code: 'STALE_FILE', message: /hook has changed/ },
    changes: [{ path: 'a.txt' }]
  })
  writeHook(app.path('.git/hooks/pre-commit'), 'exit 0')
  writeHook(app.path('.git/hooks/commit-msg'), ': >"$1"')
  t.match((await app.commit('x', ['a.txt'])).error, { code: 'EXECUTION_ERROR', message: /removed the commit message/ })
  t.equal(app.head(), head)
  t.equal(app.status(), ' M a.txt')
})

t.test('no rule runs hooks without approval, and rules on commands apply to them', async t => {
  const allow: ConfiguredRule = { effect: 'allow', match: { tool: 'git_commit' } }
  const app = await asking(t, [allow])
  app.write('a.txt', 'two\n')
  const params = { message: 'x', files: ['a.txt'] }
  t.match(await app.ask('git_commit', params), { status: 'success' }, 'without hooks the rule holds')
  app.write('a.txt', 'three\n')
  writeHook(app.path('.git/hooks/pre-commit'), 'exit 0')
  const asked = await app.ask('git_commit', params)
  t.match(asked, { status: 'awaiting_approval' })
  chmodSync(app.path('.git/hooks/pre-commit'), 0o644)
  t.match(await app.approve(asked), { code: 'PREVIEW_CHANGED' }, 'which hooks run is bound')

  const deny: ConfiguredRule = { effect: 'deny', match: { command: './.git/hooks/pre-commit' } }
  const strict = await asking(t, [deny])
  strict.write('a.txt', 'two\n')
  writeHook(strict.path('.git/hooks/pre-commit'), 'exit 0')
  t.match((await strict.ask('git_commit', params)).status, 'rejected')
})

t.test('before a push', async t => {
  const app = await asking(t)
  const remote = createBareRepository(app.path('remote.git'))
  app.git('remote', 'add', 'origin', 'remote.git')
  writeHook(
    app.path('.git/hooks/pre-push'),
    `echo "$@" >${app.folder}/words; cat >${app.folder}/refs; test -e ${app.folder}/may`
  )
  t.match((await app.run('git_push', {})).error, { code: 'EXECUTION_ERROR', message: /pre-push rejected the push/ })
  t.equal(remote.git('for-each-ref'), '')
  t.equal(textOf(path.join(app.folder, 'words')), 'origin remote.git\n')
  t.equal(textOf(path.join(app.folder, 'refs')), `refs/heads/main ${app.head()} refs/heads/main ${'0'.repeat(40)}\n`)
  writeFileSync(path.join(app.folder, 'may'), '')
  t.match((await app.run('git_push', {})).result?.data, { outcome: 'created' })
})

t.test('in the sandbox', needs('sandbox'), async t => {
  const app = await asking(t, [], { level: 'auto' })
  app.write('a.txt', 'two\n')
  writeHook(
    app.path('.git/hooks/pre-commit'),
    'git diff --cached --name-only; touch ../escaped "$HOME/escaped"; test -n "$(git diff --cached)"'
  )
  writeHook(app.path('.git/hooks/commit-msg'), 'echo "from inside" >>"$1"')
  const done = await app.commit('Kept', ['a.txt'])
  t.match(done.result?.data ?? done.error, { message: 'Kept\nfrom inside\n' })
  t.notOk(existsSync(path.join(app.folder, 'escaped')))
})
