// Tests of event streams in the names of a toolset: live, resumed, of one call, and their snapshots.
// tier: quick
import t from 'tap'
import { type Json, listenToEvents, startApp, TOKEN, toApproval } from '../../start-app.ts'

const pick = (events: Json[], ...fields: string[]) =>
  events.map(event => Object.fromEntries(fields.filter(name => name in event).map(name => [name, event[name]])))

t.test('events have the names of the toolset for tools and params, also in calls of others', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  const go = await app.events('?toolset=opencode&types=tool.call,tool.result')
  const native = await app.events('?types=tool.call,tool.result')
  const params = { file_path: 'a.txt', limit: 1 }
  await app.post('/calls?toolset=opencode', { tool: 'read', params })
  await app.call('edit_file', { path: 'a.txt', old: 'none', new: 'two' })
  await app.call('search_files', { pattern: 'none' })
  const edit = { file_path: 'a.txt', old_string: 'none', new_string: 'two' }
  const other = { tool: 'search_files', params: { pattern: 'none' } }
  const wanted = [
    { event: 'tool.call', tool: 'read', params },
    { event: 'tool.result', tool: 'read', status: 'success' },
    { event: 'tool.call', tool: 'edit', params: edit }
  ]
  const isLast = ({ event, tool }: Json) => event === 'tool.result' && tool === 'search_files'
  const live = (await go.until(isLast)).slice(1)
  t.match(pick(live, 'event', 'tool', 'params', 'status'), [...wanted, { event: 'tool.call', ...other }, {}])
  t.match(live[1].result, { content: '     1\tone' }, 'the result is that of the call')
  const own = (await native.until(isLast)).slice(1)
  t.match(
    pick(own, 'tool'),
    ['read_file', 'read_file', 'edit_file', 'search_files', 'search_files'].map(tool => ({ tool }))
  )
  t.strictSame(pick(live, 'id', 'seq', 'tool_call_id'), pick(own, 'id', 'seq', 'tool_call_id'))
  const resumed = await app.events('?toolset=opencode&types=tool.call,tool.result&after=0')
  t.strictSame((await resumed.until(isLast)).slice(1), live)
})

t.test('the snapshot has the calls as the toolset formats them', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  const waiting = await app.post('/calls?toolset=codey', { tool: 'mcp_delete_file', params: { path: 'a.txt' } })
  const stream = await app.events('?toolset=codey')
  const [snapshot] = await stream.type('stream.snapshot')
  t.strictSame(snapshot.pending, [waiting])
  const call = await app.get(`/calls/${waiting.call_id}`)
  await app.post('/approve', { ...toApproval(call), confirm: true })
  t.match((await stream.type('tool.result')).at(-1), { tool: 'mcp_delete_file', status: 'success' })
})

t.test('the stream of a call has them too, and an unknown toolset none', async t => {
  const app = await startApp(t, { 'a.txt': 'one\n' })
  const stream = await listenToEvents(
    t,
    `${app.url}/calls?toolset=workspace`,
    { 'content-type': 'application/json' },
    {
      method: 'POST',
      body: JSON.stringify({ tool: 'list_directory', params: { path: '.', includeHidden: true } })
    }
  )
  const events = await stream.rest()
  t.match(
    events.find(({ event }) => event === 'tool.call'),
    { tool: 'list_directory', params: { path: '.', includeHidden: true } }
  )
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${TOKEN}` }
  t.match(await app.request('GET', '/events?toolset=none', undefined, headers), {
    status: 400,
    body: { errors: [{ pointer: '/toolset' }] }
  })
})
