// Tests that git commands which run without approval, and see the stored objects, execute no program that the configuration and the
// attributes of a repository name: its settings are neutralized, or the call asks.
// tier: full
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { type Json, startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { BACKENDS } from './backends.ts'
import { startSandboxFixture } from './fixture.ts'

const { sandbox, approval } = defaultSettings()
const SECRET = 'formerly-hunter2'
const RAN = 'RAN-BY-THE-CONFIGURATION'
/** Lines of a script that an agent has changed: they print what the objects hold. The text itself is shown by `git diff`. */
const LEAK = `echo RAN-"BY-THE-CONFIGURATION" >&2; git cat-file -p HEAD~1:.env >&2`
const TOOL = `${LEAK}; cat\n`
const CONNECTOR = `${LEAK}; exit 1\n`
const CONVERTER = `${LEAK}; cat "$1"\n`
const ATTRIBUTES = '*.txt filter=tidy\n*.doc diff=doc\n*.own diff=own\n*.mrg merge=own\n'

/** Runs git as the user does. */
const gitIn =
  (cwd: string) =>
  (...args: string[]) =>
    execaSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], {
      cwd,
      stdio: ['ignore', 'pipe', 'ignore']
    }).stdout.trim()

/** Creates a repository with a secret in its history and files of each attribute, changed in the working tree. */
function createRepository(folder: string) {
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  const git = gitIn(folder)
  write('.env', `PASSWORD=${SECRET}\n`)
  write('.gitattributes', ATTRIBUTES)
  write('tool.sh', 'cat\n')
  for (const name of ['a.txt', 'b.doc', 'c.own', 'd.mrg']) write(name, 'first\n')
  git('init', '--quiet', '--initial-branch', 'main')
  git('add', '--all', '--force')
  git('commit', '--quiet', '--message', 'first')
  git('rm', '--quiet', '.env')
  for (const name of ['a.txt', 'b.doc', 'c.own', 'd.mrg']) write(name, 'second\n')
  git('commit', '--quiet', '--all', '--message', 'second')
  // Of the same size, so that git has to read them.
  for (const name of ['a.txt', 'b.doc', 'c.own', 'd.mrg']) write(name, 'thirds\n')
  write('tool.sh', TOOL)
  write('converter.sh', CONVERTER)
  return { git, write }
}

const PROGRAMS = {
  'filter.tidy.clean': 'sh tool.sh',
  'filter.tidy.smudge': 'sh tool.sh',
  'filter.tidy.required': 'true',
  'diff.doc.textconv': 'sh converter.sh',
  'diff.doc.cachetextconv': 'true',
  'merge.own.driver': 'sh tool.sh',
  'core.fsmonitor': 'sh tool.sh',
  'core.pager': 'sh tool.sh',
  'pager.status': 'sh tool.sh',
  'core.sshCommand': 'sh tool.sh',
  'core.askPass': 'sh tool.sh',
  'core.editor': 'sh tool.sh',
  'core.alternateRefsCommand': 'sh tool.sh',
  'credential.helper': '!sh tool.sh',
  'interactive.diffFilter': 'sh tool.sh',
  'alias.status': '!sh tool.sh',
  'alias.whatchanged': '!sh tool.sh',
  'trailer.x.command': 'sh tool.sh',
  'status.submoduleSummary': 'true'
}

async function start(t: Test, settings: Record<string, string>, options = {}) {
  const app = await startApp(t, {}, { settings: { sandbox, ...options } })
  const { git, write } = createRepository(app.root)
  for (const [key, value] of Object.entries(settings)) git('config', key, value)
  /** Runs a line, and checks that nothing is executed without approval. */
  const run = async (command: string): Promise<Json> => {
    const call = await app.call('shell_exec', { command })
    const output: string = call.result?.data.output ?? ''
    t.notMatch(output, RAN, command)
    t.notMatch(output, SECRET, command)
    return { ...call, output, reason: call.approval?.reason ?? call.error?.message }
  }
  const runs = async (command: string, shown: RegExp) => {
    const { status, approved_by, result, output, reason } = await run(command)
    t.match({ status, source: approved_by?.source }, { status: 'success', source: 'auto' }, `${command}: ${reason}`)
    t.equal(result?.data.exit_code, 0, `${command}: ${output}`)
    t.match(output, shown, command)
  }
  const asks = async (command: string, reason: string) => {
    const { status, approval } = await run(command)
    t.match({ status, reason: approval?.reason }, { status: 'awaiting_approval', reason }, command)
  }
  return { ...app, git, write, run, runs, asks }
}

