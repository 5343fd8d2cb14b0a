// Tests of the command line while the server is killed and restarted.
// tier: full
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import t from 'tap'
import { connect } from '../../src/client/client.ts'
import { within } from '../support/wait.ts'
import { CALL_ID_PATTERN, serveProject } from './toolgate.ts'

const linesOf = (stream: NodeJS.ReadableStream) => {
  const lines = createInterface({ input: stream })[Symbol.asyncIterator]()
  return async () => String((await lines.next()).value)
}

t.test('logs --follow, call and approvals --watch survive a server restart', async t => {
  const { begin, serve, server, client } = await serveProject(t)
  const asked = await client.call('shell_background', { command: 'echo first; sleep 600', isolation: 'none' })
  if (asked.status !== 'awaiting_approval') throw new Error(JSON.stringify(asked))
  const { tool_call_id: id, approval } = asked
  await client.approve(id, { digest: approval.digest, confirm: true, wait_ms: 120_000 })
  const logs = begin(['logs', id, '--follow'])
  const printed = linesOf(logs.stdout)
  t.equal(await printed(), 'first')

  const call = begin(['call', 'edit_file', 'path=a.txt', 'old=hello', 'new=bye'])
  const [waiting] = (await linesOf(call.stderr)()).match(CALL_ID_PATTERN)!
  const watch = begin(['approvals', '--watch', '--json'])
  const seen = linesOf(watch.stdout)
  t.match(JSON.parse(await seen()), { tool_call_id: waiting, status: 'awaiting_approval' })

  const ended = [logs, call].map(({ ended }) => within('a command to end', ended))
  const [talk, alerts] = [linesOf(logs.stderr), linesOf(watch.stderr)]
  const lost = [talk(), alerts()]
  server.process.kill('SIGKILL')
  await server.ended
  t.same(await Promise.all(lost), Array(2).fill('Connection lost. Reconnecting…'))
  const second = await serve()
  t.equal(
    await talk(),
    `toolgate: ${id} interrupted: The server ended while the command was running. The command is not restarted.`
  )
  t.equal(await ended[0], 1, 'its job ended with the server')

  const { token } = JSON.parse(readFileSync(second.discovery_file, 'utf8'))
  const again = connect({ url: second.url, token })
  await again.approve(waiting!, { digest: (await again.approvals())[0]!.approval.digest, confirm: true })
  t.equal(await ended[1], 0, 'the call that waited was approved at the other server')
  t.match(JSON.parse(await seen()), { tool_call_id: waiting, approved_by: { source: 'user' } })
})
