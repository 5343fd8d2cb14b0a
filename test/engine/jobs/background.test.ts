// Tests of background calls: started there or moved there while they run, and served as tasks.
// tier: full
// run: waiting (for commands to run past their time)
import t, { type Test } from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { Gate, gatedTools } from '../../gated-tools.ts'
import { type Json, startApp, type TestApp } from '../../start-app.ts'
import { waitUntil } from '../../support/wait.ts'
import { getJob, runApproved, waitForJobEnd, waitForMore, waitForOutput } from '../../tools/commands/jobs.ts'

async function start(t: Test, settings: object = {}) {
  const gate = new Gate()
  const app = await startApp(t, {}, { tools: gatedTools(gate), settings })
  return { ...app, gate }
}

/** Returns the first output of a call. */
const firstOutput = (app: Pick<TestApp, 'get'>, id: string) =>
  waitUntil('output', async () => (await app.get(`/calls/${id}/output?wait_ms=60000`)).text)

const background = (app: { request: Json }, id: string) => app.request('POST', `/calls/${id}/background`, {})

t.test('a call sent to the background returns at once, and is a task', async t => {
  const app = await start(t)
  const asked = await app.request('POST', '/calls', { tool: 'held_read', params: { name: 'one' }, background: true })
  const { tool_call_id: id } = asked.body
  t.match(asked, { status: 202, body: { background: true } })
  await app.gate.waitForArrival('one')
  const task = { task_id: id, kind: 'call', tool: 'held_read', status: 'running', session_id: 'default' }
  t.match((await runApproved(app, 'list_background_tasks', {})).result.data.tasks, [task])
  t.match(await getJob(app, id), { task_id: id, kind: 'call', status: 'running', output: '', ended: false })
  const further = await getJob(app, id, { offset: 5 })
  t.match(further, { output: '', offset: 5, next_offset: 5, ended: false }, 'nobody is sent back to the beginning')
  t.strictSame((await app.get('/jobs')).jobs, [], 'it is no job')
  const waiting = waitForMore(app, id)
  app.gate.open('one')
  const result = { title: 'one', content: 'one', data: { name: 'one' } }
  t.strictSame(await waiting, {
    task_id: id,
    kind: 'call',
    status: 'success',
    output: '',
    offset: 0,
    next_offset: 0,
    ended: true,
    result
  })
  t.match((await runApproved(app, 'list_background_tasks', { status: 'success' })).result.data.tasks, [{ task_id: id }])
  t.strictSame((await runApproved(app, 'list_background_tasks', { status: 'running' })).result.data.tasks, [])
})

t.test('a call in the background can be stopped, and accepts no input', async t => {
  const app = await start(t)
  const { tool_call_id: id } = await app.call('held_read', { name: 'one' }, { background: true })
  await app.gate.waitForArrival('one')
  t.match(await runApproved(app, 'send_input', { task_id: id, text: 'x' }), {
    status: 'error',
    error: { code: 'CONFLICT' }
  })
  t.match((await runApproved(app, 'stop_background_task', { task_id: id })).result.data, {
    task_id: id,
    status: 'cancelled'
  })
  t.strictSame(app.gate.aborted, ['one'])
  t.match(await getJob(app, id), { status: 'cancelled', reason: /^Stopped by /, ended: true })
})

t.test('a command in the background has its output and its result', async t => {
  const app = await start(t)
  const asked = await app.call('shell_exec', { command: 'echo one; sleep 0.1; echo two' }, { background: true })
  const id = asked.tool_call_id
  await app.post('/approve', { tool_call_id: id, digest: asked.approval.digest, confirm: true })
  await waitForOutput(app, id, 'one')
  await app.get(`/calls/${id}?wait_ms=120000`)
  t.match(await getJob(app, id), {
    kind: 'call',
    status: 'success',
    output: 'one\ntwo\n',
    result: { data: { stdout: 'one\ntwo\n', exit_code: 0 } }
  })
  const { content } = (await runApproved(app, 'get_background_task', { task_id: id })).result
  t.equal(content, 'one\ntwo\n[Exit code 0]\n[The call succeeded.]', 'what it printed stands there once')
})

t.test('moving a running call to the background answers its waiting requests', async t => {
  const app = await start(t)
  const waiting = app.request('POST', '/calls?wait_ms=120000', { tool: 'held_read', params: { name: 'one' } })
  await app.gate.waitForArrival('one')
  const [{ tool_call_id: id }] = (await app.get('/state')).running
  const also = app.request('GET', `/calls/${id}?wait_ms=120000`)
  t.match(await background(app, id), { status: 202, body: { tool_call_id: id, status: 'running', background: true } })
  t.match(await waiting, { status: 202, body: { tool_call_id: id, status: 'running', background: true } })
  t.match((await also).body, { status: 'running' })
  t.match(await background(app, id), { status: 202 }, 'twice is once')
  t.match((await runApproved(app, 'list_background_tasks', {})).result.data.tasks, [{ task_id: id, status: 'running' }])
  const later = app.get(`/calls/${id}?wait_ms=120000`)
  app.gate.open('one')
  t.match(await later, { status: 'success', background: true })
  const events = await app.events(`?after=0&tool_call_id=${id}`)
  t.equal((await events.type('tool.result')).at(-1).status, 'success')
})