const READS: readonly [command: string, shown: RegExp][] = [
  ['git status', /modified: +a\.txt/],
  ['git status --short | head -3', / M a\.txt/],
  ['git status -v -v', /\+thirds/],
  ['git diff', /\+thirds/],
  ['git diff HEAD -- b.doc', /\+thirds/],
  ['git diff HEAD~1 HEAD', /\+second/],
  ['git diff --stat', /a\.txt/],
  ['git diff-index -p HEAD', /\+thirds/],
  ['git diff-files -p', /\+thirds/],
  ['git log -p', /\+second/],
  ['git show', /\+second/],
  ['git reflog -p', /\+second/],
  ['git whatchanged', /b\.doc/],
  ['git blame b.doc', /thirds/],
  ['git blame a.txt', /thirds/],
  ['git grep thirds', /a\.txt/],
  ['git ls-files -m', /a\.txt/],
  ['git ls-files --eol', /a\.txt/],
  ['git describe --always --dirty', /dirty/],
  ['git show HEAD~1:b.doc', /first/],
  ['git log -p --cc -m', /\+second/],
  ["git log --format='%s %(trailers)'", /second/]
]

t.test('reading commands execute no configured program', needs('bwrap'), async t => {
  const { runs, git } = await start(t, PROGRAMS)
  t.match(git('diff', '--stat'), /a\.txt/)
  for (const [command, shown] of READS) await runs(command, shown)
})

t.test('nor in the mode auto', needs('bwrap'), async t => {
  const { run } = await start(t, PROGRAMS, { approval: { ...approval, mode: 'auto' } })
  for (const [command, shown] of READS) {
    const { status, output, reason } = await run(command)
    t.equal(status, 'success', `${command}: ${reason}`)
    t.match(output, shown, command)
  }
})

t.test('other lines in the mode auto execute them without the stored objects', needs('bwrap'), async t => {
  const { call } = await start(t, PROGRAMS, { approval: { ...approval, mode: 'auto' } })
  for (const command of [
    'git -p status',
    'git grep --textconv thirds',
    'git hash-object a.txt',
    'git annotate a.txt'
  ]) {
    const { status, approved_by, result } = await call('shell_exec', { command })
    t.match({ status, source: approved_by?.source }, { status: 'success', source: 'mode' }, command)
    t.notMatch(result?.data.output, SECRET, command)
  }
  t.match(await call('shell_exec', { command: 'git -p status' }), { result: { data: { output: RAN } } })
})

t.test('what a person approves does', needs('bwrap'), async t => {
  const { call, post } = await start(t, PROGRAMS)
  const asked = await call('shell_exec', { command: 'git status > status.log 2>&1; cat status.log' })
  const { digest } = asked.approval
  const done = await post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest, confirm: true })
  t.match(done.result.data.output, RAN)
})

t.test('a program that shows changes in place of git asks, with setting and file', needs('bwrap'), async t => {
  const { asks, runs, git, write } = await start(t, { 'diff.own.command': 'sh tool.sh' })
  const because = (setting: string, file: string) =>
    `Git would run a program configured in ${file} (${setting}). To prevent it, add the option --no-ext-diff.`
  for (const command of ['git diff', 'git diff HEAD~1 HEAD -- c.own', 'git diff --stat', 'git status; git diff | cat'])
    await asks(command, because('diff.own.command', '.git/config'))
  for (const command of ['git status -v', 'git diff --no-ext-diff', 'git log -p', 'git show', 'git diff-files -p'])
    await runs(command, /./)
  git('config', '--unset', 'diff.own.command')
  await runs('git diff', /\+thirds/)
  git('config', 'include.path', '../dev/gitconfig')
  write('dev/gitconfig', '[diff]\n\texternal = sh tool.sh\n')
  await asks('git diff', because('diff.external', 'dev/gitconfig'))
  await asks('cd dev && git diff', because('diff.external', 'dev/gitconfig'))
  await asks('git -C dev diff', because('diff.external', 'dev/gitconfig'))
  await asks('cd dev; git diff', because('diff.external', 'dev/gitconfig'))
  await runs('cd dev; git status', /a\.txt/)
})

