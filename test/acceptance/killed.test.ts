// Smoke test of a killed server: a finished write and a pending one survive it.
// tier: quick
import { readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { type Client, connect } from '../../src/client/client.ts'
import { createProject, UNSANDBOXED } from '../cli/toolgate.ts'
import type { Json } from '../start-app.ts'

/** Approves a call as it was shown, and resolves once it has ended. */
const approve = (client: Client, { tool_call_id, approval }: Json): Promise<Json> =>
  client.approve(tool_call_id, { digest: approval.digest, wait_ms: 60_000 })

t.test('after kill -9 a pending call is decided as it was shown, and a finished one can be undone', async t => {
  const at = createProject(t, { 'a.txt': 'a\n', 'b.txt': 'b\n' })
  const read = () => ['a.txt', 'b.txt'].map(name => readFileSync(path.join(at.project, name), 'utf8'))
  const serve = async () => {
    const server = await at.serveIn(UNSANDBOXED)
    const { token } = JSON.parse(readFileSync(server.discovery_file, 'utf8'))
    return { server, client: connect({ url: server.url, token }) }
  }

  const first = await serve()
  const write = (path: string): Promise<Json> => first.client.call('write_file', { path, content: 'new\n' })
  const [done, pending] = [await write('a.txt'), await write('b.txt')]
  t.match([done, pending], [{ status: 'awaiting_approval' }, { status: 'awaiting_approval' }])
  t.match(await approve(first.client, done), { status: 'success' })
  first.server.process.kill('SIGKILL')
  await first.server.ended
  t.same(read(), ['new\n', 'b\n'])

  const { client } = await serve()
  t.match(await client.get(pending.tool_call_id), { status: 'awaiting_approval', approval: pending.approval })
  t.match(await approve(client, pending), { status: 'success' })
  t.same(read(), ['new\n', 'new\n'])
  for (const { tool_call_id } of [pending, done])
    t.match(await approve(client, await client.undo(tool_call_id)), { status: 'success' })
  t.same(read(), ['a\n', 'b\n'])
})
