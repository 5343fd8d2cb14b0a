// The outbox of a killed server: what fell due is delivered by the next one.
// tier: full
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { connect } from '../../src/client/client.ts'
import { createProject, UNSANDBOXED } from '../cli/toolgate.ts'
import { parseBody, startHttpService } from './http-service.ts'

t.test('after kill -9 between due and delivered, the notification is sent with the same id', async t => {
  const service = await startHttpService(t, ['hang'])
  const at = createProject(t, { 'a.txt': 'a\n', 'b.txt': 'b\n' })
  const folder = path.join(at.home, '.config', 'toolgate')
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'secret'), `whsec_${Buffer.alloc(24, 7).toString('base64')}\n`)
  const channels = { hook: { kind: 'webhook', url: service.url, secret_file: 'secret' } }
  writeFileSync(
    path.join(folder, 'config.jsonc'),
    JSON.stringify({ notifications: { after_ms: 0, when: 'always', channels } })
  )
  const serve = async () => {
    const server = await at.serveIn(UNSANDBOXED)
    const { token } = JSON.parse(readFileSync(server.discovery_file, 'utf8'))
    return { server, client: connect({ url: server.url, token }) }
  }

  const first = await serve()
  const call = await first.client.call('write_file', { path: 'a.txt', content: 'new\n' })
  t.equal(call.status, 'awaiting_approval')
  const sent = await service.next()
  first.server.process.kill('SIGKILL')
  await first.server.ended

  const { client } = await serve()
  const again = await service.next()
  t.equal(again.headers['webhook-id'], sent.headers['webhook-id'])
  t.equal(parseBody(again).data.tool_call_id, call.tool_call_id)
  const other = await client.call('write_file', { path: 'b.txt', content: 'new\n' })
  t.equal(parseBody(await service.next()).data.tool_call_id, other.tool_call_id, 'each call is notified about once')
  t.equal(service.received.length, 3)
})