t.test('settings in included files, of worktrees and under odd names count', needs('bwrap'), async t => {
  const { runs, git, write, root } = await start(t, {
    'includeIf.onbranch:main.path': '../dev/branch',
    'includeIf.gitdir:**.path': '../dev/all',
    'extensions.worktreeConfig': 'true'
  })
  write('dev/branch', '[filter "tidy"]\n\tclean = sh tool.sh\n[include]\n\tpath = more\n')
  write('dev/more', '[filter "A.b c=\\"d"]\n\tclean = sh tool.sh\n\trequired\n[FILTER "Upper"] Process = sh tool.sh\n')
  write('dev/all', '[diff "doc"]\n\ttextconv = sh converter.sh\n[filter.dotted]\n\tclean = sh tool.sh\n')
  git('config', '--worktree', 'filter.here.clean', 'sh tool.sh')
  write(
    '.gitattributes',
    '*.doc diff=doc\na.txt filter=tidy\nc.own filter=Upper\nd.mrg filter=dotted\nb.doc filter=here\n'
  )
  for (const command of ['git status', 'git diff', 'git log -p', 'git blame b.doc', 'git diff-files -p'])
    await runs(command, /./)
  git('worktree', 'add', '--quiet', '--detach', path.join(root, 'linked'))
  gitIn(path.join(root, 'linked'))('config', '--worktree', 'filter.tidy.clean', 'sh ../tool.sh')
  appendFileSync(path.join(root, 'linked/a.txt'), 'x\n')
  await runs('git -C linked diff', /./)
  await runs('cd linked && git status', /a\.txt/)
})

t.test('settings of other repositories in the workspace count', needs('bwrap'), async t => {
  const { runs, run, git, root, asks, write } = await start(t, {})
  createRepository(path.join(root, 'packages/inner'))
  const inner = gitIn(path.join(root, 'packages/inner'))
  for (const [key, value] of Object.entries(PROGRAMS)) inner('config', key, value)
  for (const command of [
    'cd packages/inner && git diff',
    'git -C packages/inner diff',
    'git -C packages -C inner status'
  ])
    await runs(command, /a\.txt/)
  // Git looks into a repository that the outer one lists as a commit, and into submodules.
  git('add', 'packages')
  git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', path.join(root, 'packages/inner'), 'sub')
  git('commit', '--quiet', '--message', 'with submodules')
  write('.gitmodules', `[submodule "sub"]\n\tpath = sub\n\turl = ./packages/inner\n\tignore = none\n`)
  const sub = gitIn(path.join(root, 'sub'))
  for (const [key, value] of Object.entries(PROGRAMS)) sub('config', key, value)
  for (const name of ['tool.sh', 'converter.sh']) write(`sub/${name}`, TOOL)
  for (const name of ['a.txt', 'b.doc', 'd.mrg']) write(`sub/${name}`, 'fourth\n')
  for (const command of [
    'git status',
    'git diff',
    'git diff --submodule=diff',
    'git -C sub diff',
    'cd sub && git status'
  ])
    await runs(command, /./)
  // What a package brings is not looked through.
  mkdirSync(path.join(root, 'node_modules'))
  renameSync(path.join(root, 'packages/inner'), path.join(root, 'node_modules/inner'))
  await asks(
    'cd node_modules/inner && git status',
    'Git would run a program configured in node_modules/inner/.git/config (filter.tidy.clean), in a folder that is not scanned.'
  )
  const bare = path.join(root, 'node_modules/bare')
  renameSync(path.join(root, 'node_modules/inner/.git'), bare)
  execaSync('git', ['config', '--file', path.join(bare, 'config'), 'core.worktree', root])
  const { result } = await run('cd node_modules/bare && git status')
  t.not(result?.data.exit_code, 0)
})

t.test('a missing object is not fetched', needs('bwrap'), async t => {
  const { run, git, write, root } = await start(t, { 'core.repositoryFormatVersion': '1' })
  write('connector.sh', CONNECTOR)
  git('config', 'extensions.partialClone', 'origin')
  git('config', 'remote.origin.promisor', 'true')
  git('config', 'protocol.allow', 'always')
  const blob = git('rev-parse', 'HEAD~1:b.doc')
  renameSync(path.join(root, '.git/objects', blob.slice(0, 2), blob.slice(2)), path.join(root, 'gone'))
  git('config', 'remote.origin.uploadpack', `sh ${root}/connector.sh`)
  git('config', 'core.sshCommand', `sh ${root}/connector.sh`)
  for (const url of [`file://${root}`, `ext::sh ${root}/connector.sh`, root, 'ssh://localhost/x']) {
    git('config', 'remote.origin.url', url)
    t.match(await run('git log -p'), { status: 'success', output: /unable to read/ }, url)
  }
})

