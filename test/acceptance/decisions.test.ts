// Tests of decisions and the end of the server: a decision is stored with all that it says, or not at all.
// tier: full
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import type { createProject, RunningServer } from '../cli/toolgate.ts'
import { waitUntil } from '../support/wait.ts'
import { connectWithCurl, createGitProject, type Json, type Server } from './fixture.ts'

type Place = ReturnType<typeof createGitProject>

const UNSANDBOXED = { TOOLGATE_SANDBOX_LEVEL: 'none' }

/** Restricts the server to one running command, so that further ones stay queued. */
const ONE_COMMAND = { ...UNSANDBOXED, TOOLGATE_LIMITS_EXECUTE: '1' }

const kill = async ({ process, ended }: RunningServer) => {
  process.kill('SIGKILL')
  await ended
}

/** Requests a command and approves it. */
async function approveCommand(server: Server, command: string): Promise<Json> {
  const { body } = await server.call('shell_exec', { command })
  await server.post(`/calls/${body.tool_call_id}/approve?wait_ms=0`, { digest: body.approval.digest })
  return body
}

/** Starts a command that runs until the server ends. */
async function occupy(at: Place, server: Server) {
  const call = await approveCommand(server, 'echo run >> blocker; exec sleep 600')
  await waitUntil('the first command to run', () => at.has('blocker'))
  return call
}

const ended = (server: Server, { tool_call_id }: Json) => server.get(`/calls/${tool_call_id}?wait_ms=120000`)

t.test('an approved call that had not begun at a kill runs after the restart, once', async t => {
  const at = createGitProject(t)
  const first = await at.serveIn(ONE_COMMAND)
  const before = connectWithCurl(first)
  const running = await occupy(at, before)
  const queued = await approveCommand(before, 'echo run >> queued')
  t.match(await before.get(`/calls/${queued.tool_call_id}`), { status: 'queued', approved_by: { source: 'user' } })
  await kill(first)
  t.notOk(at.has('queued'))

  const after = connectWithCurl(await at.serveIn(ONE_COMMAND))
  t.match(await ended(after, queued), {
    status: 'success',
    approved_by: { source: 'user', digest: queued.approval.digest }
  })
  t.match(await ended(after, running), {
    status: 'interrupted',
    reason: /ended while the (?:call|command) was running/
  })
  t.same([at.read('queued'), at.read('blocker')], ['run\n', 'run\n'])
})

t.test('the same after a stop of the server', async t => {
  const at = createGitProject(t)
  const first = await at.serveIn(ONE_COMMAND, '--drain', '100ms')
  const before = connectWithCurl(first)
  const running = await occupy(at, before)
  const queued = await approveCommand(before, 'echo run >> queued')
  first.process.kill('SIGTERM')
  t.match(await first.ended, { code: 0 })
  t.notOk(at.has('queued'))

  const after = connectWithCurl(await at.serveIn(ONE_COMMAND))
  t.match(await ended(after, queued), { status: 'success' })
  t.match(await ended(after, running), { status: 'interrupted', reason: /stopped while the command was running/ })
  t.equal(at.read('queued'), 'run\n')
})

t.test('an approved call that can no longer do what was approved does not run', async t => {
  const at = createGitProject(t, { 'a.txt': 'a\n' })
  const first = await at.serveIn(ONE_COMMAND)
  const before = connectWithCurl(first)
  await occupy(at, before)
  at.write('folder/x', '')
  const { body: queued } = await before.call('shell_exec', { command: 'touch made', cwd: 'folder' })
  await before.post(`/calls/${queued.tool_call_id}/approve?wait_ms=0`, { digest: queued.approval.digest })
  await kill(first)
  at.git('clean', '-fdq', 'folder')

  const after = connectWithCurl(await at.serveIn(ONE_COMMAND))
  const call = await ended(after, queued)
  t.not(call.status, 'success')
  t.notOk(at.has('folder/made'))
})

t.test('a call that no person approved and that had not begun is reported as such', async t => {
  const at = createGitProject(t)
  const first = await at.serveIn(ONE_COMMAND)
  const before = connectWithCurl(first)
  await occupy(at, before)
  await before.post('/rules', { effect: 'allow', scope: 'user', match: { tool: 'shell_exec' } })
  const queued = (await before.send('POST', '/calls?wait_ms=0', { tool: 'shell_exec', params: { command: 'touch x' } }))
    .body
  t.match(queued, { status: 'queued', approved_by: { source: 'rule' } })
  await kill(first)
  const after = connectWithCurl(await at.serveIn(ONE_COMMAND))
  t.match(await ended(after, queued), {
    status: 'interrupted',
    reason: 'The server ended before the call was started or had any effect. Send the call again.'
  })
  t.notOk(at.has('x'))
})

