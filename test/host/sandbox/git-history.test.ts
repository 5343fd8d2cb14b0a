// Tests that secrets of a repository's history are not printed without approval: by git commands, by object ids, or by reading the
// stored objects.
// tier: full
import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t, { type Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'

const { sandbox, sensitive } = defaultSettings()
const settings = { sandbox, sensitive: { ...sensitive, names: ['*.vault'] } }
const SECRET = 'formerly-hunter2'

const SECRET_FILES = [
  '.env',
  'svc/.Env.local',
  '.ssh/config',
  'a/.docker/config.json',
  'own.vault',
  // A file system may take these for other names.
  'odd/.env ',
  'odd/.env:x',
  'odd/．ｅｎｖ',
  'odd/.e\u200bnv',
  'odd/.\uff53sh/config',
  'odd/.ſſh/config'
]

/** Starts a server on a repository whose history has secrets under several names. */
async function startWithHistory(t: Test) {
  const app = await startApp(t, {}, { settings })
  const { root, write } = app
  const git = (...args: string[]) =>
    execaSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], { cwd: root }).stdout.trim()
  git('init', '--quiet', '--initial-branch', 'main')
  for (const file of SECRET_FILES) write(file, `PASSWORD=${SECRET}\nLINE=1\n`)
  write('.env.example', 'PASSWORD=example-value\n')
  write('a.txt', 'first\n')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'first')
  const blob = git('rev-parse', 'HEAD:.env')
  git('tag', '--annotate', '--message', 'points to a file', 'file', blob)
  const tag = git('rev-parse', 'file')
  write('a.txt', 'second\n')
  git('rm', '--quiet', '-r', '.env', 'svc', '.ssh', 'a', 'own.vault', 'odd')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'fix: second')
  return { ...app, git, blob, tag }
}

t.test('git commands leave secrets of the history out, or ask', needs('bwrap'), async t => {
  const { call, blob, tag, git } = await startWithHistory(t)
  const tree = git('rev-parse', 'HEAD~1:.ssh')
  const run = async (command: string) => {
    const { status, approved_by, result, approval, error } = await call('shell_exec', { command })
    const output: string = result?.data.output ?? ''
    t.notMatch(output, SECRET, command)
    return { status, source: approved_by?.source, output, reason: approval?.reason ?? error?.message }
  }
  const first = git('rev-parse', 'HEAD~1')
  const automatic = [
    'git show HEAD~1',
    `git show ${first}`,
    `git show ${first.slice(0, 9)}`,
    'git log -p',
    'git log -p --cc | cat',
    'git log -p --word-diff --all',
    'git diff HEAD~1 HEAD',
    'git diff HEAD~1',
    `git diff ${first}..main`,
    'git diff-tree -p --root HEAD~1',
    'git reflog -p',
    'git whatchanged -p'
  ]
  for (const command of automatic) {
    const { status, source, output, reason } = await run(command)
    t.match({ status, source }, { status: 'success', source: 'auto' }, `${command}: ${reason}`)
    t.match(output, /example-value|second|points/, `${command} shows the rest`)
  }
  const asking = [
    'git show --text HEAD~1',
    'git log -p -a',
    'git diff --binary HEAD~1 HEAD',
    'git log --oneline -S formerly',
    'git grep PASSWORD HEAD~1',
    "git grep -I PASSWORD 'HEAD~1^{tree}'",
    'git grep -I PASSWORD HEAD~1:',
    'git grep -I -a PASSWORD HEAD~1',
    'git grep -I --cached PASSWORD',
    'git grep PASSWORD main',
    'git grep PASSWORD main --',
    `git grep PASSWORD ${first}`,
    'git grep --cached PASSWORD',
    `git show ${blob}`,
    `git show ${blob.slice(0, 7)}`,
    `git show ${blob}^{}`,
    `git show ${tag}`,
    `git diff ${blob} HEAD:a.txt`,
    `git diff ${blob}..HEAD:a.txt`,
    `git cat-file -p ${blob}`,
    `git cat-file blob ${blob}`,
    `git show :z-g${blob.slice(0, 7)}`,
    `git show a:b-g${blob}`,
    `git show ${tree}:config`,
    `git cat-file -p ${tree}:config`,
    `git diff ${tree} HEAD`,
    'git log -L1,2:a.txt',
    'git show --cc -M HEAD',
    `git log -p | cat; git show ${blob}`,
    'git cat-file -p HEAD~1:.env',
    'git show HEAD~1:.env',
    "git show 'HEAD~1^{tree}:svc/.Env.local'",
    "git show 'HEAD^{/fix: s}~1:.env'",
    'git blame HEAD~1 -- .env',
    `echo ${blob} | git show --stdin`,
    'git log --oneline; grep -ra PASSWORD .',
    // What the shell evaluates is code.
    "x='a[$(git show HEAD~1:.env | rev >&2)]'; echo $((x)); git log -1 --oneline",
    "x='a[$(git cat-file --batch-all-objects --batch | grep -a PASS | rev >&2)]'; git status; echo $((x))",
    "x='a[$(git show HEAD~1:.env | rev >&2)]'; a[x]=1; git log -1 --oneline",
    "x='a[$(git show HEAD~1:.env | rev >&2)]'; OPTIND=$x git log -1 --oneline",
    "for RANDOM in 'a[$(git show HEAD~1:.env | rev >&2)]'; do git log -1 --oneline; done",
    'n=$(git log -1 --format=%s); echo $((n))',
    'git log -1 --format=%s | while read -r n; do a=([n]=1); done',
    "zsh -c 'echo *'; git log -1 --oneline"
  ]
  for (const command of asking) t.equal((await run(command)).status, 'awaiting_approval', command)
  t.match(await run('git cat-file -p HEAD'), { status: 'success', source: 'auto' })
  t.match(await run('git show HEAD~1:a.txt'), { status: 'success', source: 'auto', output: 'first' })
  t.match(await run('n=$(git rev-list --count HEAD); echo $n commits'), { status: 'success', source: 'auto' })
  t.match(await run('n=2; echo $((n + 1))'), { status: 'success', source: 'auto', output: '3' })
  t.match(await run('git log --oneline; cat a.txt'), { status: 'success', source: 'auto', output: 'second' })
})

