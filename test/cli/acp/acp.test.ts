// Tests of `toolgate acp`: an editor and an agent of the SDK, with the program between them.
// tier: full
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Readable, Writable } from 'node:stream'
import {
  type ClientContext,
  client,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type RequestPermissionResponse
} from '@agentclientprotocol/sdk'
import { Client as McpClient } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import t, { type Test } from 'tap'
import { AgentTerminals } from '../../../src/cli/acp/agent-terminals.ts'
import { connect } from '../../../src/client/client.ts'
import type { Json } from '../../start-app.ts'
import { once, waitUntil, within } from '../../support/wait.ts'
import { serveProject } from '../toolgate.ts'

const AGENT = path.join(import.meta.dirname, 'scripted-agent.ts')
const OPTIONS = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'forever', name: 'Always', kind: 'allow_always' },
  { optionId: 'no', name: 'No', kind: 'reject_once' }
]
const edit = (file: string, oldText: string | null, newText: string) => ({
  toolCall: {
    toolCallId: 'call-1',
    title: 'Edit',
    kind: 'edit',
    content: [{ type: 'diff', path: file, oldText, newText }]
  },
  options: OPTIONS
})
const choose = (optionId: string): RequestPermissionResponse => ({ outcome: { outcome: 'selected', optionId } })

type Answerer = (
  request: RequestPermissionRequest,
  signal: AbortSignal
) => RequestPermissionResponse | Promise<RequestPermissionResponse>

/** Starts the program with the agent, as an editor that answers permission requests so. */
async function startEditor(t: Test, { files = {}, fs = {} }: { files?: Record<string, string>; fs?: object } = {}) {
  const served = await serveProject(t, { 'a.txt': 'one\n', ...files })
  const { begin, project } = served
  const running = begin(['acp', '--agent', 'coder', '--', process.execPath, AGENT])
  const asked: RequestPermissionRequest[] = []
  const updates: Json[] = []
  const unsaved = new Map<string, string>()
  let answer: Answerer = () => {
    throw new Error('The editor was asked unexpectedly.')
  }
  const app = client({ name: 'editor' })
    .onRequest('session/request_permission', ({ params, signal }) => {
      asked.push(params)
      return answer(params, signal)
    })
    .onRequest('fs/read_text_file', ({ params }) => ({
      content: unsaved.get(params.path) ?? readFileSync(params.path, 'utf8')
    }))
    .onNotification('session/update', ({ params: { update } }) => void updates.push(update))
  const stream = ndJsonStream(
    Writable.toWeb(running.stdin),
    Readable.toWeb(running.stdout) as ReadableStream<Uint8Array>
  )
  const ready = Promise.withResolvers<ClientContext>()
  const done = Promise.withResolvers<void>()
  const connection = app.connectWith(stream, async agent => {
    ready.resolve(agent)
    await done.promise
  })
  const agent = await ready.promise
  t.teardown(async () => {
    done.resolve()
    await connection
    running.stdin.end()
    await within('the program to end', running.ended)
  })
  await agent.request('initialize', {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false, ...fs } }
  })
  const { sessionId } = await agent.request('session/new', { cwd: project, mcpServers: [] })
  /** Lets the agent send requests in one turn, and returns their results. */
  async function turn(...requests: [method: string, params?: object][]): Promise<Json[]> {
    const text = JSON.stringify(requests.map(([method, params = {}]) => ({ method, params })))
    await within(text, agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }))
    return JSON.parse(updates.findLast(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk').content.text)
  }
  const perform = async (method: string, params: object = {}): Promise<Json> => (await turn([method, params]))[0]
  return {
    ...served,
    ...{ agent, sessionId, turn, perform, asked, updates, unsaved, running },
    file: (name: string) => path.join(project, name),
    read: (name: string) => readFileSync(path.join(project, name), 'utf8'),
    answerWith: (next: Answerer) => {
      answer = next
    },
    ask: (file: string, oldText: string | null, newText: string) =>
      perform('session/request_permission', edit(path.join(project, file), oldText, newText))
  }
}