t.test('approve with always: rule and decision are stored together', async t => {
  const at = createGitProject(t)
  for (let round = 0; round < 2; round += 1) {
    const first = await at.serveIn(UNSANDBOXED)
    const before = connectWithCurl(first)
    const stream = before.listen(t)
    await stream.until(({ type }) => type === 'stream.snapshot')
    const { body } = await before.call('shell_exec', { command: `true ${round}` })
    const approving = before
      .post(`/calls/${body.tool_call_id}/approve?wait_ms=0`, {
        digest: body.approval.digest,
        always: 'command:workspace'
      })
      .catch(() => undefined)
    // The earliest moment at which the rule alone could be durable.
    await stream.until(({ type }) => type === 'rules.changed')
    await kill(first)
    await approving
    const second = await at.serveIn(UNSANDBOXED)
    const after = connectWithCurl(second)
    const { approved_by } = await after.get(`/calls/${body.tool_call_id}`)
    const { rules } = await after.get('/rules')
    t.match(approved_by, { source: 'user', rule_id: rules.at(-1).rule_id }, 'the decision names the rule')
    t.equal(rules.length, round + 1)
    await kill(second)
  }
})

async function serveWithDeadline(at: ReturnType<typeof createProject>, ttl_ms: number) {
  writeFileSync(path.join(at.folder, 'none'), JSON.stringify({ approval: { ttl_ms } }))
  const server = await at.serveIn(UNSANDBOXED)
  return { server, ...connectWithCurl(server) }
}

const passed = (time: string) => waitUntil(`${time} to pass`, () => Date.now() > Date.parse(time))

t.test('a decision after the deadline is too late, however soon after a restart', async t => {
  const at = createGitProject(t)
  const first = await serveWithDeadline(at, 700)
  const ask = async () => (await first.call('shell_exec', { command: 'echo late >> late' })).body
  const [one, other] = [await ask(), await ask()]
  await passed(other.approval.expires_at)
  const late = await first.post(`/calls/${one.tool_call_id}/approve`, { digest: one.approval.digest })
  t.match(late, { status: 409, body: { code: 'CONFLICT', detail: /The call expired/ } })
  const rejected = await first.post(`/calls/${other.tool_call_id}/reject`, {})
  t.match(rejected, { status: 409, body: { code: 'CONFLICT' } })
  t.match(await first.get(`/calls/${one.tool_call_id}`), { status: 'expired' })

  const last = await ask()
  await kill(first.server)
  await passed(last.approval.expires_at)
  const second = await serveWithDeadline(at, 700)
  t.same((await second.get('/approvals')).approvals, [])
  const again = await second.post(`/calls/${last.tool_call_id}/approve`, { digest: last.approval.digest })
  t.match(again, { status: 409, body: { code: 'CONFLICT' } })
  t.match(await second.get(`/calls/${last.tool_call_id}`), { status: 'expired' })
  t.notOk(at.has('late'))
})

t.test('if_match holds after a restart', async t => {
  const at = createGitProject(t, { 'a.txt': 'a\n' })
  const first = await at.serveIn(UNSANDBOXED)
  const before = connectWithCurl(first)
  const { body: read } = await before.call('read_file', { path: 'a.txt' })
  const if_match = read.result.data.hash
  const { body: asked } = await before.call('write_file', { path: 'a.txt', content: 'b\n' }, { if_match })
  t.match(asked, { status: 'awaiting_approval', if_match })
  await kill(first)
  at.write('a.txt', 'changed by a person\n')
  const after = connectWithCurl(await at.serveIn(UNSANDBOXED))
  const { body } = await after.post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, {
    digest: asked.approval.digest
  })
  t.match(body, { status: 'error', error: { code: 'STALE_FILE' } })
  t.equal(at.read('a.txt'), 'changed by a person\n')
})

t.test('a batch sent twice with one key creates its calls once', async t => {
  const at = createGitProject(t)
  const first = await at.serveIn(UNSANDBOXED)
  const before = connectWithCurl(first)
  const calls = ['one', 'two'].map(name => ({
    tool: 'write_file',
    params: { path: `${name}.txt`, content: `${name}\n` }
  }))
  const headers = { 'idempotency-key': 'k' }
  const send = (server: Server, body: object) => server.post('/calls/batch', body, { headers })
  const answers = await Promise.all([send(before, { calls }), send(before, { calls })])
  const ids = ({ body }: Json) => body.results.map(({ tool_call_id }: Json) => tool_call_id)
  t.match(answers[0].body.results, [{ status: 'success' }, { status: 'success' }])
  t.same(ids(answers[0]), ids(answers[1]))
  for (const other of [calls.slice(0, 1), [...calls, calls[0]], [...calls].reverse()])
    t.match(await send(before, { calls: other }), { status: 409, body: { code: 'CONFLICT' } })
  await kill(first)
  const after = connectWithCurl(await at.serveIn(UNSANDBOXED))
  t.same(ids(await send(after, { calls })), ids(answers[0]), 'also after a restart')
})
