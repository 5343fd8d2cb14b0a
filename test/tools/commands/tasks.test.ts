// Tests of background jobs through the server: start, list, output, input, stop.
// tier: full
// run: waiting (for commands to end)
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { CALL_TOKEN, startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { getJob, runApproved, startJob, waitForJobEnd, waitForMore, waitForOutput } from './jobs.ts'

/** Sleeps, in one process that a signal ends. */
const REST = 'exec sleep 600'

t.test('a command continues after its call', async t => {
  const app = await startApp(t)
  const events = await app.events('?after=0')
  const command = 'echo up; cat; exit 3'
  const call = await runApproved(app, 'shell_background', { command, interactive: true, description: 'd' })
  const { task_id } = call.result.data
  t.match(call, {
    status: 'success',
    tool_call_id: task_id,
    result: { data: { status: 'running', isolation: 'none' }, output_href: `/calls/${task_id}/output` }
  })
  t.strictSame(await waitForMore(app, task_id), {
    task_id,
    kind: 'job',
    status: 'running',
    output: 'up\n',
    offset: 0,
    next_offset: 3,
    ended: false
  })
  const job = {
    task_id,
    tool: 'shell_background',
    session_id: 'default',
    workspace: 'default',
    command,
    cwd: '.',
    description: 'd',
    isolation: 'none',
    interactive: true,
    status: 'running',
    output_bytes: 3
  }
  t.match(await app.get('/jobs'), { jobs: [job] })
  t.match((await app.get('/state')).jobs, [job])
  t.match(await app.get(`/jobs/${task_id}`), job)
  t.match((await runApproved(app, 'list_background_tasks', {})).result.data, { tasks: [{ kind: 'job', ...job }] })

  t.match((await (await app.events()).type('stream.snapshot'))[0].jobs, [job])

  const written = await runApproved(app, 'send_input', { task_id, text: 'one\n' })
  t.strictSame(written.result.data, { task_id, status: 'running', next_offset: 3 })
  t.match(await waitForMore(app, task_id, { offset: 3 }), { output: 'one\n', offset: 3, next_offset: 7 })
  t.match(await app.post(`/calls/${task_id}/input`, { text: 'two', end: true }), { task_id, status: 'running' })
  const told = await events.type('job.exited')
  t.strictSame(await getJob(app, task_id, { offset: 7 }), {
    task_id,
    kind: 'job',
    status: 'exited',
    output: 'two',
    offset: 7,
    next_offset: 10,
    ended: true,
    exit_code: 3,
    signal: null
  })
  t.match(await app.get(`/jobs/${task_id}`), {
    ...job,
    status: 'exited',
    exit_code: 3,
    output_bytes: 10,
    survivors: []
  })
  t.strictSame((await app.get('/state')).jobs, [])
  const order = told.filter(({ tool_call_id }) => tool_call_id === task_id).map(({ event }) => event)
  t.ok(order.indexOf('job.started') < order.indexOf('tool.result'), 'it is told before the call that started it')
  const late = told.slice(told.findIndex(({ event, tool_call_id: id }) => event === 'tool.result' && id === task_id))
  t.equal(
    late.flatMap(({ event, delta }) => (event === 'tool.progress' ? [delta.text] : [])).join(''),
    'up\none\ntwo',
    'what it prints is told on as progress of that call'
  )
  t.match(told.at(-1), { task_id, tool_call_id: task_id, status: 'exited', exit_code: 3, signal: null, survivors: [] })
})

t.test('input to a command requires approval, and is shown unchanged', async t => {
  const app = await startApp(t)
  const task_id = await startJob(app, 'cat', { interactive: true })
  const asked = await app.call('send_input', { task_id, text: 'a\u001b[2J\u202e"\n', end: true })
  t.match(asked, { status: 'awaiting_approval', approval: { level: 'ask' } })
  t.equal(asked.approval.reason, 'Sends input to a running command.')
  const { title, text, notes } = asked.approval.preview
  t.equal(title, `Write to ${task_id}`)
  t.equal(text, 'input: "a\\u001b[2J\\u{202e}\\"\\n"\nend of input')
  t.equal(notes[0], 'Target: cat')

  const agent = { authorization: `Bearer ${CALL_TOKEN}` }
  const params = { command: 'cat', interactive: true }
  const { body: own } = await app.request('POST', '/calls', { tool: 'shell_background', params }, agent)
  await app.post(`/calls/${own.tool_call_id}/approve?wait_ms=120000`, { digest: own.approval.digest })
  const refused = await app.request('POST', `/calls/${own.tool_call_id}/input`, { text: 'x' }, agent)
  t.match(refused, { status: 403, body: { code: 'FORBIDDEN', detail: /send_input/ } })
})

t.test('rejects input to a command that does not read', async t => {
  const app = await startApp(t)
  const deaf = await startJob(app, REST)
  const conflict = { status: 'error', error: { code: 'CONFLICT' } }
  t.match(await runApproved(app, 'send_input', { task_id: deaf, text: 'x' }), {
    ...conflict,
    error: { message: /shell_background and `interactive` or `pty`/ }
  })
  t.match(await app.request('POST', `/calls/${deaf}/input`, { text: 'x' }), { status: 409, body: { code: 'CONFLICT' } })
  t.match(await app.request('POST', `/calls/${deaf}/input`, {}), {
    status: 400,
    body: { code: 'INVALID_PARAMS', detail: 'The body must have at least one of text, end, resize.' }
  })
  const resized = await app.request('POST', `/calls/${deaf}/input`, { resize: { cols: 80, rows: 24 } })
  t.match(resized, { status: 409, body: { detail: /no terminal/ } })
  const over = await startJob(app, 'true', { interactive: true })
  await waitForJobEnd(app, over)
  t.match(await runApproved(app, 'send_input', { task_id: over, text: 'x' }), conflict)
  t.match(await app.request('POST', `/calls/${over}/input`, { text: 'x' }), { status: 409 })
  const closed = await startJob(app, 'cat; exec sleep 600', { interactive: true })
  await app.post(`/calls/${closed}/input`, { end: true })
  t.match(await app.request('POST', `/calls/${closed}/input`, { text: 'x' }), { status: 409 })
})

t.test('stops a task, or sends it a signal that it may ignore', async t => {
  const app = await startApp(t)
  const gone = await startJob(app, REST)
  const stopped = await runApproved(app, 'stop_background_task', { task_id: gone })
  t.match(stopped.result.data, { task_id: gone, status: 'stopped', exit_code: null, signal: 'SIGTERM' })
  t.match(await app.get(`/jobs/${gone}`), { status: 'stopped', reason: /^Stopped by / })
  t.match(
    (await runApproved(app, 'stop_background_task', { task_id: gone })).result.data,
    { status: 'stopped' },
    'twice'
  )
  t.equal(stopped.result.content, `${gone} was stopped.`)
  const told = (await runApproved(app, 'get_background_task', { task_id: gone })).result.content
  t.match(told, /\[The command was stopped \(SIGTERM\): Stopped by \w+\.?\]$/)

  const stubborn = await startJob(app, "trap 'echo no' TERM INT; echo ready; while :; do sleep 0.05; done")
  await waitForOutput(app, stubborn, 'ready')
  const asked = await runApproved(app, 'stop_background_task', { task_id: stubborn, signal: 'INT' })
  t.match(asked.result.data, { status: 'running' })
  await waitForOutput(app, stubborn, 'no')
  const made = await runApproved(app, 'stop_background_task', { task_id: stubborn })
  t.match(made.result.data, { status: 'stopped', signal: 'SIGKILL' })

  const obeys = await startJob(app, "trap 'exit 7' HUP; echo ready; while :; do sleep 0.05; done")
  await waitForOutput(app, obeys, 'ready')
  const hung_up = await runApproved(app, 'stop_background_task', { task_id: obeys, signal: 'HUP' })
  t.match(hung_up.result.data, { status: 'stopped', exit_code: 7 })
})

t.test('stopping tasks of others requires approval', async t => {
  const app = await startApp(t)
  const task_id = await startJob(app, REST)
  const stop = (more: object, headers: Record<string, string> = {}) =>
    app.post('/calls', { tool: 'stop_background_task', params: { task_id }, ...more }, headers)
  const session = await stop({ session_id: 'another' })
  t.match(session, { status: 'awaiting_approval', approval: { preview: { title: `Stop ${task_id}`, text: REST } } })
  t.equal(session.approval.reason, 'Terminates a running task.')
  t.match(await stop({}, { 'x-toolgate-client': 'another' }), { status: 'awaiting_approval' })
  t.match(await stop({}), {
    status: 'success',
    result: { data: { status: 'stopped' } },
    approved_by: { source: 'auto' }
  })
})

t.test('cancelling an ended call stops its background job', async t => {
  const app = await startApp(t)
  const task_id = await startJob(app, REST)
  t.match(await app.post(`/calls/${task_id}/cancel`, { reason: 'enough' }), { status: 'success' })
  t.match(await app.get(`/jobs/${task_id}`), { status: 'stopped', reason: 'enough', signal: 'SIGTERM' })
})

t.test('a background server responds while no one waits for it, and is gone when stopped', async t => {
  const script =
    "require('http').createServer((_, r) => r.end('hello')).listen(0, '127.0.0.1', function () { console.log('at ' + this.address().port) })"
  const app = await startApp(t, { 'dev.js': script, 'package.json': '{"scripts":{"dev":"node dev.js"}}' })
  const task_id = await startJob(app, 'npm run dev')
  const port = /at (\d+)\n/.exec(await waitForOutput(app, task_id, 'at '))![1]
  const url = `http://127.0.0.1:${port}/`
  t.equal(await (await fetch(url)).text(), 'hello')
  t.match((await runApproved(app, 'shell_exec', { command: 'echo meanwhile' })).result.data, { stdout: 'meanwhile\n' })
  t.equal(await (await fetch(url)).text(), 'hello')
  t.match((await runApproved(app, 'stop_background_task', { task_id })).result.data, { status: 'stopped' })
  await t.rejects(fetch(url))
})

t.test('reports unknown tasks', async t => {
  const app = await startApp(t)
  const nowhere = 'tc_00000000000000000000000000'
  for (const tool of ['get_background_task', 'stop_background_task', 'send_input']) {
    const params = { task_id: nowhere, ...(tool === 'send_input' && { text: 'x' }) }
    t.match(await runApproved(app, tool, params), { status: 'error', error: { code: 'NOT_FOUND' } }, tool)
  }
  for (const target of [`/jobs/${nowhere}`, '/jobs/x']) t.equal((await app.request('GET', target)).status, 404)
  for (const route of ['input', 'background'])
    t.equal(
      (await app.request('POST', `/calls/${nowhere}/${route}`, route === 'input' ? { text: 'x' } : {})).status,
      404
    )
  const settled = await runApproved(app, 'shell_exec', { command: 'true' })
  t.equal((await app.request('POST', `/calls/${settled.tool_call_id}/input`, { text: 'x' })).status, 404)
  t.match(await runApproved(app, 'shell_background', { command: 'x', cwd: 'nowhere' }), {
    error: { code: 'FILE_NOT_FOUND' }
  })
})

t.test('limits concurrent tasks', async t => {
  const app = await startApp(t, {}, { settings: { commands: { quiet_ms: 60_000, max_jobs: 2, keep_jobs: 2 } } })
  const first = await startJob(app, REST)
  const second = await startJob(app, REST)
  t.match(await runApproved(app, 'shell_background', { command: REST }), {
    status: 'error',
    error: { code: 'OVERLOADED' }
  })
  await runApproved(app, 'stop_background_task', { task_id: first })
  const third = await startJob(app, 'exit 3')
  t.equal((await waitForJobEnd(app, third)).exit_code, 3)
  const fourth = await startJob(app, 'true')
  await waitForJobEnd(app, fourth)
  const list = async (query = '') =>
    (await app.get(`/jobs${query}`)).jobs.map(({ task_id }: { task_id: string }) => task_id)
  t.strictSame(await list(), [fourth, third, second], 'the newest of those that have ended are listed')
  t.strictSame(await list('?status=running'), [second])
  t.strictSame(await list('?session_id=another'), [])
  const tasks = await runApproved(app, 'list_background_tasks', { status: 'exited' })
  t.strictSame(
    tasks.result.data.tasks.map(({ task_id }: { task_id: string }) => task_id),
    [fourth, third]
  )
})

t.test('twenty at once', async t => {
  const app = await startApp(t)
  const numbers = Array.from({ length: 20 }, (_, i) => i)
  const ids = await Promise.all(
    numbers.map(i => startJob(app, `echo begin ${i}; read x; echo "$x ${i}"; exit ${i}`, { interactive: true }))
  )
  t.equal((await app.get('/state')).jobs.length, 20)
  await Promise.all(ids.map(task_id => app.post(`/calls/${task_id}/input`, { text: 'end\n' })))
  const jobs = await Promise.all(ids.map(task_id => waitForJobEnd(app, task_id)))
  t.strictSame(
    jobs.map(({ status, exit_code }) => [status, exit_code]),
    numbers.map(i => ['exited', i])
  )
  for (const [i, task_id] of ids.entries()) t.equal((await getJob(app, task_id)).output, `begin ${i}\nend ${i}\n`)
})

t.test('stopping the server ends background jobs, and reports it', async t => {
  const app = await startApp(t)
  const task_id = await startJob(app, 'echo $$; exec sleep 600')
  const pid = Number(await waitForOutput(app, task_id, '\n'))
  await app.close()
  t.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
  const again = await startApp(t, {}, { folder: app.folder })
  t.match(await again.get(`/jobs/${task_id}`), {
    status: 'interrupted',
    reason: 'The server stopped while the command was running.',
    signal: 'SIGTERM'
  })
  t.equal((await getJob(again, task_id)).output, `${pid}\n`)
  const events = await again.events(`?after=0&tool_call_id=${task_id}`)
  t.match((await events.type('job.exited')).at(-1), { status: 'interrupted' })
})

t.test('returns the requested part of much output', async t => {
  const app = await startApp(t)
  const task_id = await startJob(app, 'seq 1 20000; echo oops >&2', { separate_streams: true })
  await waitForJobEnd(app, task_id)
  const whole = `${Array.from({ length: 20_000 }, (_, i) => i + 1).join('\n')}\n`
  t.strictSame(await getJob(app, task_id, { stream: 'stderr' }), {
    task_id,
    kind: 'job',
    status: 'exited',
    output: 'oops\n',
    offset: 0,
    next_offset: 5,
    ended: true,
    exit_code: 0,
    signal: null
  })
  let read = ''
  for (let offset = 0; ; ) {
    const page = await getJob(app, task_id, { stream: 'stdout', offset, limit: 30_000 })
    read += page.output
    offset = page.next_offset
    if (page.ended) break
  }
  t.equal(read, whole)
  t.equal((await app.get(`/calls/${task_id}/output?stream=stdout&limit=1048576`)).text, whole)
})

t.test('reports output once: in the result of a call, or else, and later, by itself', async t => {
  const app = await startApp(t)
  const told = async (task_id: string, more: object = {}) =>
    (await runApproved(app, 'get_background_task', { task_id, wait_ms: 30_000, ...more })).result.content
  const command = 'echo undefined'
  const call = await runApproved(app, 'shell_exec', { command }, { background: true })
  t.equal(await told(call.tool_call_id), 'undefined\n[Exit code 0]\n[The call succeeded.]')
  t.equal(await told(call.tool_call_id, { offset: 5 }), 'ined\nundefined\n[Exit code 0]\n[The call succeeded.]')
  const job = await startJob(app, command)
  await waitForJobEnd(app, job)
  t.equal(await told(job), 'undefined\n[Exit code 0.]')
})

t.test('a wait ends with its request', async t => {
  const app = await startApp(t)
  const task_id = await startJob(app, REST)
  t.match(await getJob(app, task_id, { wait_ms: 10 }), { status: 'running', output: '', next_offset: 0, ended: false })
  const waiting = waitForMore(app, task_id)
  await runApproved(app, 'stop_background_task', { task_id })
  t.match(await waiting, { status: 'stopped', ended: true, signal: 'SIGTERM' })
})

t.test('gives a command a terminal that can be resized', async t => {
  const app = await startApp(t)
  const params = {
    command: 'trap \'stty size\' WINCH; stty size; tty; while read -r x; do echo "got $x"; done',
    pty: { cols: 90, rows: 31 }
  }
  const asked = await app.call('shell_background', params)
  t.match(asked.approval.preview.text, /Runs in a terminal of 90 columns and 31 rows\./)
  const usual = await app.call('shell_background', { ...params, pty: {} })
  t.match(usual.approval.preview.text, /Runs in a terminal of 80 columns and 24 rows\./)
  const faulty = await app.request('POST', '/calls', { tool: 'shell_background', params: { ...params, pty: true } })
  t.match(faulty.body, { detail: '/params/pty must be an object of cols, rows.' })
  const task_id = await startJob(app, params.command, { pty: params.pty })
  t.match(await waitForOutput(app, task_id, '/dev/'), /^31 90\n\/dev\/pts\/\d+\n/)
  t.match(await app.get(`/jobs/${task_id}`), { interactive: true, pty: { cols: 90, rows: 31 } })
  const resized = await app.post(`/calls/${task_id}/input`, { resize: { cols: 120, rows: 40 } })
  t.match(resized, { status: 'running', pty: { cols: 120, rows: 40 } })
  await runApproved(app, 'send_input', { task_id, text: '\u001b[1mhi\r' })
  await waitForOutput(app, task_id, 'got')
  const size = await runApproved(app, 'send_input', { task_id, text: '\u0004' })
  t.equal(size.status, 'success', 'the end of input')
  t.match(await waitForJobEnd(app, task_id), { status: 'exited', exit_code: 0 })
  const plain = await getJob(app, task_id)
  t.match(plain.output, /40 120\n/)
  t.notOk(/\p{Cc}/u.test(plain.output.replaceAll('\n', '')), 'a model reads it plain')
  t.match((await app.get(`/calls/${task_id}/output`)).text, /\r\n/, 'and a terminal as it was')
  t.equal(plain.ended, true)
})

t.test('reads terminal output from any offset', async t => {
  const app = await startApp(t)
  const task_id = await startJob(app, "printf '\\033[31mred\\033[0m plain'; read x", { pty: { cols: 80, rows: 24 } })
  await waitForOutput(app, task_id, 'plain')
  const cut = await getJob(app, task_id, { limit: 10 })
  t.strictSame([cut.output, cut.next_offset], ['red', 8], 'a sequence that is cut off waits')
  t.equal((await getJob(app, task_id, { offset: cut.next_offset })).output, ' plain')
})

t.test('a sandboxed command continues in the sandbox, and all of it ends with it', needs('sandbox'), async t => {
  const base = defaultSettings().sandbox
  const app = await startApp(t, {}, { settings: { sandbox: { ...base, level: 'workspace' } } })
  const command = 'setsid sleep 600 & echo up > made; echo up; cat'
  const task_id = await startJob(app, command, { interactive: true })
  t.equal(await waitForOutput(app, task_id, 'up'), 'up\n')
  t.match(await app.get(`/jobs/${task_id}`), { isolation: 'workspace', status: 'running' })
  t.equal(app.read('made'), 'up\n')
  await app.post(`/calls/${task_id}/input`, { text: 'heard\n' })
  t.equal(await waitForOutput(app, task_id, 'heard\n'), 'up\nheard\n')
  t.match((await runApproved(app, 'stop_background_task', { task_id })).result.data, { status: 'stopped' })
  const left = readdirSync('/proc').filter(pid => markOf(pid).includes(task_id))
  t.strictSame(left, [], 'nothing of it is left')
})

/** Returns the environment of a process, which identifies its command; empty if it has ended or is not ours. */
function markOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1')
  } catch {
    return ''
  }
}
