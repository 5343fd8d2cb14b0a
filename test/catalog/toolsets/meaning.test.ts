// Tests of tool name resolution by client and toolset, and of the resulting policy input.
// tier: full
import fc from 'fast-check'
import t from 'tap'
import { collectRules } from '../../../src/config/agents.ts'
import { scriptedServer, waitUntilReady, withMcpServers } from '../../host/mcp/scripted-settings.ts'
import { type Json, startApp } from '../../start-app.ts'
import { runs } from '../../support/property.ts'

const FILES = { 'a.txt': 'one\n' }

t.test('without a toolset the canonical name comes first, then a unique one; ambiguous ones are reported', async t => {
  const app = await startApp(t, FILES)
  const ask = (tool: string, params: object, more: object = {}) =>
    app.request('POST', '/calls', { tool, params, ...more })
  t.notHas((await ask('read_file', { path: 'a.txt' })).body, { toolset: /./ })
  t.match((await ask('file_read', { path: 'a.txt' })).body, {
    status: 'success',
    tool: 'read_file',
    params: { path: 'a.txt' },
    toolset: 'synapsis',
    requested_tool: 'file_read'
  })
  t.match(await ask('bash', { command: 'ls' }), {
    status: 400,
    body: { code: 'INVALID_PARAMS', errors: [{ pointer: '/toolset', message: 'must be one of opencode, synapsis' }] }
  })
  t.match((await ask('read', { file_path: 'a.txt' }, { toolset: 'opencode' })).body, { tool: 'read_file', result: {} })
  t.match(await ask('read_file', { path: 'a.txt' }, { toolset: 'native' }), { status: 200 })
  t.match(await ask('file_read', { path: 'a.txt' }, { toolset: 'native' }), { status: 404 })
  t.match(await ask('read_file', { path: 'a.txt' }, { toolset: 'none' }), {
    status: 400,
    body: { errors: [{ pointer: '/toolset' }] }
  })
  t.match(await app.request('GET', '/tools?toolset=none'), { status: 400 })
  t.match(await app.request('GET', '/tools/bash'), { status: 400 })
  t.match(await app.get('/tools/bash?toolset=synapsis'), { name: 'bash', timeout_ms: 30_000, primary: 'command' })
  for (const odd of ['__proto__', 'constructor', 'toString', 'mcp_', 'mcp_mcp_read_file', 'mcp_toString'])
    t.match(await ask(odd, {}), { status: 404, body: { code: 'UNKNOWN_TOOL' } }, odd)
})

t.test('mcp_tool is listed only with an MCP server to call', async t => {
  const app = await startApp(t, FILES)
  for (const toolset of ['native', 'opencode', 'synapsis', 'workspace', 'codey', 'emacs-agent']) {
    const { tools } = await app.get(`/tools?toolset=${toolset}`)
    t.notMatch(tools.map(({ name }: Json) => name).join(), 'mcp_tool', toolset)
  }
})

t.test('dry runs, explanations and batches resolve the names too', async t => {
  const app = await startApp(t, FILES)
  const write = { tool: 'file_write', params: { path: 'a.txt', content: 'x' } }
  t.match(await app.post('/calls', { ...write, dry_run: true }), { dry_run: true, tool: 'write_file', preview: {} })
  t.match(await app.post('/policy/explain', write), { tool: 'write_file', effect: 'write' })
  const read = { tool: 'read_file', params: { path: 'a.txt' } }
  const { results } = await app.post('/calls/batch?toolset=workspace', {
    calls: [read, { tool: 'file_read', params: {} }, { tool: 'read_file', params: { path: 'none' } }, read]
  })
  t.match(results, [
    { ok: true, value: { content: 'one\n' } },
    { ok: false, error: { code: 'UNKNOWN_TOOL' } },
    { ok: false, error: { code: 'FILE_NOT_FOUND' } },
    { ok: true, value: { content: 'one\n' } }
  ])
})

