// Access of a call to the tasks of its workspace: jobs and background calls, in one id space.
import { ToolError } from '../../errors.ts'
import { type Call, isSettled } from '../../protocol/calls.ts'
import type { BackgroundTask, Job } from '../../protocol/jobs.ts'
import type { BackgroundTasks } from '../../tool/background-tasks.ts'
import type { ActiveCall } from '../active-call.ts'
import { cancelCall } from '../approvals/decide.ts'
import type { Engine } from '../engine.ts'
import { readCallOutput } from '../output/call-output.ts'
import { waitForEnd } from '../wait-for-end.ts'

export function createBackgroundTasks(engine: Engine, live: ActiveCall): BackgroundTasks {
  const { jobs } = engine
  const { workspace, client } = live.call
  const canSee = (task_id: string) => engine.owners.canSee(live.owner, task_id)
  const own = (task_id: string) => {
    const task = canSee(task_id) ? findTask(engine, task_id) : undefined
    if (task?.workspace === workspace) return task
    throw new ToolError('NOT_FOUND', `There is no task ${task_id}. List the existing tasks with list_background_tasks.`)
  }
  return {
    detachSignal: live.detach.signal,
    assertCapacity() {
      jobs.assertCapacity()
      engine.quotas.assertMayStartJob(live.share, jobs.countRunning(live.share))
    },
    async adopt(command, facts) {
      const running = await jobs.adopt(live.call, command, facts, live.share)
      const { signal } = live.abort
      if (!signal.aborted) return running.job
      await jobs.stop(live.call.tool_call_id, (signal.reason as Error).message)
      throw signal.reason
    },
    async list() {
      // The end of a recent task may not be flushed yet.
      await engine.store.flushed().catch(() => {})
      return engine.store
        .tasks()
        .filter(task => task.workspace === workspace && canSee(task.task_id))
        .flatMap(({ task_id }) => findTask(engine, task_id) ?? [])
    },
    get: own,
    async wait(task_id, { ms, signal }) {
      own(task_id)
      const call = engine.activeCalls.get(task_id)
      if (call) await call.wait({ ms, throughApproval: true, signal })
      else await waitForEnd(jobs.whenEnded(task_id), ms, signal)
      return own(task_id)
    },
    async output(task_id, query) {
      own(task_id)
      return readCallOutput(engine, task_id, query, () => !OPEN_STATUSES.has(own(task_id).status))
    },
    async result(task_id) {
      if (own(task_id).kind === 'job') return undefined
      await engine.store.flushed().catch(() => {})
      const row = engine.store.call(task_id)
      return row?.result ? JSON.parse(row.result) : undefined
    },
    async stop(task_id, signal) {
      const { kind } = own(task_id)
      const call = engine.activeCalls.get(task_id)
      const why = `Stopped by ${client}.`
      if (kind === 'job') await jobs.stop(task_id, why, signal)
      else if (call) await cancelCall(engine, call, why)
      return own(task_id)
    },
    async input(task_id, input) {
      if (own(task_id).kind === 'call')
        throw new ToolError(
          'CONFLICT',
          'A call in the background accepts no input. Start the command with shell_background instead.',
          {
            task_id
          }
        )
      await jobs.sendInput(task_id, input)
    }
  }
}

/** Statuses of a task that has not ended. */
const OPEN_STATUSES: ReadonlySet<string> = new Set(['awaiting_approval', 'queued', 'running'])

function findTask(engine: Engine, task_id: string): BackgroundTask | undefined {
  const job = engine.jobs.get(task_id)
  if (job) return jobToTask(job)
  const live = engine.activeCalls.get(task_id)
  if (live) return live.publishedCall.background ? callToTask(live.publishedCall) : undefined
  const row = engine.store.task(task_id) && engine.store.call(task_id)
  return row && callToTask(JSON.parse(row.head) as Call)
}

const jobToTask = (job: Job): BackgroundTask => ({ kind: 'job', ...job })

function callToTask(call: Call): BackgroundTask {
  const { tool_call_id, tool, session_id, workspace, client, status, created_at } = call
  const ended = isSettled(call) && {
    ended_at: call.finished_at,
    ...(call.execution_time_ms !== undefined && { duration_ms: Math.round(call.execution_time_ms) })
  }
  const reason = 'reason' in call ? call.reason : call.status === 'error' ? call.error.message : undefined
  return {
    task_id: tool_call_id,
    kind: 'call',
    tool,
    session_id,
    workspace,
    client,
    status,
    started_at: ('started_at' in call && call.started_at) || created_at,
    ...ended,
    ...(reason !== undefined && { reason })
  }
}
