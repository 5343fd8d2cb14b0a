// Tests of a server killed while a background job runs.
// tier: full
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { connect } from '../../../../src/client/client.ts'
import { waitUntil } from '../../../support/wait.ts'
import { createProject, type RunningServer } from '../../toolgate.ts'

const COMMAND = 'echo out; sleep 600 & echo $! $$; wait'

t.test('a killed server leaves no process, and its leftovers are reported', async t => {
  const at = createProject(t)
  const first = await at.serve()
  const before = clientOf(first)
  const params = { command: COMMAND, description: 'rests', isolation: 'none' as const }
  const asked = await before.call('shell_background', params)
  if (asked.status !== 'awaiting_approval') throw new Error(JSON.stringify(asked))
  const { tool_call_id: id, approval } = asked
  await before.approve(id, { wait_ms: 120_000, digest: approval.digest, confirm: true })
  const [output, pids] = await kept(path.join(at.home, '.local/state/toolgate'), id)

  first.process.kill('SIGKILL')
  await first.ended
  for (const pid of pids) await gone(pid)

  const after = clientOf(await at.serve())
  const job = await after.job(id)
  t.match(job, {
    task_id: id,
    status: 'interrupted',
    description: 'rests',
    reason: 'The server ended while the command was running. The command is not restarted.',
    ended_at: String,
    output_bytes: output.length
  })
  t.match(await after.output(id, { stream: 'output' }), { text: output, ended: true })
  t.strictSame((await after.state()).jobs, [])
  t.strictSame(await after.jobs({ status: 'interrupted' }), [job])
  const told = []
  for await (const event of after.events({ after: 0, tool_call_id: id })) {
    told.push(event)
    if (event.type === 'job.exited') break
  }
  t.match(told.at(-1), { type: 'job.exited', task_id: id, status: 'interrupted' })
})

const clientOf = ({ url, discovery_file }: RunningServer) =>
  connect({ url, token: JSON.parse(readFileSync(discovery_file, 'utf8')).token })

/** Returns the complete output on disk and the processes it names. Polled: no event announces it. */
async function kept(state: string, id: string): Promise<[output: string, pids: string[]]> {
  const pids = await waitUntil('the output on the disk', () => {
    const [file] = globSync(`${state}/**/${id}.out`)
    return file !== undefined && /(\d+) (\d+)\n/.exec(readFileSync(file, 'latin1'))
  })
  return [`out\n${pids[0]}`, pids.slice(1)]
}

async function gone(pid: string) {
  await waitUntil(`process ${pid} to end`, () => commandLine(pid) === '')
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