const DECLARED = {
  'by name': '.env diff\n',
  'of all files': '* diff\n',
  'as a language': '*.env diff=python\n.env diff=python\n',
  'as text': '.env text diff -binary\n',
  'by a macro': '[attr]shown diff\n.env shown\n',
  'as unspecified': '.env !diff\n'
}

t.test('what a repository declares to be text does not show a secret', needs('bwrap'), async t => {
  const { call, git, write, root } = await startWithHistory(t)
  const lines = [
    'git log -p',
    'git show HEAD~1',
    'git diff HEAD~1 HEAD',
    'git diff HEAD~1',
    'git diff-tree -p --root HEAD~1'
  ]
  const expectHidden = async (where: string, commands = lines) => {
    for (const command of commands) {
      const { status, result, error } = await call('shell_exec', { command })
      t.equal(status, 'success', `${command}: ${error?.message}`)
      t.notMatch(result?.data.output, SECRET, `${command} with attributes ${where}`)
      t.match(result?.data.output, /second|example-value/, `${command} shows the rest`)
    }
  }
  const places = {
    'in the working tree': (text: string) => write('.gitattributes', text),
    'in the index alone': (text: string) => {
      write('.gitattributes', text)
      git('add', '.gitattributes')
      rmSync(path.join(root, '.gitattributes'))
    },
    'in .git/info': (text: string) => {
      mkdirSync(path.join(root, '.git/info'), { recursive: true })
      write('.git/info/attributes', text.trimEnd())
    }
  }
  for (const [where, declare] of Object.entries(places)) {
    for (const [how, text] of Object.entries(DECLARED)) {
      declare(text)
      await expectHidden(`${how} ${where}`, lines.slice(0, 2))
    }
    rmSync(path.join(root, '.gitattributes'), { force: true })
    git('rm', '--quiet', '--cached', '--ignore-unmatch', '.gitattributes')
  }
  write('.gitattributes', '* diff\n')
  git('add', '.gitattributes')
  git('commit', '--quiet', '--message', 'example-value: attributes')
  await expectHidden('committed', ['git log -p', 'git diff HEAD~2 HEAD'])
  write('.git/info/exclude', '*.log\n')
  write('a.log', 'a\n')
  t.match(await call('shell_exec', { command: 'git status --short' }), { result: { data: { output: '' } } })
  rmSync(path.join(root, '.git/info'), { recursive: true })
  await expectHidden('without a folder info', ['git log -p'])
  t.same(readdirSync(path.join(root, '.git/info')), [], 'it is made, empty')
  rmSync(path.join(root, '.git/info'), { recursive: true })
  symlinkSync(path.join(root, 'odd'), path.join(root, '.git/info'))
  t.match(await call('shell_exec', { command: 'git log -p' }), {
    error: {
      code: 'SANDBOX_UNAVAILABLE',
      message: /\.git\/info is not a folder and cannot be created \(EEXIST\)/
    }
  })
})