t.test('an agent may have a toolset, whose names its tool set may use', async t => {
  const agents = {
    go: { toolset: 'opencode', tools: { allow: ['read', 'grep', 'bash'] } },
    careful: { tools: { deny: ['bash'] } }
  }
  const app = await startApp(t, FILES, { settings: { agents } })
  const names = async (query: string) => (await app.get(`/tools?${query}`)).tools.map(({ name }: Json) => name)
  t.strictSame(await names('agent=go'), ['read', 'bash', 'grep'])
  t.strictSame(await names('agent=go&toolset=synapsis'), ['file_read', 'bash', 'grep'])
  t.strictSame(await names('agent=go&toolset=native'), ['read_file', 'grep', 'shell_exec'])
  t.notOk((await names('agent=careful')).includes('shell_exec'))
  const ask = (tool: string, params: object, agent: string) => app.request('POST', '/calls', { tool, params, agent })
  t.match(await ask('read', { file_path: 'a.txt' }, 'go'), { status: 200, body: { toolset: 'opencode', agent: 'go' } })
  t.match(await ask('read_file', { path: 'a.txt' }, 'go'), { status: 200 }, "the server's own names are known too")
  t.match(await ask('write', { file_path: 'b.txt', content: '' }, 'go'), { status: 404 })
  t.match(await ask('shell_exec', { command: 'ls' }, 'careful'), { status: 404 })
  t.match(await ask('mcp_shell', { command: 'ls' }, 'careful'), { status: 404 }, 'by whatever name')
})

t.test('a rule applies to the tool under any called name, and may use any of its names', async t => {
  const rule = (effect: 'allow' | 'deny', match: object) => ({ effect, match })
  const tiers = {
    administrator: [],
    user: [rule('deny', { tool: 'file_edit' }), rule('allow', { tool: 'write' })],
    workspace: []
  }
  const app = await startApp(t, FILES, { settings: { tiers } })
  const status = async (tool: string, params: object, toolset: string) =>
    (await app.request('POST', '/calls', { tool, params, toolset })).body.status
  t.equal(await status('edit_file', { path: 'a.txt', old: 'one', new: '1' }, 'native'), 'rejected')
  t.equal(await status('edit', { file_path: 'a.txt', old_string: 'one', new_string: '1' }, 'opencode'), 'rejected')
  t.equal(await status('write_file', { path: 'a.txt', content: 'two\n' }, 'native'), 'success')
  t.equal(await status('file_write', { path: 'a.txt', content: 'three\n' }, 'synapsis'), 'success')
})

t.test("a toolset's name is no glob: a rule for mcp_* does not match every tool", async t => {
  const tiers = { administrator: [], user: [{ effect: 'allow' as const, match: { tool: 'mcp_*' } }], workspace: [] }
  const app = await startApp(t, FILES, { settings: { tiers } })
  const call = await app.call('mcp_shell', { command: 'touch x' })
  t.match(call, { status: 'awaiting_approval', tool: 'shell_exec' })
})

t.test('auto-approve filters apply to each part of a line, under any called name', async t => {
  const user = collectRules({
    filters: { shell: { allow: ['touch [a-z]+'], deny: ['touch secret.*'] }, write: { allow: ['docs/.*'] } }
  })
  const app = await startApp(t, FILES, { settings: { tiers: { administrator: [], user, workspace: [] } } })
  const shell = async (command: string, tool = 'mcp_shell') =>
    (await app.request('POST', '/calls', { tool, params: { command } })).body.status
  t.equal(await shell('touch x'), 'success')
  t.equal(await shell('touch x', 'shell_exec'), 'success')
  t.equal(await shell('touch x && touch y'), 'success')
  t.equal(await shell('touch x && rm a.txt'), 'awaiting_approval', 'nothing hangs on an allowed beginning')
  t.equal(await shell('touch x; touch $(cat a.txt)'), 'awaiting_approval')
  t.equal(await shell('touch secrets'), 'rejected', 'deny beats allow')
  app.write('docs/a.md', 'one')
  const write = async (path: string) => (await app.call('file_write', { path, content: 'x' })).status
  t.equal(await write('docs/a.md'), 'success')
  t.equal(await write('docs/../a.txt'), 'awaiting_approval')
})

t.test('the event of a call has its requested and its resolved form', async t => {
  const app = await startApp(t, FILES)
  const call = await app.call('file_read', { path: 'a.txt' })
  const events = await app.events(`?after=0&tool_call_id=${call.tool_call_id}`)
  const first = (await events.type('tool.call')).at(-1)!
  t.match(first, {
    tool: 'read_file',
    params: { path: 'a.txt' },
    toolset: 'synapsis',
    requested_tool: 'file_read',
    requires_approval: false
  })
  t.notOk('requested_params' in first, 'they are what it is given')
  const asked = { file_path: 'a.txt', limit: 1 }
  const named = await app.call('read', asked, { toolset: 'opencode' })
  t.strictSame(named.requested_params, asked)
  const told = await app.events(`?after=0&tool_call_id=${named.tool_call_id}`)
  t.match((await told.type('tool.call')).at(-1), {
    params: { path: 'a.txt', limit: 1 },
    requested_tool: 'read',
    requested_params: asked
  })
})

