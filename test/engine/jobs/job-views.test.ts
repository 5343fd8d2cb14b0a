// Tests that all views of a job agree, also while its start or its end is stored but not yet reported.
// tier: full
import t, { type Test } from 'tap'
import { Store } from '../../../src/store/store.ts'
import type { StoreWrite } from '../../../src/store/store-schema.ts'
import { startApp, type TestApp, toApproval } from '../../start-app.ts'
import { within } from '../../support/wait.ts'
import { runApproved, startJob, waitForJobEnd, waitForOutput } from '../../tools/commands/jobs.ts'

/** Holds back the report that the row of a job which runs, or has ended, is stored. */
function holdReport(t: Test, isReported: (isRunning: boolean) => boolean) {
  const stored = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  t.teardown(released.resolve)
  const isHeld = ([name, , , isRunning]: StoreWrite) => name === 'job' && isReported(isRunning === 1)
  const { write } = Store.prototype
  t.capture(Store.prototype, 'write', async function (this: Store, make: () => StoreWrite[]) {
    let rows: StoreWrite[] = []
    await write.call(this, () => (rows = make()))
    if (!rows.some(isHeld)) return
    stored.resolve()
    await released.promise
  })
  return { stored: () => within('the row of the job', stored.promise), release: released.resolve }
}

/** Returns the status of the only job in every view that has one, and the number of running jobs. */
async function readViews(app: TestApp, task_id: string) {
  const statuses = (jobs: { status: string }[]) => jobs.map(({ status }) => status)
  const snapshot = await (await app.events()).type('stream.snapshot')
  const { body: metrics } = await app.request('GET', '/metrics')
  return {
    job: (await app.get(`/jobs/${task_id}`)).status,
    jobs: statuses((await app.get('/jobs')).jobs),
    running: statuses((await app.get('/jobs?status=running')).jobs),
    tasks: statuses((await runApproved(app, 'list_background_tasks', {})).result.data.tasks),
    state: statuses((await app.get('/state')).jobs),
    snapshot: statuses(snapshot.at(-1).jobs),
    count: Number(/^toolgate_running_jobs (\d+)$/m.exec(metrics)?.[1])
  }
}

const RUNNING = {
  job: 'running',
  jobs: ['running'],
  running: ['running'],
  tasks: ['running'],
  state: ['running'],
  snapshot: ['running'],
  count: 1
}
const EXITED = { job: 'exited', jobs: ['exited'], running: [], tasks: ['exited'], state: [], snapshot: [], count: 0 }
const NONE = { job: 404, jobs: [], running: [], tasks: [], state: [], snapshot: [], count: 0 }

t.test('a job runs until its end is stored; input in between is refused since it has ended', async t => {
  const { stored, release } = holdReport(t, isRunning => !isRunning)
  const app = await startApp(t)
  const task_id = await startJob(app, 'cat', { interactive: true })
  await app.post(`/calls/${task_id}/input`, { text: 'one', end: true })
  await stored()
  t.strictSame(await readViews(app, task_id), RUNNING)
  t.match(await app.get(`/jobs/${task_id}`), { output_bytes: 3 })
  const written = app.request('POST', `/calls/${task_id}/input`, { text: 'two' })
  const asked = await app.call('send_input', { task_id, text: 'two' })
  const sent = app.post('/approve?wait_ms=120000', { ...toApproval(asked), confirm: true })
  const stopped = app.post(`/calls/${task_id}/cancel`, {})
  release()
  const refusal = 'The command has ended and no longer reads input.'
  t.match(await written, { status: 409, body: { code: 'CONFLICT', detail: refusal } })
  t.match(await sent, { status: 'error', error: { code: 'CONFLICT', message: refusal } })
  await stopped
  t.strictSame(await readViews(app, task_id), EXITED)
  t.match(await app.get(`/jobs/${task_id}`), { output_bytes: 3, exit_code: 0 })
})

t.test('a job is in no view before its start is reported', async t => {
  const { stored, release } = holdReport(t, isRunning => isRunning)
  const app = await startApp(t)
  const asked = await app.call('shell_background', { command: 'echo up; exec cat', interactive: true })
  const { tool_call_id: task_id } = asked
  const starting = app.post('/approve?wait_ms=120000', { ...toApproval(asked), confirm: true })
  await stored()
  t.strictSame(await readViews(app, task_id), NONE)
  t.match(await app.request('POST', `/calls/${task_id}/input`, { text: 'x' }), { status: 404 })
  release()
  t.match(await starting, { status: 'success', result: { data: { task_id } } })
  t.strictSame(await readViews(app, task_id), RUNNING)
  await waitForOutput(app, task_id, 'up')
})

t.test('ending a job ends none of another server with the same id, which callers choose', async t => {
  const tool_call_id = `tc_${'SAME'.padStart(26, '0')}`
  const params = { command: 'cat; echo ended', interactive: true }
  const apps = [await startApp(t), await startApp(t)] as const
  for (const app of apps) await runApproved(app, 'shell_background', params, { tool_call_id })
  const [first, second] = apps
  await first.post(`/calls/${tool_call_id}/cancel`, {})
  t.match(await waitForJobEnd(first, tool_call_id), { status: 'stopped', signal: 'SIGTERM', survivors: [] })
  t.match(await runApproved(second, 'send_input', { task_id: tool_call_id, text: 'still here\n' }), {
    status: 'success'
  })
  await waitForOutput(second, tool_call_id, 'still here')
})