t.test('attributes of submodules, worktrees and nested repositories neither', needs('bwrap'), async t => {
  const { call, git, write, root } = await startWithHistory(t)
  git('worktree', 'add', '--quiet', 'linked')
  git('-c', 'protocol.file.allow=always', 'clone', '--quiet', '.', 'nested')
  git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', `${root}/.git`, 'parts/sub')
  for (const folder of ['linked', 'nested', 'parts/sub']) {
    write(`${folder}/.gitattributes`, '* diff\n')
    const { status, result, error } = await call('shell_exec', { command: 'git log -p', cwd: folder })
    t.equal(status, 'success', `${folder}: ${error?.message}`)
    t.notMatch(result?.data.output, SECRET, folder)
    t.match(result?.data.output, /example-value/, folder)
  }
})

t.test('references to files and folders, and comparisons of folders, ask', needs('bwrap'), async t => {
  const { call, git, write, blob } = await startWithHistory(t)
  write('.docker/config.json', `{ "auth": "${SECRET}" }\n`)
  write('deploy/.config/gh/hosts.yml', `token: ${SECRET}\n`)
  git('add', '--all', '--force')
  git('commit', '--quiet', '--message', 'with folders')
  git('tag', 'with', 'HEAD')
  git('tag', 'blobtag', blob)
  git('tag', 'treetag', 'HEAD:.docker')
  git('tag', 'rootless', 'HEAD~2:.ssh')
  git('branch', 'topic')
  git('rm', '--quiet', '-r', '.docker', 'deploy')
  write('.docker/other', 'x\n')
  write('deploy/.config/other', 'x\n')
  git('add', '--all', '--force')
  git('commit', '--quiet', '--message', 'without')
  for (const command of [
    'git show blobtag',
    'git show refs/tags/blobtag',
    "git show 'blobtag^{}'",
    "git show 'blobtag^{blob}'",
    'git cat-file -p blobtag',
    'git cat-file blob blobtag',
    'git diff blobtag HEAD:a.txt',
    'git diff blobtag..HEAD:a.txt',
    'git diff treetag rootless',
    'git diff treetag..rootless',
    'git diff-tree -p treetag rootless',
    'git diff-index -p treetag',
    'git show treetag:config.json',
    'git show --tags',
    'git show --all',
    "git for-each-ref '--format=%(raw)' refs/tags/blobtag",
    "git tag --list '--format=%(*raw)' file",
    'git diff HEAD~1:.docker HEAD:.docker',
    'git diff HEAD~1:.docker..HEAD:.docker',
    'git diff-tree -p HEAD~1:.docker HEAD:.docker',
    'git diff HEAD~1:deploy/.config HEAD:deploy/.config',
    'git diff HEAD~1:deploy/.config/ HEAD:deploy',
    'git diff-index -p HEAD~1:deploy/.config',
    'cd .docker && git diff HEAD~1:./ HEAD:./'
  ]) {
    const { status, result } = await call('shell_exec', { command })
    t.notMatch(result?.data.output ?? '', SECRET, command)
    t.equal(status, 'awaiting_approval', command)
  }
  for (const command of [
    'git show topic',
    'git show with',
    'git diff topic main',
    'git diff topic..main -- a.txt',
    "git diff 'HEAD~1^{tree}' 'HEAD^{tree}'",
    'git diff HEAD~1: HEAD:',
    'git diff HEAD~1:a.txt HEAD:a.txt',
    'git diff a.txt',
    "git show 'HEAD^{/fix: s}'",
    'git show HEAD~1:.docker',
    "git show 'HEAD^!'",
    'git cat-file commit HEAD',
    'git log -p @{0}',
    "git for-each-ref '--format=%(refname) %(raw:size)'"
  ]) {
    const { status, result, approval } = await call('shell_exec', { command })
    t.notMatch(result?.data.output ?? '', SECRET, command)
    t.equal(status, 'success', `${command}: ${approval?.reason}`)
  }
})