t.test('the editor decides on what the agent asks for, as shown by the server', async t => {
  const editor = await startEditor(t)
  editor.answerWith(() => choose('approve'))
  t.same(await editor.ask('a.txt', 'one', 'two'), { outcome: { outcome: 'selected', optionId: 'yes' } })
  t.equal(editor.read('a.txt'), 'one\n', 'the agent executes it')
  const [request] = editor.asked
  t.match(request, {
    sessionId: 'one',
    toolCall: {
      toolCallId: 'call-1',
      title: 'Edit',
      kind: 'edit',
      content: [
        { type: 'content', content: { text: /^\*\*Modifies files\.\*\*\n\n- The client executes this call itself/ } },
        { type: 'diff', path: editor.file('a.txt'), oldText: 'one\n', newText: 'two\n' }
      ]
    },
    options: [
      { optionId: 'approve', name: 'Approve', kind: 'allow_once' },
      { optionId: 'always:path:session', kind: 'allow_always' },
      { optionId: 'hour:path:workspace', name: /, in this workspace, for 1 hour$/, kind: 'allow_always' },
      { optionId: 'always:path:workspace', kind: 'allow_always' },
      { optionId: 'reject', name: 'Reject', kind: 'reject_once' }
    ]
  })
  const { calls } = await editor.client.calls({ tool: 'edit_file' })
  t.match(calls, [
    { status: 'success', executor: 'client', agent: 'coder', approved_by: { client: 'toolgate-acp', source: 'user' } }
  ])

  editor.answerWith(() => choose('reject'))
  t.same(await editor.ask('a.txt', 'one', 'three'), { outcome: { outcome: 'selected', optionId: 'no' } })
  editor.answerWith(() => choose('always:path:session'))
  t.match(await editor.ask('a.txt', 'one', 'four'), { outcome: { optionId: 'yes' } })
  const count = editor.asked.length
  t.match(await editor.ask('a.txt', 'one', 'five'), { outcome: { optionId: 'yes' } })
  t.equal(editor.asked.length, count, 'the saved rule allows it')

  const [saved] = await editor.client.rules()
  await editor.client.revokeRule(saved!.rule_id)
  editor.answerWith(() => choose('hour:path:workspace'))
  t.match(await editor.ask('a.txt', 'one', 'six'), { outcome: { optionId: 'yes' } })
  t.match(await editor.client.rules(), [{ scope: 'workspace', expires_at: /Z$/ }])
})

t.test('a rule decides without the editor, and another front end before it', async t => {
  const editor = await startEditor(t)
  await editor.client.addRule({ effect: 'deny', match: { tool: 'edit_file' }, scope: 'user' })
  t.match(await editor.ask('a.txt', 'one', 'two'), { outcome: { optionId: 'no' } })
  t.same(editor.asked, [])

  const cancelled = Promise.withResolvers<void>()
  editor.answerWith(async (_, signal) => {
    signal.addEventListener('abort', () => cancelled.resolve())
    const [call] = await editor.client.approvals()
    await editor.client.approve(call!.tool_call_id, { digest: call!.approval.digest })
    await within('the request to be cancelled', cancelled.promise)
    return choose('reject')
  })
  const command = { toolCallId: 'call-2', title: 'Run tests', kind: 'execute', rawInput: { command: 'npm test' } }
  t.match(await editor.perform('session/request_permission', { toolCall: command, options: OPTIONS }), {
    outcome: { optionId: 'yes' }
  })
})

t.test('a call that needs two approvals is shown once, and waits for another person', async t => {
  const editor = await startEditor(t)
  await editor.client.addRule({ effect: 'ask', match: { tool: 'edit_file' }, scope: 'user', approvals: 2 })
  const { token } = await editor.client.issueToken({ name: 'Ana', rights: ['approve'] })
  const ana = connect({ url: editor.server.url, token })
  editor.answerWith(() => choose('approve'))
  const asking = editor.ask('a.txt', 'one', 'two')
  const call = await waitUntil('the approval in the editor', async () => {
    const [waiting] = await ana.approvals()
    return waiting?.approval.approvals && waiting
  })
  t.match(editor.asked, [{ options: [{ optionId: 'approve', name: 'Approve (0 of 2 approvals so far)' }, {}] }])
  t.match(call, { approval: { approvals: [{ person: 'server', client: 'toolgate-acp' }] } })
  await ana.approve(call.tool_call_id, { digest: call.approval.digest })
  t.match(await asking, { outcome: { optionId: 'yes' } })
  t.equal(editor.asked.length, 1)
})