t.test('a natively requested call can be shown and decided in any toolset', async t => {
  const app = await startApp(t, FILES)
  const call = await app.call('edit_file', { path: 'a.txt', old: 'one', new: '1' })
  const { approvals } = await app.get('/approvals?toolset=opencode')
  t.match(approvals, [
    { stepId: call.tool_call_id, tool: 'edit', args: { file_path: 'a.txt', old_string: 'one', new_string: '1' } }
  ])
  const moved = await app.call('undo', { tool_call_id: call.tool_call_id })
  t.match(
    await app.get(`/calls/${moved.tool_call_id}?toolset=opencode`),
    { title: 'undo' },
    'also where it has no name'
  )
  const both = { stepId: call.tool_call_id, modifiedArgs: {}, modified_params: {} }
  t.match(await app.request('POST', '/approve', both), { status: 400 })
  t.match(await app.request('POST', '/approve', { tool_call_ids: [call.tool_call_id], modifiedArgs: {} }), {
    status: 400,
    body: { errors: [{ pointer: '/modifiedArgs' }] }
  })
  const modifiedArgs = { path: 'a.txt', old: 'one', new: 'uno' }
  const answer = await app.post('/approve?wait_ms=120000&toolset=opencode', {
    stepId: call.tool_call_id,
    digest: approvals[0].digest,
    modifiedArgs
  })
  t.match(answer, { title: 'Edited a.txt' })
  t.equal(app.read('a.txt'), 'uno\n')
})

t.test('no call-only token can approve, in any toolset', async t => {
  const app = await startApp(t, FILES)
  const call = await app.call('file_write', { path: 'a.txt', content: 'x' })
  const headers = { authorization: 'Bearer a-token-that-may-only-call' }
  const decision = { stepId: call.tool_call_id, approved: true }
  t.match(await app.request('POST', '/approve?toolset=workspace', decision, headers), { status: 403 })
  t.equal(app.read('a.txt'), 'one\n')
})

t.test('requests are rejected with their own names, or translate there and back', async t => {
  const app = await startApp(t, FILES)
  const value = fc.oneof(fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.array(fc.string()))
  const names = ['file_path', 'offset', 'limit', 'path', 'x']
  const params = fc.dictionary(fc.constantFrom(...names), value)
  await fc.assert(
    fc.asyncProperty(params, async given => {
      const { status, body } = await app.request('POST', '/calls?toolset=opencode', { tool: 'read', params: given })
      if (status === 200 || status === 202 || status === 403) return
      t.equal(status, 400)
      for (const { pointer } of body.error?.details?.errors ?? body.errors) t.match(pointer, /^\/params/)
    }),
    runs(60)
  )
})

t.test('tools of an MCP server are in every toolset by their own names, and through its mcp_tool', async t => {
  const server = { ...scriptedServer(), effects: { '*': 'read' as const } }
  const app = await startApp(t, FILES, { settings: withMcpServers({ scripted: server }) })
  await waitUntilReady(app, 'scripted')
  const ask = async (toolset: string, tool: string, params: object) =>
    (await app.request('POST', `/calls?toolset=${toolset}&wait_ms=120000`, { tool, params })).body
  for (const toolset of ['opencode', 'synapsis', 'workspace', 'codey', 'emacs-agent']) {
    const { tools } = await app.get(`/tools?toolset=${toolset}`)
    t.ok(tools.some(({ name }: Json) => /mcp_tool$/.test(name)))
    t.ok(
      tools.some(({ name }: Json) => name === 'mcp:scripted:typed'),
      toolset
    )
  }
  t.match(await ask('synapsis', 'mcp:scripted:typed', { value: 3 }), { value: 3 })
  t.match(await ask('workspace', 'mcp:scripted:typed', { value: 3 }), { ok: true, value: { value: 3 } })
  t.match(await ask('codey', 'mcp:scripted:pieces', { background: true }), {
    status: /Running|Complete/,
    task_id: /^tc_/
  })
  const by = { server: 'scripted', tool: 'typed', arguments: { value: 4 } }
  t.match(JSON.stringify(await ask('synapsis', 'mcp_tool', by)), /"value":4/)
  t.match(await ask('workspace', 'mcp:scripted:fail', {}), { ok: false, error: { message: /no such row/ } })
})
