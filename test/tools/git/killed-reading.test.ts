// Tests of a server killed during a git read that hangs: no process of it stays.
// tier: quick
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execaSync } from 'execa'
import t from 'tap'
import { needs } from '../../support/needs.ts'
import { once, waitUntil } from '../../support/wait.ts'
import { gitIn } from './write-fixture.ts'

const SCRIPT = path.join(import.meta.dirname, 'kill-in-read.ts')
/** Returns every git process that works in a folder. */
function gitsIn(folder: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(pid => {
      try {
        return pid > 0 && readlinkSync(`/proc/${pid}/cwd`) === folder && commOf(pid) === 'git\n'
      } catch {
        return false
      }
    })
}

const commOf = (pid: number) => readFileSync(`/proc/${pid}/comm`, 'utf8')

t.test('leaves no process when killed while git hangs', needs('linux'), async t => {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'toolgate-killed-reading-')))
  t.teardown(() => rmSync(home, { recursive: true, force: true }))
  const [root, stateDir] = ['ws', 'state'].map(name => path.join(home, name)) as [string, string]
  for (const folder of [root, stateDir]) mkdirSync(folder)
  gitIn(root)('init', '-q')
  // Git waits for a writer.
  rmSync(path.join(root, '.git/info/exclude'))
  execaSync('mkfifo', [path.join(root, '.git/info/exclude')])
  const server = spawn(process.execPath, [SCRIPT, root, stateDir], { stdio: ['ignore', 'ignore', 'inherit'] })
  await waitUntil('git to run', () => gitsIn(root).length > 0)
  // A stopped git does not even notice the end of its output pipe.
  for (const pid of gitsIn(root)) process.kill(pid, 'SIGSTOP')
  server.kill('SIGKILL')
  await once(server, 'exit')
  t.teardown(() => {
    for (const pid of gitsIn(root)) process.kill(pid, 'SIGKILL')
  })
  await waitUntil('git to be gone', () => gitsIn(root).length === 0)
})
