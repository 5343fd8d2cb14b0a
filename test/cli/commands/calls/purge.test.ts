// tier: full
import t from 'tap'
import { serveProject } from '../../toolgate.ts'

t.test('purge: removes the content of a finished call, by id or its beginning', async t => {
  const { toolgate, client } = await serveProject(t, { 'a.txt': 'secret words\n' })
  const { tool_call_id: id } = await client.call('read_file', { path: 'a.txt' })
  t.same(await toolgate(['purge', '--call', id]), { code: 0, stdout: `${id} purged\n`, stderr: '' })
  const left = await client.get(id)
  t.match(left, {
    status: 'success',
    params: {},
    content_removed: { reason: 'purged', by: { client: 'toolgate-cli' } }
  })
  t.notMatch(JSON.stringify(left), 'secret words')
  const { tool_call_id: other } = await client.call('list_directory', { path: '.' })
  const { stdout } = await toolgate(['purge', '--call', other.slice(0, -1), '--json'])
  t.match(JSON.parse(stdout), { tool_call_id: other, content_removed: { reason: 'purged' } })
  t.match(await toolgate(['show', other]), { code: 0, stdout: /Content removed: a person purged the call\./ })

  const waiting = await client.call('shell_exec', { command: 'echo x' }, { wait_ms: 0, background: true })
  t.match(await toolgate(['purge', '--call', waiting.tool_call_id]), { code: 6, stderr: /has not ended/ })
  t.match(await toolgate(['purge']), { code: 2, stderr: /--call/ })
})