t.test('a running command moved to the background leaves a job', async t => {
  const app = await start(t)
  const command = 'echo $$; exec sleep 600'
  const asked = await app.call('shell_exec', { command })
  const id = asked.tool_call_id
  const waiting = app.request('POST', '/approve?wait_ms=120000', {
    tool_call_id: id,
    digest: asked.approval.digest,
    confirm: true
  })
  const pid = Number(await firstOutput(app, id))
  const answer = await background(app, id)
  const left = { status: 'success', result: { data: { task_id: id, exit_code: null, stdout: `${pid}\n` } } }
  t.match(answer, { status: 200, body: left })
  t.match(await waiting, { status: 200, body: left })
  t.match(await app.get(`/jobs/${id}`), { status: 'running', tool: 'shell_exec', command, interactive: false })
  t.ok(process.kill(pid, 0))
  t.match(await background(app, id), { status: 409, body: { code: 'CONFLICT', status: 409 } })
  await app.post(`/calls/${id}/cancel`, {})
  t.match(await app.get(`/jobs/${id}`), { status: 'stopped', signal: 'SIGTERM' })
  t.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
})

t.test('a command outlasts the wait of its caller', async t => {
  const app = await start(t)
  const call = await runApproved(app, 'shell_exec', {
    command: 'echo one; until [ -e go ]; do sleep 0.02; done; echo two; exit 4',
    wait_ms: 1
  })
  const { task_id } = call.result.data
  t.match(call, { status: 'success', tool_call_id: task_id, result: { data: { exit_code: null, isolation: 'none' } } })
  app.write('go', '')
  const job = await waitForJobEnd(app, task_id)
  t.match(job, { status: 'exited', exit_code: 4, output_bytes: 8 })
  t.equal((await getJob(app, task_id)).output, 'one\ntwo\n')
})

t.test('only running calls go to the background', async t => {
  const app = await start(t)
  const done = await app.call('held_read', { name: 'one' }, { background: true })
  app.gate.open('one')
  await app.get(`/calls/${done.tool_call_id}?wait_ms=120000`)
  const over = await background(app, done.tool_call_id)
  t.match(over, { status: 409, body: { code: 'CONFLICT', detail: /this call succeeded/ } })
  const asked = await app.call('held_write', { name: 'two' })
  t.match(await background(app, asked.tool_call_id), { status: 409, body: { detail: /this call waits for approval/ } })
})

t.test('a command without a free background slot continues in the foreground', async t => {
  const app = await start(t, { commands: { quiet_ms: 60_000, max_jobs: 1, keep_jobs: 10 } })
  await runApproved(app, 'shell_background', { command: 'exec sleep 600' })
  const asked = await app.call('shell_exec', {
    command: 'echo here; until [ -e go ]; do sleep 0.05; done; echo done'
  })
  const id = asked.tool_call_id
  const waiting = app.post('/approve?wait_ms=120000', {
    tool_call_id: id,
    digest: asked.approval.digest,
    confirm: true
  })
  await firstOutput(app, id)
  t.match(await background(app, id), { status: 503, body: { code: 'OVERLOADED' } })
  app.write('go', '')
  t.match(await waiting, { status: 'success', result: { data: { stdout: 'here\ndone\n', exit_code: 0 } } })
  const soft = await runApproved(app, 'shell_exec', { command: 'sleep 0.1; echo done', wait_ms: 1 })
  t.match(soft, { status: 'success', result: { data: { stdout: 'done\n', exit_code: 0 } } })
})

t.test('a task can be stopped also when all command slots are used', async t => {
  const limits = { ...defaultSettings().limits, execute: 1 }
  const app = await start(t, { limits })
  const { tool_call_id: task_id } = await runApproved(app, 'shell_background', {
    command: 'exec cat',
    interactive: true
  })
  const busy = runApproved(app, 'held_execute', { name: 'one' })
  await app.gate.waitForArrival('one')
  t.match(await runApproved(app, 'send_input', { task_id, text: 'x' }), { status: 'success' })
  t.match(await runApproved(app, 'stop_background_task', { task_id }), { result: { data: { status: 'stopped' } } })
  app.gate.open('one')
  await busy
})