t.test('replaced objects are shown as they are', needs('bwrap'), async t => {
  const { runs, git, write } = await start(t, {})
  write('other', 'replaced\n')
  git('replace', git('rev-parse', 'HEAD:b.doc'), git('hash-object', '-w', 'other'))
  git('replace', '--graft', 'HEAD')
  t.match(git('show', 'HEAD:b.doc'), 'replaced')
  await runs('git show HEAD:b.doc', /^second/)
  await runs('git log --oneline', /first/)
  await runs('git log -p', /\+second/)
})

for (const { name, part, backends } of BACKENDS)
  t.test(`${name} neutralizes the names that configurations of the workspace define`, needs(part), async t => {
    const world = await startSandboxFixture(t, { backends })
    const { git } = createRepository(world.root)
    git('config', 'filter.tidy.clean', 'sh tool.sh')
    git('config', 'include.path', '~/own')
    world.write('home/own', '[diff "doc"]\n\ttextconv = sh converter.sh\n')
    const command = 'git status; git diff'
    t.match((await world.run(command, { level: 'read-only' })).stderr, RAN)
    const { stdout, stderr } = await world.run(command, { level: 'read-only', restrictions: { neutralizesGit: true } })
    t.match(stdout, /\+thirds/)
    t.equal(stderr, '')
  })

t.test('a line that leads to a repository above the workspace asks', needs('bwrap'), async t => {
  const app = await startApp(t, { 'inner/a.txt': 'a\n' }, { settings: { sandbox } })
  createRepository(path.dirname(app.root))
  createRepository(path.join(app.root, 'inner'))
  const lines = [
    'cd .. && git log --oneline',
    'cd ..; git log --oneline',
    "cd .. && bash -c 'git log --oneline'",
    "cd ..; bash -c 'git log --oneline'",
    "bash -c 'cd .. && git log --oneline'",
    "cd . && bash -c 'cd .. && timeout 60 git log --oneline'",
    'cd a; cd ..; cd b; git log --oneline',
    'git -C .. log --oneline',
    'git -C ../inner/.. log -p'
  ]
  for (const command of lines)
    t.match(
      await app.call('shell_exec', { command, cwd: 'inner' }),
      { status: 'awaiting_approval', approval: { reason: /whose root is above the workspace/ } },
      command
    )
  t.match(await app.call('shell_exec', { command: 'git log --oneline', cwd: 'inner' }), { status: 'success' })
})

t.test('lines that remove the settings, or have a shell run a file beside git, ask', needs('bwrap'), async t => {
  const { run, runs } = await start(t, PROGRAMS)
  for (const command of [
    'env -u GIT_CONFIG_COUNT git status',
    'env -uGIT_CONFIG_COUNT git status',
    'env --unset=GIT_CONFIG_COUNT git status',
    'env --unset GIT_CONFIG_COUNT git status',
    'env -i git status',
    'env - git status',
    'env -0i git status',
    'env --ignore-environment git status',
    "bash -c 'env -i git status'",
    'timeout 60 env -i git status',
    'unset GIT_CONFIG_COUNT; git status',
    'export -n GIT_CONFIG_COUNT; git status',
    'GIT_CONFIG_COUNT=0 git status',
    'for GIT_CONFIG_COUNT in 0; do git status; done',
    'GIT_EXTERNAL_DIFF="sh tool.sh" git diff',
    'git -c diff.external="sh tool.sh" diff',
    'git --exec-path=. status',
    'git diff --ext-diff',
    'git log -p --ext-diff',
    'git show --textconv HEAD:b.doc',
    'git cat-file --filters HEAD:a.txt',
    'git grep -Osh x',
    'git archive HEAD',
    'git add -n .',
    'git lfs status',
    "bash --rcfile tool.sh -ic 'git status'",
    "bash --init-file=tool.sh -i -c 'git status'",
    "bash tool.sh -c 'git status'",
    "sh ./tool.sh -c 'git status'",
    "bash -- tool.sh -c 'git status'",
    "bash -c -o history 'sh tool.sh; git status'",
    "bash -oc history 'sh tool.sh; git status'",
    'git log --oneline; RIPGREP_CONFIG_PATH=.rgconf rg x',
    'git log --oneline; rg --pre ./tool.sh x',
    `LESSOPEN='|sh tool.sh %s' less a.txt`,
    'find . -maxdepth 1 -execdir git status \\;',
    'git log | less',
    'tig'
  ])
    t.match(await run(command), { status: 'awaiting_approval' }, command)
  for (const command of [
    'env -u OTHER git status',
    'env LC_ALL=C git status',
    "bash -euo pipefail -c 'git status'",
    "bash -O extglob -lc 'git status'",
    "sh -c -- 'git status'"
  ])
    await runs(command, /a\.txt/)
})