t.test('other programs that run without approval see no history', needs('bwrap'), async t => {
  const { call, root, blob, git, write, post } = await startWithHistory(t)
  execaSync('git', ['clone', '--quiet', '--bare', root, path.join(root, 'mirror')], { stdio: 'ignore' })
  write('.git/lfs/objects/x', SECRET)
  const object = `.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`
  const script = (folder: string) =>
    `git -C ${folder} rev-parse --is-inside-git-dir; git -C ${folder} show ${blob}; git -C ${folder} log -p --text`
  for (const code of [script('.'), script('mirror'), `cat ${object} | base64; cat .git/lfs/objects/x`]) {
    const { approved_by, result, error } = await call('run_code', { language: 'bash', code })
    t.match(approved_by, { source: 'auto' }, JSON.stringify(error))
    t.notMatch(result.data.output, SECRET, code)
    t.match(result.data.output, /bad object|No such file/, 'the objects are not there')
    t.notMatch(result.data.output, git('hash-object', 'a.txt'))
  }
  t.match(await call('shell_exec', { command: `base64 ${object}` }), {
    status: 'awaiting_approval',
    approval: { level: 'strict', reason: `${object} may contain credentials.` }
  })
  t.match(await call('read_file', { path: object }), { status: 'awaiting_approval', approval: { level: 'strict' } })
  t.match(await call('shell_exec', { command: 'grep -rac PASSWORD .' }), { approved_by: { source: 'auto' } })

  const asked = await call('shell_exec', { command: `git show ${blob}` })
  const { digest } = asked.approval
  const done = await post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest })
  t.match(done.result.data.output, SECRET, 'what a person approved sees it')
})

t.test('messages and patches in a git folder are read with approval only', needs('bwrap'), async t => {
  const { call, root, git, write } = await startWithHistory(t)
  git('clone', '--quiet', root, path.join(root, 'packages/inner'))
  git('worktree', 'add', '--quiet', '--detach', path.join(root, '../tree'))
  const files = [
    '.git/COMMIT_EDITMSG',
    '.git/COMMIT_EDITMSG~',
    '.git/.COMMIT_EDITMSG.swp',
    '.git/TAG_EDITMSG',
    '.git/MERGE_MSG',
    '.git/SQUASH_MSG',
    '.git/ADD_EDIT.patch',
    '.git/addp-hunk-edit.diff',
    '.git/rebase-merge/patch',
    '.git/rebase-apply/0001',
    '.git/lost-found/other/1',
    '.git/worktrees/tree/COMMIT_EDITMSG',
    '.git/worktrees/tree/rebase-merge/patch',
    'packages/inner/.git/COMMIT_EDITMSG'
  ]
  for (const file of files) write(file, `+PASSWORD=${SECRET}\n`)
  write('.git/rebase-merge/head-name', 'refs/heads/main\n')
  for (const path of files) {
    t.match(await call('read_file', { path }), { status: 'awaiting_approval', approval: { level: 'strict' } }, path)
    t.match(
      await call('shell_exec', { command: `cat ${path}` }),
      { status: 'awaiting_approval', approval: { level: 'strict', reason: `${path} may contain credentials.` } },
      path
    )
  }
  for (const command of [
    'grep -r PASSWORD .git',
    'grep -ra PASSWORD . packages/inner/.git',
    'rg -uuu PASSWORD .git',
    'cat .git/rebase-merge/head-name'
  ]) {
    const { approved_by, result } = await call('shell_exec', { command })
    t.match(approved_by, { source: 'auto' }, command)
    t.notMatch(result?.data.output, SECRET, command)
  }
  const code = `cat ${files.join(' ')}; cat .git/rebase-merge/head-name`
  const { approved_by, result } = await call('run_code', { language: 'bash', code })
  t.match(approved_by, { source: 'auto' })
  t.notMatch(result.data.output, SECRET)
  t.match(result.data.output, /refs\/heads\/main/, 'the rest is there')
  t.match(await call('shell_exec', { command: 'git status; cat .git/MERGE_MSG' }), { status: 'awaiting_approval' })
  t.match(await call('shell_exec', { command: 'git status' }), {
    status: 'success',
    approved_by: { source: 'auto' },
    result: { data: { output: /rebas/ } }
  })
})