t.test('a changed preview is shown again, and changed params are rejected at the agent', async t => {
  const editor = await startEditor(t)
  editor.answerWith(async (_, signal) => {
    if (editor.asked.length > 1) return choose('approve')
    const { promise, resolve } = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => resolve())
    writeFileSync(editor.file('a.txt'), 'one\nmore\n')
    await within('the request to be cancelled', promise)
    return choose('reject')
  })
  t.match(await editor.ask('a.txt', 'one', 'two'), { outcome: { optionId: 'yes' } })
  t.match(editor.asked[1]?.toolCall.content?.[0], { content: { text: /```diff\n[^`]*-one\n\+two\n more\n```/ } })

  editor.answerWith(async (_, signal) => {
    const [call] = await editor.client.approvals()
    const modified_params = { ...(call!.params as object), new: 'three' }
    const { digest } = await editor.client.dryRunModified(call!, modified_params)
    await editor.client.approve(call!.tool_call_id, {
      ...{ digest: call!.approval.digest, modified_params, modified_digest: digest! }
    })
    await within('the request to be cancelled', new Promise(resolve => signal.addEventListener('abort', resolve)))
    return choose('reject')
  })
  t.match(await editor.ask('a.txt', 'one', 'two'), { outcome: { optionId: 'no' } })
})

t.test(
  'a tool without an equivalent, and an edit that does not apply, are shown as the agent reports them',
  async t => {
    const editor = await startEditor(t)
    editor.answerWith(() => choose('approve'))
    const task = { toolCallId: 'call-3', title: 'Look for bugs', kind: 'think', rawInput: { prompt: 'Find bugs.' } }
    const permission = { toolCall: task, options: OPTIONS }
    t.match(await editor.perform('session/request_permission', permission), { outcome: { optionId: 'yes' } })
    t.match(editor.asked[0]?.toolCall.content?.[0], {
      content: { text: /uses? its tool think\.\*\*\n\n```\n\{\n {2}"prompt"/ }
    })
    t.match(await editor.ask('a.txt', 'absent', 'two'), { outcome: { optionId: 'yes' } })
    t.match(editor.asked[1]?.toolCall.content?.[0], { content: { text: /its tool edit\./ } })
  }
)

