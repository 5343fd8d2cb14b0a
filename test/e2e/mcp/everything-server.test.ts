// Tests with the reference servers in every transport, and with our own servers built on the library.
import path from 'node:path'
import t, { type Test } from 'tap'
import type { McpServer } from '../../../src/config/mcp.ts'
import { waitUntilReady, withMcpServers } from '../../host/mcp/scripted-settings.ts'
import { type Json, startApp, type TestApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { EVERYTHING, listenForEverything } from './everything.ts'

const FILESYSTEM = path.resolve('test/e2e/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js')
/** The effects configured by the user, so that no approval is required. */
const effects = { '*': 'read' } as const

const WAYS: Record<string, (t: Test) => Promise<McpServer>> = {
  stdio: async () => ({ command: process.execPath, args: [EVERYTHING] }),
  http: async t => ({ url: `http://127.0.0.1:${await listenForEverything(t, 'streamableHttp')}/mcp` }),
  sse: async t => ({ type: 'sse', url: `http://127.0.0.1:${await listenForEverything(t, 'sse')}/sse` }),
  'sse, found out': async t => ({ url: `http://127.0.0.1:${await listenForEverything(t, 'sse')}/sse` })
}

const call = async (app: TestApp, tool: string, params: object = {}) =>
  app.call(`mcp:everything:${tool}`, params, { timeout_ms: 120_000 })

for (const [way, config] of Object.entries(WAYS))
  t.test(`server-everything over ${way}`, needs('@modelcontextprotocol/server-everything'), async t => {
    const settings = withMcpServers({ everything: { ...(await config(t)), effects } })
    const app = await startApp(t, { 'a.txt': 'a\n' }, { settings })
    const state = await waitUntilReady(app, 'everything')
    t.match(state, {
      transport: way.startsWith('sse') ? 'sse' : way,
      trusted: true,
      server: { name: 'mcp-servers/everything', protocol: '2025-11-25' }
    })
    const { tools } = await app.get('/tools')
    const served = tools.filter(({ name }: Json) => name.startsWith('mcp:everything:'))
    t.equal(served.length, state.tools)
    t.match(state.refused, [{ name: 'simulate-research-query', reason: /only as an MCP task/ }])
    t.match(
      served.find(({ name }: Json) => name === 'mcp:everything:echo'),
      { category: 'mcp', effect: 'read', description: 'Echoes back the input string', input: { required: ['message'] } }
    )

    t.match(await call(app, 'echo', { message: 'hi' }), {
      status: 'success',
      result: { title: 'Echo Tool', content: 'Echo: hi', data: { content: [{ type: 'text', text: 'Echo: hi' }] } }
    })
    t.match(await app.call('mcp_tool', { server: 'everything', tool: 'get-sum', arguments: { a: 2, b: 3 } }), {
      status: 'success',
      result: { title: 'mcp:everything:get-sum', content: 'The sum of 2 and 3 is 5.' }
    })
    const typed = await call(app, 'get-structured-content', { location: 'Chicago' })
    t.strictSame(Object.keys(typed.result.data), ['temperature', 'conditions', 'humidity'])
    const image = await call(app, 'get-tiny-image')
    t.match(image.result.attachments, [{ media_type: 'image/png', data_url: /^data:image\/png;base64,/, width: 20 }])
    const links = await call(app, 'get-resource-links', { count: 2 })
    t.equal(links.result.data.content.filter(({ type }: Json) => type === 'link').length, 2)
    const roots = await call(app, 'get-roots-list')
    t.match(roots.result.content, `file://${app.root}`)

    const events = await app.events('?types=tool.progress')
    const long = await call(app, 'trigger-long-running-operation', { duration: 0.2, steps: 2 })
    t.match(long.result.content, /Duration: 0.2 seconds/)
    await events.type('tool.progress', ({ progress }) => progress === 0.5)

    const id = (
      await app.post('/calls?wait_ms=0', {
        tool: 'mcp:everything:trigger-long-running-operation',
        params: { duration: 60, steps: 60 }
      })
    ).tool_call_id
    await events.type('tool.progress', event => event.tool_call_id === id)
    await app.post(`/calls/${id}/cancel`, {})
    t.match(await app.get(`/calls/${id}?wait_ms=120000`), { status: 'cancelled' })
    t.match(await call(app, 'echo', { message: 'still here' }), { result: { content: 'Echo: still here' } })
  })

t.test('server-filesystem, in the workspace', async t => {
  const files = {
    command: process.execPath,
    args: [FILESYSTEM, '.'],
    effects: { 'read_*': 'read' as const }
  }
  const app = await startApp(t, { 'a.txt': 'one\ntwo\n' }, { settings: withMcpServers({ files }) })
  await waitUntilReady(app, 'files')
  t.match(await app.call('mcp:files:read_text_file', { path: path.join(app.root, 'a.txt') }), {
    status: 'success',
    result: { content: 'one\ntwo\n', data: { content: 'one\ntwo\n' } }
  })
  const asked = await app.call('mcp:files:write_file', { path: path.join(app.root, 'b.txt'), content: 'new\n' })
  t.match(asked, {
    status: 'awaiting_approval',
    approval: { level: 'ask', preview: { notes: [/Description by the server/, /destructive/] } }
  })
  await app.post('/approve?wait_ms=120000', { tool_call_id: asked.tool_call_id, digest: asked.approval.digest })
  t.equal(app.read('b.txt'), 'new\n')
  t.match(await app.call('mcp:files:read_text_file', { path: '/etc/passwd' }), {
    status: 'error',
    error: { code: 'MCP_ERROR', recoverable: false, message: /Access denied/ }
  })
})
