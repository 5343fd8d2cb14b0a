// Tests of SIGTERM: running calls may end, new ones are rejected, slow ones are interrupted.
// tier: full
import { existsSync } from 'node:fs'
import t, { type Test } from 'tap'
import { toApproval } from '../start-app.ts'
import { waitUntil } from '../support/wait.ts'
import { connectWithCurl, createGitProject, type Json, type Server, waitForExit } from './fixture.ts'

type Place = ReturnType<typeof createGitProject>

/** Approves a command and waits for its first output. */
async function running(t: Test, server: Server, command: string): Promise<Json> {
  const stream = server.listen(t)
  await stream.until(({ type }) => type === 'stream.snapshot')
  const { body } = await server.call('shell_exec', { command })
  await server.post(`/calls/${body.tool_call_id}/approve`, { digest: body.approval.digest })
  await stream.until(({ type, delta }) => type === 'tool.progress' && delta?.text.includes('begun'))
  return body
}

/** Repeats a request until the server reports that it is stopping. */
async function turnedAway(server: Server): Promise<Json> {
  return waitUntil('calls to be refused', async () => {
    const { status, body } = await server.call('read_file', { path: 'a.txt' })
    return status !== 200 && { status, body }
  })
}

async function afterRestart(t: Test, at: Place, id: string): Promise<Json> {
  const again = await at.serve()
  const call = await connectWithCurl(again).get(`/calls/${id}`)
  again.process.kill('SIGTERM')
  t.match(await again.ended, { code: 0 })
  return call
}

t.test('a short command completes; new calls get 503; exit 0', async t => {
  const at = createGitProject(t, { 'a.txt': 'a\n' })
  const started = await at.serve()
  const server = connectWithCurl(started)
  const asked = await server.call('edit_file', { path: 'a.txt', old: 'a', new: 'b' })
  const call = await running(t, server, 'echo begun; until [ -e go ]; do sleep 0.02; done; touch ended; echo done')
  started.process.kill('SIGTERM')
  t.match(await turnedAway(server), { status: 503, body: { code: 'OVERLOADED', detail: 'The server is stopping.' } })
  t.match(await server.post('/approve', toApproval(asked.body)), {
    status: 503,
    body: { code: 'OVERLOADED' }
  })
  at.write('go', '')
  t.match(await started.ended, { code: 0 })
  t.notOk(existsSync(started.discovery_file))
  const ended = await afterRestart(t, at, call.tool_call_id)
  t.match(ended, { status: 'success', result: { data: { exit_code: 0, output: 'begun\ndone\n' } } })
})

t.test('interrupts running calls at the end of --drain; pending calls stay pending; exit 0', async t => {
  const at = createGitProject(t, { 'a.txt': 'a\n' })
  const started = await at.serve('--drain', '200ms')
  const server = connectWithCurl(started)
  const asked = await server.call('edit_file', { path: 'a.txt', old: 'a', new: 'b' })
  const call = await running(t, server, 'echo $$ > pid; echo begun; exec sleep 600')
  started.process.kill('SIGTERM')
  t.match(await started.ended, { code: 0 })
  t.match(await afterRestart(t, at, call.tool_call_id), {
    status: 'interrupted',
    reason: 'The server stopped while the command was running.'
  })
  t.same(await afterRestart(t, at, asked.body.tool_call_id), asked.body)
  await waitForExit(at.read('pid').trim())
})

for (const [signal, code] of [
  ['SIGTERM', 143],
  ['SIGINT', 130]
] as const)
  t.test(`a second ${signal} exits at once with ${code}; the next start reports the call as interrupted`, async t => {
    const at = createGitProject(t, { 'a.txt': 'a\n' })
    const started = await at.serve()
    const server = connectWithCurl(started)
    const call = await running(t, server, 'echo $$ > pid; echo begun; exec sleep 600')
    started.process.kill('SIGTERM')
    await turnedAway(server)
    started.process.kill(signal)
    t.match(await started.ended, { code })
    t.match(await afterRestart(t, at, call.tool_call_id), { status: 'interrupted' })
    await waitForExit(at.read('pid').trim())
  })
