// tier: quick
import t from 'tap'
import { TOOLS } from '../../src/tools/index.ts'
import { type Json, startApp } from '../start-app.ts'

/** No MCP server is configured. */
const NAMES = TOOLS.filter(({ traits }) => !traits?.listed).map(({ name }) => name)
const nameOf = (listed: Json) => listed.name ?? listed.function.name

t.test('lists every tool in four dialects, with the schema of its params', async t => {
  const app = await startApp(t)
  for (const format of ['native', 'openai', 'anthropic', 'mcp']) {
    const { tools } = await app.get(`/tools?format=${format}`)
    t.strictSame(tools.map(nameOf), NAMES, format)
    for (const name of NAMES) t.strictSame(await app.get(`/tools/${name}?format=${format}`), tools[NAMES.indexOf(name)])
  }
  t.strictSame(await app.get('/tools'), await app.get('/tools?format=native'))
  t.match(await app.get('/tools/read_file'), {
    name: 'read_file',
    category: 'files',
    effect: 'read',
    timeout_ms: null,
    idempotent: true,
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['path'],
      properties: { path: { type: 'string' } }
    },
    output: { type: 'object' }
  })
  t.match(await app.get('/tools/read_file?format=openai'), {
    type: 'function',
    function: { name: 'read_file', parameters: { type: 'object', required: ['path'] } }
  })
  t.match(await app.get('/tools/read_file?format=anthropic'), {
    name: 'read_file',
    input_schema: { required: ['path'] }
  })
  t.match(await app.get('/tools/read_file?format=mcp'), {
    inputSchema: { required: ['path'] },
    outputSchema: { type: 'object' },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
  })
  t.match((await app.get('/tools/delete_file?format=mcp')).annotations, { readOnlyHint: false, destructiveHint: true })
  t.match((await app.get('/tools/shell_exec?format=mcp')).annotations, { destructiveHint: true, openWorldHint: true })
  t.match(await app.request('GET', '/tools/none'), { status: 404, body: { code: 'UNKNOWN_TOOL' } })
  t.match(await app.request('GET', '/tools?format=x'), { status: 400, body: { code: 'INVALID_PARAMS' } })
})

t.test('an agent sees and calls its own set of tools', async t => {
  const agents = {
    reader: { tools: { allow: ['read_*', 'list_*', 'todo_*'], deny: ['todo_write'] } },
    careful: { tools: { deny: ['*_exec', 'delete_file'] } },
    nobody: { tools: { allow: [] } }
  }
  const app = await startApp(t, { 'a.txt': 'one' }, { settings: { agents } })
  const listed = async (agent: string) => (await app.get(`/tools?agent=${agent}`)).tools.map(nameOf)
  t.strictSame((await listed('reader')).toSorted(), [
    'list_background_tasks',
    'list_directory',
    'read_file',
    'todo_read'
  ])
  t.strictSame(
    await listed('careful'),
    NAMES.filter(name => !['shell_exec', 'delete_file'].includes(name))
  )
  t.strictSame(await listed('nobody'), [])
  t.strictSame(await listed('stranger'), NAMES)
  t.strictSame(await listed('__proto__'), NAMES)
  t.equal((await app.request('GET', '/tools/delete_file?agent=reader')).status, 404)
  const call = (tool: string, agent: string) =>
    app.request('POST', '/calls', { tool, agent, params: tool === 'todo_read' ? {} : { path: 'a.txt' } })
  t.match(await call('todo_read', 'reader'), { status: 200, body: { status: 'success', agent: 'reader' } })
  t.match(await call('delete_file', 'reader'), { status: 404, body: { code: 'UNKNOWN_TOOL' } })
  t.match(await call('delete_file', 'stranger'), { status: 202 })
})

t.test('a rule may apply to one agent', async t => {
  const tiers = {
    administrator: [],
    user: [{ effect: 'allow' as const, match: { agent: 'trusted', tool: 'write_file' } }],
    workspace: []
  }
  const app = await startApp(t, { 'a.txt': 'one' }, { settings: { tiers } })
  const write = async (more: object) =>
    (await app.call('write_file', { path: 'a.txt', content: JSON.stringify(more) }, more)).status
  t.strictSame(
    [await write({ agent: 'trusted' }), await write({ agent: 'other' }), await write({})],
    ['success', 'awaiting_approval', 'awaiting_approval']
  )
})
