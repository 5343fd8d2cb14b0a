// Tests of a server killed at any step of a commit: once the next one has started, branch and index have their old or their new
// state, and no lock is left.
// tier: full
// run: waiting (for servers that are killed)

import { spawn } from 'node:child_process'
import { cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { globbySync } from 'globby'
import t from 'tap'
import { contentIdentity } from '../../../src/host/files/fingerprint.ts'
import { GitService } from '../../../src/host/git/git-service.ts'
import { isProcessRunning } from '../../../src/host/processes/pids.ts'
import { Spawner } from '../../../src/host/processes/spawner/spawner.ts'
import { STRIDE } from '../../support/property.ts'
import { once, waitUntil } from '../../support/wait.ts'
import { gitIn } from './write-fixture.ts'

/** Number of servers killed concurrently. */
const AT_ONCE = 4
const STEPS_AT_MOST = 100
const SCRIPT = path.join(import.meta.dirname, 'kill-in-commit.ts')

const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-killed-')))
t.teardown(() => rmSync(home, { recursive: true, force: true }))
/** Changed, new and staged files, none of them committed. */
const first = path.join(home, 'first')
mkdirSync(first)
const write = (name: string, content: string) => writeFileSync(path.join(first, name), content)
const git = gitIn(first)
git('init', '-q')
write('a.txt', 'one\n')
write('b.txt', 'one\n')
git('add', '--all')
git('commit', '-qm', 'First')
write('a.txt', 'two\n')
write('new.txt', 'new\n')
write('b.txt', 'staged\n')
git('add', 'b.txt')

const spawner = new Spawner(process.env, home)
t.teardown(() => spawner.close())

/** Kills a commit at its nth step, and returns the state that the next server finds and leaves. */
async function killed(n: number) {
  const [root, stateDir] = ['ws', 'state'].map(name => path.join(home, String(n), name)) as [string, string]
  cpSync(first, root, { recursive: true })
  mkdirSync(stateDir)
  const child = spawn(process.execPath, [SCRIPT, String(n), root, stateDir], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  for (const helper of JSON.parse(said) as number[])
    await waitUntil('the helper to end', () => !isProcessRunning(helper))
  const machine = new GitService({ spawner, roots: () => [root], stateDir, hookPolicy: 'skip' })
  await machine.recoverPendingOperations()
  await machine.close()
  const look = gitIn(root)
  return {
    code,
    subject: look('log', '-1', '--format=%s'),
    status: look('status', '--porcelain'),
    faults: look('fsck', '--strict', '--no-dangling'),
    left: globbySync(['.git/**/*.lock', '.git/index.*'], { cwd: root, dot: true }),
    begun: globbySync('git/*', { cwd: stateDir })
  }
}

t.test('recovers from a kill at any step', async t => {
  const states = { old: 0, new: 0 }
  for (let n = 1, over = false; !over; n += AT_ONCE * STRIDE) {
    if (n > STEPS_AT_MOST) throw new Error('the commit never ends')
    const worlds = await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => killed(n + i * STRIDE)))
    for (const [i, { code, subject, status, ...rest }] of worlds.entries()) {
      const isNew = subject === 'Second'
      states[isNew ? 'new' : 'old'] += 1
      const at = `killed at step ${n + i * STRIDE}, ${isNew ? 'done' : 'not done'}`
      t.equal(status, isNew ? 'M  b.txt' : ' M a.txt\nM  b.txt\n?? new.txt', at)
      t.strictSame(rest, { faults: '', left: [], begun: [] }, at)
      over ||= code === 0
    }
  }
  t.ok(states.old > 5 && states.new > 1, `it was killed before and after: ${JSON.stringify(states)}`)
})

t.test('one recovery that fails does not prevent others', async t => {
  const [root, stateDir] = ['ws', 'state'].map(name => path.join(home, 'others', name)) as [string, string]
  cpSync(first, root, { recursive: true })
  const begun = path.join(stateDir, 'git')
  mkdirSync(begun, { recursive: true })
  const git_dir = path.join(root, '.git')
  const lock = path.join(git_dir, 'index.lock')
  cpSync(path.join(git_dir, 'index'), lock)
  const note = {
    git_dir,
    common_dir: git_dir,
    ref: 'refs/heads/main',
    to: '1'.repeat(40),
    whole: `${lock}.whole`,
    identity: contentIdentity(lstatSync(lock, { bigint: true }))
  }
  const gone = { ...note, git_dir: path.join(home, 'gone/.git'), common_dir: path.join(home, 'gone/.git') }
  // No process has such a pid.
  for (const [i, text] of ['{', JSON.stringify(gone), JSON.stringify(note)].entries())
    writeFileSync(path.join(begun, `99999999-${i}.json`), text)
  const machine = new GitService({ spawner, roots: () => [root], stateDir, hookPolicy: 'skip' })
  await t.rejects(machine.recoverPendingOperations(), { message: /could not be completed/, errors: [SyntaxError] })
  await machine.close()
  t.notOk(existsSync(lock), 'of a move that was not made the lock goes')
  t.strictSame(globbySync('*', { cwd: begun }), ['99999999-0.json'], 'only what nobody can read stays')
})
