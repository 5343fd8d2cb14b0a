// Helpers for tools that require approval, and for background jobs.
import type { Json, TestApp } from '../../start-app.ts'

/** Runs a tool, approving it if required. */
export async function runApproved(
  { call, post }: TestApp,
  tool: string,
  params: object,
  more: object = {}
): Promise<Json> {
  const asked = await call(tool, params, more)
  if (asked.status !== 'awaiting_approval') return asked
  const { tool_call_id, approval } = asked
  return post('/approve?wait_ms=120000', { tool_call_id, digest: approval.digest, confirm: true })
}

/** Starts a background job; returns its id. */
export async function startJob(app: TestApp, command: string, more: object = {}): Promise<string> {
  const call = await runApproved(app, 'shell_background', { command, ...more })
  if (call.status !== 'success') throw new Error(JSON.stringify(call))
  return call.result.data.task_id
}

/** The longest wait of one request. */
const MAX_WAIT_MS = 30_000

/** Returns its status and output. */
export const getJob = async (app: TestApp, task_id: string, more: object = {}): Promise<Json> =>
  (await runApproved(app, 'get_background_task', { task_id, ...more })).result.data

/** Returns its status and output once there is more output or it has ended. */
export async function waitForMore(app: TestApp, task_id: string, more: object = {}): Promise<Json> {
  for (;;) {
    const task = await getJob(app, task_id, { ...more, wait_ms: MAX_WAIT_MS })
    if (task.output !== '' || task.ended) return task
  }
}

/** Reads its output until it contains the text; returns all of it. */
export async function waitForOutput(app: TestApp, task_id: string, text: string): Promise<string> {
  for (let offset = 0, all = ''; ; ) {
    const { output, next_offset, ended } = await waitForMore(app, task_id, { offset })
    all += output
    offset = next_offset
    if (all.includes(text)) return all
    if (ended) throw new Error(`it ended, and printed ${JSON.stringify(all)}`)
  }
}

/** Returns the ended job. */
export async function waitForJobEnd(app: TestApp, task_id: string): Promise<Json> {
  for (let offset = 0; ; ) {
    const task = await waitForMore(app, task_id, { offset })
    if (task.ended) return app.get(`/jobs/${task_id}`)
    offset = task.next_offset
  }
}
