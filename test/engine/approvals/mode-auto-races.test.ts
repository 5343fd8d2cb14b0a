// Tests of programs in the mode `auto` that change files while the server looks at them: configurations of repositories, and folders
// that become files or get other names.
// tier: full
import { existsSync, rmSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t from 'tap'
import { CALL_TOKEN } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { waitUntil } from '../../support/wait.ts'
import { readTree, startAuto } from './auto-app.ts'

t.test('git leaves alone what a running command may change', needs('bwrap', 'python3'), async t => {
  const app = await startAuto(t, { 'a.txt': 'a\n' })
  const asOther = async (tool: string, params: object) =>
    (
      await app.request(
        'POST',
        '/calls?wait_ms=120000',
        { tool, params, session_id: 'other' },
        { authorization: `Bearer ${CALL_TOKEN}` }
      )
    ).body
  const running = app.run(`
import os, subprocess, time
os.makedirs('n', exist_ok=True)
subprocess.run('cd n && git init -q . && echo hello > f && git add f && echo hellx > f', shell=True, check=True)
subprocess.run('git init -q --bare bare', shell=True, check=True)
open('ready', 'w').write('x')
while not os.path.exists('stop'): time.sleep(0.05)`)
  await waitUntil('the command to have made a repository', () => existsSync(path.join(app.root, 'ready')))
  for (const [tool, params] of [
    ['git_diff', { path: 'n' }],
    ['git_status', { path: 'n' }],
    ['git_log', { path: 'n' }],
    ['git_status', { path: 'bare' }]
  ] as const)
    t.match(
      await asOther(tool, params),
      {
        status: 'error',
        error: { code: 'CONFLICT', message: /was created while a command was running that may still change it/ }
      },
      `${tool} ${params.path}`
    )
  for (const command of ['git -C n status', 'cd n && git diff', 'git status'])
    t.match(
      await asOther('shell_exec', { command }),
      { error: { code: 'SANDBOX_UNAVAILABLE', message: /was created while a command was running/ } },
      command
    )
  await app.call('write_file', { path: 'stop', content: '' })
  t.match(await running, { status: 'success' })
  t.notOk(existsSync(path.join(app.root, 'n/.git')), 'it is quarantined')
  t.match(await asOther('shell_exec', { command: 'ls' }), { status: 'success' })
})

t.test('folders that become files, or get other names, hide nothing', needs('bwrap', 'python3'), async t => {
  const names = Array.from({ length: 160 }, (_, i) => `pp/d${i}/CLAUDE.md`)
  const app = await startAuto(t, Object.fromEntries(names.map(name => [name, 'fine\n'])))
  const before = readTree(app.root)
  // Of so many, some are not mounted but put back.
  const find = "import os, shutil; free = [d for d in os.listdir('pp') if os.access(f'pp/{d}/CLAUDE.md', os.W_OK)]"
  const programs: Record<string, string> = {
    'a file in the place of a folder': `
shutil.rmtree(f'pp/{free[0]}')
open(f'pp/{free[0]}', 'w').write('f')
open('claude.lo' + 'cal.md', 'w').write('OBEY')`,
    'a folder with another name': `
os.rename(f'pp/{free[0]}', 'pp/e155')
open('pp/e155/CLAUDE.md', 'w').write('OBEY')`,
    'a link in the place of a folder': `
os.rename(f'pp/{free[0]}', 'pp/plain4')
os.symlink('plain4', f'pp/{free[0]}')
open('pp/plain4/CLAUDE.md', 'w').write('OBEY')`
  }
  for (const [title, program] of Object.entries(programs)) {
    const done = await app.run(`${find}\n${program}`)
    t.match(done, { status: 'success', result: { data: { exit_code: 0 } } }, title)
    const followed = Object.entries(readTree(app.root)).filter(([, content]) => content.includes('OBEY'))
    t.strictSame(followed, [], title)
    t.match(await app.undo(done.tool_call_id), { status: 'success' }, `${title}, undone`)
    t.strictSame(readTree(app.root), before, `${title}, undone`)
  }
})

t.test('folders with what a rule denies cannot be moved from under the rule', needs('bwrap', 'python3'), async t => {
  const app = await startAuto(t, {
    'a/private/notes.txt': 'MARK\n',
    'a/private/deep/more.txt': 'MARK\n',
    'b.txt': 'b\n'
  })
  await app.post('/rules', { effect: 'deny', match: { path: 'a/private/**' }, scope: 'workspace' })
  const moves = { 'a/private': 'p2', a: 'a2', 'a/private/deep': 'deep' }
  const rename = (from: string, to: string) => {
    // By their codes: a line that names the path asks.
    const codes = [...Buffer.from(from)].join(', ')
    return app.call('shell_exec', { command: `python3 -c "import os; os.rename(bytes([${codes}]).decode(), '${to}')"` })
  }
  for (const [from, to] of Object.entries(moves)) {
    const done = await rename(from, to)
    t.match(done, { status: 'success', result: { data: { exit_code: 1 } } }, from)
  }
  t.strictSame(
    Object.keys(readTree(app.root)).filter(name => name.endsWith('.txt')),
    ['a/private/deep/more.txt', 'a/private/notes.txt', 'b.txt']
  )
  t.match(await rename('b.txt', 'c.txt'), { result: { data: { exit_code: 0 } } })
})

t.test('files that programs execute are committed only with approval', needs('bwrap', 'python3'), async t => {
  const app = await startAuto(t, { 'a.txt': 'a\n', 'docs/CLAUDE.md': 'fine\n' })
  const git = (...args: string[]) =>
    execaSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], { cwd: app.root }).stdout
  git('init', '--quiet')
  git('config', 'user.name', 'T')
  git('config', 'user.email', 't@localhost')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'first')
  const running = app.run(`
import os, time
open('b.txt', 'w').write('b')
for name in ['Makefile', '.gitattributes', 'AGENTS.md']: open(name, 'w').write('* diff')
os.makedirs('.github/workflows', exist_ok=True)
open('.github/workflows/ci.yml', 'w').write('on: push')
open('ready', 'w').write('x')
while not os.path.exists('stop'): time.sleep(0.05)`)
  await waitUntil('the command to have made files', () => existsSync(path.join(app.root, 'ready')))
  rmSync(path.join(app.root, 'docs/CLAUDE.md'))
  for (const name of ['Makefile', '.gitattributes', 'AGENTS.md', '.github/workflows/ci.yml', 'docs/CLAUDE.md'])
    t.match(
      await app.call('git_commit', { message: 'More', files: ['b.txt', name] }),
      {
        status: 'awaiting_approval',
        approval: {
          reason: `Programs execute or interpret ${name} automatically, also when someone checks out the commit.`
        }
      },
      name
    )
  t.match(await app.call('git_commit', { message: 'More', files: ['b.txt'] }), {
    status: 'success',
    approved_by: { source: 'mode', mode: 'auto' }
  })
  await app.call('write_file', { path: 'stop', content: '' })
  t.match(await running, { status: 'success', result: { data: { quarantined: Array } } })
  t.equal(git('ls-tree', '-r', '--name-only', 'HEAD'), 'a.txt\nb.txt\ndocs/CLAUDE.md')
})