t.test('files: reads by policy, writes by the server, with approval', async t => {
  const editor = await startEditor(t, { files: { 'long.txt': 'line\n'.repeat(5_000), '.env': 'KEY=1\n' } })
  const read = (name: string, more: object = {}) =>
    editor.perform('fs/read_text_file', { path: editor.file(name), ...more })
  t.same(await read('a.txt'), { content: 'one\n' })
  t.same(await read('long.txt'), { content: 'line\n'.repeat(5_000) })
  t.same(await read('long.txt', { line: 4_999, limit: 10 }), { content: 'line\nline\n' })
  t.match(await read('absent.txt'), { failure: /absent\.txt" does not exist/ })
  t.match(await read('.env'), { failure: /may contain credentials/ })
  editor.answerWith(() => choose('reject'))

  const write = (name: string, content: string) =>
    editor.perform('fs/write_text_file', { path: editor.file(name), content })
  t.same(await write('new.txt', 'new\n'), {}, 'a new file needs no approval')
  t.match(await write('a.txt', 'two\n'), { failure: /was rejected: Rejected in the editor/ })
  editor.answerWith(() => choose('approve'))
  t.same(await write('a.txt', 'two\n'), {})
  t.same([editor.read('new.txt'), editor.read('a.txt')], ['new\n', 'two\n'])

  const count = editor.asked.length
  const target = editor.file('a.txt')
  const permission = edit(target, 'two', 'three')
  const written = (content: string): [string, object] => ['fs/write_text_file', { path: target, content }]
  const results = await editor.turn(['session/request_permission', permission], written('three\n'), written('four\n'))
  t.match(results, [{ outcome: { optionId: 'yes' } }, {}, {}])
  t.equal(editor.asked.length, count + 2, 'the write that a person has just approved is not asked for again')
  t.match(await editor.ask('a.txt', 'four', 'five'), { outcome: { optionId: 'yes' } })
  t.same(await write('a.txt', 'five\n'), {})
  t.equal(editor.asked.length, count + 4, 'unless a new turn has begun')
})

t.test('unsaved text of the editor is read, and protected from writes', async t => {
  const editor = await startEditor(t, { fs: { readTextFile: true } })
  t.match(await editor.perform('capabilities'), { fs: { readTextFile: true, writeTextFile: true }, terminal: true })
  const target = editor.file('a.txt')
  editor.answerWith(() => choose('approve'))
  editor.unsaved.set(target, 'one, unsaved\n')
  t.same(await editor.perform('fs/read_text_file', { path: target }), { content: 'one, unsaved\n' })
  const write = () => editor.perform('fs/write_text_file', { path: target, content: 'two\n' })
  t.match(await write(), { failure: /a\.txt has unsaved changes in the editor/ })
  t.equal(editor.read('a.txt'), 'one\n')
  editor.unsaved.delete(target)
  t.same(await write(), {})
  t.equal(editor.read('a.txt'), 'two\n')
})

t.test('terminals run commands of the server', async t => {
  const editor = await startEditor(t)
  editor.answerWith(() => choose('approve'))
  const terminal = (method: string, terminalId: string) => editor.perform(`terminal/${method}`, { terminalId })
  const { terminalId } = await editor.perform('terminal/create', {
    command: 'sh',
    args: ['-c', 'echo "$NAME"; exit 3'],
    env: [{ name: 'NAME', value: 'Ada Lovelace' }]
  })
  t.match(editor.asked[0]?.toolCall, { kind: 'execute' })
  await editor.perform('notify', {
    ...{ sessionUpdate: 'tool_call', toolCallId: 'shell', title: 'Run' },
    content: [{ type: 'terminal', terminalId }]
  })
  t.match(await terminal('wait_for_exit', terminalId), { exitCode: 3 })
  t.same(await terminal('output', terminalId), {
    output: 'Ada Lovelace\n',
    truncated: false,
    exitStatus: { exitCode: 3, signal: null }
  })
  t.match(
    editor.updates.find(({ toolCallId }) => toolCallId === 'shell'),
    { content: [{ type: 'content', content: { text: /^```\n\$ sh -c/ } }] },
    'the editor is not shown a terminal that it does not have'
  )
  t.same(await terminal('release', terminalId), {})
  t.match(await terminal('output', terminalId), { failure: /There is no terminal/ })

  const limited = await editor.perform('terminal/create', { command: 'printf 123456äöü', outputByteLimit: 5 })
  await terminal('wait_for_exit', limited.terminalId)
  t.match(await terminal('output', limited.terminalId), { output: 'öü', truncated: true })

  const endless = await editor.perform('terminal/create', { command: 'sleep 1000' })
  t.same(await terminal('kill', endless.terminalId), {})
  t.match(await terminal('wait_for_exit', endless.terminalId), { signal: /./ })

  editor.answerWith(() => choose('reject'))
  t.match(await editor.perform('terminal/create', { command: 'touch made' }), { failure: /was rejected/ })
  t.notOk(existsSync(editor.file('made')))
})

t.test('unknown methods are passed on, and a loaded session works', async t => {
  const editor = await startEditor(t)
  t.match(await editor.perform('constructor'), { failure: /[Mm]ethod not found/ })
  await editor.agent.request('session/load', { sessionId: editor.sessionId, cwd: editor.project, mcpServers: [] })
  editor.answerWith(() => choose('approve'))
  t.match(await editor.ask('a.txt', 'one', 'two'), { outcome: { optionId: 'yes' } })
  t.equal(editor.asked.length, 1)
})

t.test('a cancelled turn cancels what waits', async t => {
  const editor = await startEditor(t)
  const seen = Promise.withResolvers<void>()
  editor.answerWith(async (_, signal) => {
    seen.resolve()
    await within('the request to be cancelled', new Promise(resolve => signal.addEventListener('abort', resolve)))
    return { outcome: { outcome: 'cancelled' } }
  })
  const asking = editor.ask('a.txt', 'one', 'two')
  await within('the question', seen.promise)
  await editor.agent.notify('session/cancel', { sessionId: editor.sessionId })
  t.same(await asking, { outcome: { outcome: 'cancelled' } })
  t.match((await editor.client.calls({ tool: 'edit_file' })).calls, [{ status: 'cancelled' }])
})

t.test('an answer that was not offered decides nothing', async t => {
  const editor = await startEditor(t)
  const answered = Promise.withResolvers<void>()
  editor.answerWith(() => {
    answered.resolve()
    return choose('approve-it')
  })
  const asking = editor.ask('a.txt', 'one', 'two')
  await within('the answer', answered.promise)
  await within('the log', once(editor.running.stderr, 'data'))
  const [call] = await editor.client.approvals()
  await editor.client.reject(call!.tool_call_id)
  t.match(await asking, { outcome: { optionId: 'no' } })
})

t.test('a call waits through a restart of the server', async t => {
  const editor = await startEditor(t)
  const asked = Promise.withResolvers<void>()
  editor.answerWith(async (_, signal) => {
    asked.resolve()
    await within('the request to be cancelled', new Promise(resolve => signal.addEventListener('abort', resolve)))
    return choose('reject')
  })
  const asking = editor.ask('a.txt', 'one', 'two')
  await within('the question', asked.promise)
  editor.server.process.stdin.end()
  await editor.server.ended
  const { url, discovery_file } = await editor.serveIn({ TOOLGATE_SANDBOX_LEVEL: 'none' })
  const decider = connect({ url, token: JSON.parse(readFileSync(discovery_file, 'utf8')).token })
  const [call] = await decider.approvals()
  await decider.approve(call!.tool_call_id, { digest: call!.approval.digest })
  t.match(await asking, { outcome: { optionId: 'yes' } })
})

t.test('a long command continues as a job, with its output and exit code', async t => {
  const { server, call_token, client: decider } = await serveProject(t)
  const calls = connect({ url: server.url, token: call_token })
  const exited = Promise.withResolvers<string>()
  const terminals = new AgentTerminals((_, text) => exited.resolve(text), 1)
  const session = { cwd: '/', session_id: 's', calls, decisions: decider, acpId: Promise.resolve('one') }
  const command = 'sleep 0.5; echo late; exit 4'
  const { signal } = new AbortController()
  const creating = terminals.create(session, { sessionId: 'one', command }, signal)
  for await (const _ of decider.events({ types: ['tool.call'] })) {
    const [call] = await decider.approvals()
    if (!call) continue
    await decider.approve(call.tool_call_id, { digest: call.approval.digest })
    break
  }
  const { terminalId } = await creating
  t.same(await terminals.waitForExit(terminalId), { exitCode: 4, signal: null })
  t.match(await decider.job(terminalId), { status: 'exited', exit_code: 4 })
  t.equal(await exited.promise, `$ ${command}\nlate\n`)
})

t.test('the agent gets an MCP server whose calls the editor shows', async t => {
  const editor = await startEditor(t)
  editor.answerWith(() => choose('approve'))
  const [server] = await editor.perform('servers')
  t.match(server, { name: 'toolgate', args: ['mcp', '--root', editor.project, '--agent', 'coder'].map(() => String) })
  const mcp = new McpClient({ name: 'agent', version: '1' })
  const { HOME = '', PATH = '', TOOLGATE_ADMIN_CONFIG = '' } = editor.commandOf([]).env as Record<string, string>
  await mcp.connect(
    new StdioClientTransport({ command: server.command, args: server.args, env: { HOME, PATH, TOOLGATE_ADMIN_CONFIG } })
  )
  t.teardown(() => mcp.close())
  const params = { path: 'a.txt', content: 'two\n' }
  t.match(await mcp.callTool({ name: 'write_file', arguments: params }), { content: [{ type: 'text' }] })
  t.equal(editor.read('a.txt'), 'two\n')
  t.match(editor.asked, [{ toolCall: { kind: 'edit' } }])
})

t.test('ends with the agent, and reports one that cannot be started', async t => {
  const { toolgate } = await serveProject(t)
  t.match(await toolgate(['acp', '--', process.execPath, '-e', 'process.exit(7)']), { code: 7 })
  t.match(await toolgate(['acp', '--', '/no/such/agent']), { code: 1, stderr: /The agent was not started/ })
  t.match(await toolgate(['acp']), { code: 2, stderr: /Missing argument <agent>/ })
})
