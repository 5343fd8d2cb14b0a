// Tests of a server that shuts down while its helper processes, which start all programs, do not answer.
// tier: quick
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { execaSync } from 'execa'
import t from 'tap'
import { startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { waitUntil } from '../../support/wait.ts'
import { startJob, waitForOutput } from '../../tools/commands/jobs.ts'

const lives = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Returns the pids of processes that have this among their arguments. */
function findPids(argument: string): number[] {
  const pids = readdirSync('/proc')
    .map(Number)
    .filter(pid => pid > 0)
  return pids.filter(pid => {
    try {
      return readFileSync(path.join('/proc', String(pid), 'cmdline'), 'latin1').includes(argument)
    } catch {
      // Ended meanwhile.
      return false
    }
  })
}

t.test('a helper that is stopped does not hold up the shutdown, and leaves no command', async t => {
  const app = await startApp(t)
  const job = await startJob(app, 'trap "" TERM; echo $PPID $$; while :; do sleep 0.1; done')
  const [helper, command] = (await waitForOutput(app, job, '\n')).trim().split(' ').map(Number)
  t.same(
    [helper, command].map(pid => lives(pid!)),
    [true, true]
  )
  process.kill(helper!, 'SIGSTOP')
  await app.close()
  t.notOk(lives(helper!))
  await waitUntil('the command to end', () => !lives(command!))
})

t.test("nor does git's helper, with its sandbox", needs('bwrap'), async t => {
  const app = await startApp(t)
  execaSync('git', ['init', '-q', app.root])
  t.match(await app.call('git_status', {}), { status: 'success' })
  const helper = findPids(path.join(app.settings.state_dir, 'git-pipes'))
  t.ok(helper.length > 0)
  for (const pid of helper) process.kill(pid, 'SIGSTOP')
  await app.close()
  await waitUntil('the helper to end', () => !helper.some(lives))
})