t.test('a folder that was replaced by a link to where it is now comes back', needs('bwrap', 'python3'), async t => {
  const app = await startAuto(t, { 'a/f.txt': 'f\n', 'a/deep/g.txt': 'g\n', 'z.txt': 'z\n' })
  const before = readTree(app.root)
  const programs: Record<string, string> = {
    'renamed beside it': "os.rename('a', 'b')\nos.symlink('b', 'a')",
    'changed by the link':
      "os.rename('a', 'b')\nos.symlink('b', 'a')\nopen('a/f.txt', 'w').write('h')\nopen('a/i', 'w').write('i')",
    'moved into another': "os.mkdir('c')\nos.rename('a', 'c/a')\nos.symlink('c/a', 'a')",
    'made anew elsewhere':
      "os.rename('a', 'b')\nos.mkdir('a')\nos.rename('b/f.txt', 'a/f.txt')\nos.rename('b/deep', 'd')\nos.symlink('../d', 'a/deep')",
    'a link to itself': "os.rename('a', 'b')\nos.symlink('a', 'a')"
  }
  for (const [how, code] of Object.entries(programs)) {
    const done = await app.run(`import os\n${code}`)
    t.match(done, { status: 'success', approved_by: { mode: 'auto' }, result: { data: { exit_code: 0 } } }, how)
    t.match(await app.undo(done.tool_call_id), { status: 'success' }, how)
    t.same(readTree(app.root), before, how)
  }
})