t.test('git grep does not print files that git reads from its index', needs('bwrap'), async t => {
  const { call, git, write } = await startWithHistory(t)
  write('.env', `PASSWORD=${SECRET}\n`)
  git('add', '--force', '.env')
  git('commit', '--quiet', '--message', 'tracked')
  const search = 'git grep -c formerly -- . :^own.vault'
  for (const command of ['git grep -a PASSWORD', 'git grep --text PASSWORD', 'git grep -I -a PASSWORD'])
    t.match(await call('shell_exec', { command }), { status: 'awaiting_approval' }, command)
  t.match(await call('shell_exec', { command: 'git grep -n second' }), { status: 'success' })
  for (const flag of ['--assume-unchanged', '--skip-worktree']) {
    git('update-index', flag, '.env')
    for (const command of ['git grep -l PASSWORD', 'git grep PASSWORD', search])
      t.match(await call('shell_exec', { command }), { status: 'awaiting_approval' }, `${command} with ${flag}`)
    const { status, result } = await call('shell_exec', { command: 'git grep -I PASSWORD' })
    t.equal(status, 'success')
    t.notMatch(result.data.output, SECRET)
    git('update-index', flag.replace('--', '--no-'), '.env')
  }
})

t.test('a merge that renames a secret shows none of it', needs('bwrap'), async t => {
  const { call, git, write } = await startWithHistory(t)
  const text = (value: string) => `${Array.from({ length: 20 }, (_, i) => `line ${i}`).join('\n')}\nval=${value}\n`
  write('m.env', text('base'))
  git('add', '--all')
  git('commit', '--quiet', '--message', 'base')
  git('switch', '--quiet', '--create', 'other')
  write('m.env', text(SECRET))
  git('commit', '--quiet', '--all', '--message', 'other')
  git('switch', '--quiet', 'main')
  write('m.env', text(`${SECRET}-2`))
  git('commit', '--quiet', '--all', '--message', 'main')
  git('merge', '--quiet', '--no-commit', '--strategy', 'ours', 'other')
  git('mv', 'm.env', 'settings.txt')
  write('settings.txt', text('none'))
  git('add', '--all')
  git('commit', '--quiet', '--message', 'merged')
  for (const command of [
    'git show',
    'git show --cc',
    'git show -c',
    'git log -p -3 --diff-merges=combined',
    'git log -p -m'
  ]) {
    const { approved_by, result } = await call('shell_exec', { command })
    t.match(approved_by, { source: 'auto' }, command)
    t.notMatch(result.data.output, SECRET, command)
  }
})

t.test(
  'a line of git and a search below a folder asks if stored objects are within its reach',
  needs('bwrap'),
  async t => {
    const { call, root, write } = await startWithHistory(t)
    execaSync('git', ['clone', '--quiet', root, path.join(root, 'packages/inner/deep')])
    write('docs/a.txt', 'first\n')
    symlinkSync('../.git/objects', path.join(root, 'docs/link'))
    for (const command of [
      'git status; grep -ra x packages',
      'git log --oneline | cat; rg -uuu x packages/inner',
      'git status; rg -L x docs',
      'git status; grep -R x docs',
      'git status; diff -r docs docs'
    ])
      t.match(await call('shell_exec', { command }), { status: 'awaiting_approval' }, command)
    for (const command of ['git status; grep -r first docs', 'grep -R first docs', 'rg -L first docs'])
      t.match(await call('shell_exec', { command }), { status: 'success', approved_by: { source: 'auto' } }, command)
  }
)

t.test('code runs beside a submodule, and does not see its history', needs('bwrap'), async t => {
  const { call, root, git } = await startWithHistory(t)
  const source = path.join(root, '..', 'module')
  execaSync('git', ['clone', '--quiet', root, source])
  git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', source, 'sub')
  const code = 'git -C sub log -p --text; ls .git/modules'
  const { approved_by, result, error } = await call('run_code', { language: 'bash', code })
  t.match(approved_by, { source: 'auto' }, JSON.stringify(error))
  t.notMatch(result.data.output, SECRET)
})

t.test('the tool git_show takes paths of commits only, by which it judges them', needs('bwrap'), async t => {
  const { call, blob, git } = await startWithHistory(t)
  const tree = git('rev-parse', 'HEAD~1:.ssh')
  for (const rev of [`a:b-g${blob}`, `:z-g${blob.slice(0, 8)}`, `:0:z-g${blob}`, `${tree}:config`]) {
    const { status, error } = await call('git_show', { rev })
    t.match({ status, error }, { status: 'error', error: { code: 'INVALID_PARAMS' } }, rev)
  }
  t.match(await call('git_show', { rev: 'HEAD~1:a.txt' }), { status: 'success', result: { data: { path: 'a.txt' } } })
  t.match(await call('git_show', { rev: ':a.txt' }), { status: 'success', result: { data: { path: 'a.txt' } } })
  t.match(await call('git_show', { rev: 'HEAD^{/first}:a.txt' }), { status: 'success' })
})
