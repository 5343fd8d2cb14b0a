// Tests that the client covers the API: every operation of openapi.yaml, with every field, has a method.
// tier: quick
import t from 'tap'
import { Client } from '../../src/client/client.ts'
import { HttpTransport } from '../../src/client/http-transport.ts'
import { ROUTES } from '../support/openapi.ts'

const OPERATIONS = ROUTES.map(({ method, path, operation }) => ({
  method,
  path: new RegExp(`^${path.replace('{path}', '.+').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  operation
}))

/** Operations without a method, with the reason. */
const LEFT_OUT: Record<string, string> = {
  sendMcp: 'MCP has clients of its own',
  followMcp: 'MCP has clients of its own',
  endMcp: 'MCP has clients of its own'
}

/** Fields that no method sends, with the reason. */
const UNSAID: Record<string, string> = {
  'health query challenge': 'is for discovery, before there is a client',
  'health query key': 'is for discovery, before there is a client',
  'submitCall query toolset': 'stands in the body',
  'submitBatch query toolset': 'stands in the body',
  'getCall query toolset': 'answers in the words of others have no types',
  'followEvents query toolset': 'answers in the words of others have no types',
  'listApprovals query cursor': 'Pages are read one after the other.',
  'listApprovals query limit': 'Pages are read one after the other.',
  'listDelegations query cursor': 'Pages are read one after the other.',
  'listDelegations query limit': 'Pages are read one after the other.',
  'listModes query cursor': 'Pages are read one after the other.',
  'listModes query limit': 'Pages are read one after the other.',
  'listRules query cursor': 'Pages are read one after the other.',
  'listRules query limit': 'Pages are read one after the other.',
  'showUndo query cursor': 'Pages are read one after the other.',
  'showUndo query limit': 'Pages are read one after the other.',
  'listApprovals query toolset': 'answers in the words of others have no types',
  'approveCall query toolset': 'answers in the words of others have no types',
  'approveCall body approved': 'is what others call a decision',
  'approveCall body modifiedArgs': 'is what others call modified_params',
  'approve query toolset': 'answers in the words of others have no types',
  'approve query wait_ms': 'is for one call',
  'approve body tool_call_id': 'is for one call',
  'approve body stepId': 'is for one call',
  'approve body tool_call_ids': 'names no digests',
  'approve body digest': 'is for one call',
  'approve body whole_digest': 'is for one call',
  'approve body modified_params': 'is for one call',
  'approve body modified_digest': 'is for one call',
  'approve body approved': 'is what others call a decision',
  'approve body modifiedArgs': 'is for one call',
  'reject query toolset': 'answers in the words of others have no types',
  'reject query wait_ms': 'a refused call has ended',
  'reject body tool_call_id': 'is for one call',
  'reject body stepId': 'is for one call',
  'rejectCall query toolset': 'answers in the words of others have no types',
  'rejectCall query wait_ms': 'a refused call has ended',
  'readOutput header last-event-id': 'is for its stream; the method asks anew with wait_ms',
  'followEvents query after': 'is sent as Last-Event-ID, as when resuming',
  'downloadFile header if-none-match': 'a 304 has no content: the ETag can be compared',
  'getTool query format': 'a listing has the tool in that form',
  'listTools header if-none-match': 'an answer is not kept'
}

const call = {
  toolset: 't',
  session_id: 's',
  workspace: 'w',
  context: 'c',
  agent: 'a',
  background: true,
  executor: 'client'
} as const
const request = { ...call, timeout_ms: 1, if_match: 'm', tool_call_id: 'i' }
const options = { ...request, wait_ms: 1, on_disconnect: 'cancel', idempotency_key: 'k' } as const
const rejection = { reason: 'r', user_message: 'u', comments: [{ path: 'p', line: 1, text: 't' }] }
const listed = { agent: 'a', toolset: 't', workspace: 'w' }

/** Each method with all its options, by name. */
const METHODS: Record<string, (client: Client) => unknown> = {
  call: client => client.call('t', {}, { ...options, fresh: true }),
  stream: client => client.stream('t', {}, options).next(),
  dryRun: client => client.dryRun('t', {}, request),
  dryRunModified: client => client.dryRunModified({ tool: 't', session_id: 's', workspace: 'w' }, {}),
  explain: client => client.explain('t', {}, request),
  batch: client => client.batch([], { stop_on_error: true, wait_ms: 1, idempotency_key: 'k' }),
  calls: client =>
    client.calls({
      status: 'success',
      tool: 't',
      session_id: 's',
      workspace: 'w',
      path: 'p',
      id_prefix: 'tc_',
      since: 's',
      until: 'u',
      cursor: 'c',
      limit: 1
    }),
  get: client => client.get('i', { wait_ms: 1 }),
  cancel: client => client.cancel('i', { reason: 'r' }),
  background: client => client.background('i'),
  purge: client => client.purge('i'),
  jobs: client => client.jobs({ status: 'running', session_id: 's', workspace: 'w' }),
  job: client => client.job('i'),
  sendInput: client => client.sendInput('i', { text: 't', end: true, resize: { cols: 1, rows: 1 } }),
  openPort: client => client.openPort('i', 5_173),
  output: client => client.output('i', { stream: 'stdout', offset: 0, limit: 1, wait_ms: 1 }),
  approvals: client => client.approvals(),
  approve: client =>
    client.approve('i', {
      digest: 'd',
      modified_params: {},
      modified_digest: 'd',
      whole_digest: 'w',
      always: 'a',
      always_limits: { uses: 1 },
      confirm: true,
      reason: 'r',
      wait_ms: 1
    }),
  approveAll: client =>
    client.approveAll([{ tool_call_id: 'i', digest: 'd', whole_digest: 'w' }], {
      always: 'a',
      always_limits: { uses: 1 },
      confirm: true,
      reason: 'r'
    }),
  previewUndo: client => client.previewUndo('i', { scope: 'call', paths: ['p'], agent: 'a' }),
  sessionChanges: client => client.sessionChanges('s', { workspace: 'w', cursor: 'c', limit: 1 }),
  undo: client =>
    client.undo('i', {
      scope: 'call',
      paths: ['p'],
      digest: 'd',
      confirm: true,
      session_id: 's',
      context: 'c',
      agent: 'a',
      background: true,
      tool_call_id: 'i',
      wait_ms: 1,
      idempotency_key: 'k'
    }),
  reject: client => client.reject('i', rejection),
  rejectAll: client => client.rejectAll(['i'], rejection),
  tools: client => client.tools(listed),
  tool: client => client.tool('t', listed),
  toolDefinitions: client => client.toolDefinitions('mcp', listed),
  toolCalls: client =>
    client.toolCalls('openai', {}, { ...listed, session_id: 's', context: 'c', wait_ms: 1, on_disconnect: 'cancel' }),
  modes: client => client.modes(),
  setMode: client =>
    client.setMode('s', { mode: 'plan', workspace: 'w', token_id: 't', expires_at: '2100-01-01T00:00:00Z' }),
  clearMode: client => client.clearMode('s', { workspace: 'w', token_id: 't' }),
  shells: client => client.shells('s', { workspace: 'w', token_id: 't' }),
  resetShell: client => client.resetShell('s', 'n', { workspace: 'w', token_id: 't' }),
  rules: client => client.rules(),
  addRule: client =>
    client.addRule({
      effect: 'allow',
      match: {},
      scope: 'user',
      session_id: 's',
      workspace: 'w',
      reason: 'r',
      expires_at: null,
      for: '1h',
      uses: 1,
      approvals: 1,
      expires_after: '1h',
      limit: { calls: 1, per: '1h' }
    }),
  revokeRule: client => client.revokeRule('i'),
  testRules: client => {
    const calls = { since: '2100-01-01T00:00:00Z', session_id: 's', workspace: 'w', limit: 1 }
    return Promise.all([
      client.testRules({ rule: { effect: 'allow', match: {}, scope: 'user' }, ...calls }),
      client.testRules({ rules: [{ effect: 'allow', match: {}, scope: 'user' }], ...calls }),
      client.testRules({ revoke: 'i', ...calls }),
      client.testRules({ mode: 'plan', ...calls })
    ])
  },
  notifications: client => client.notifications(),
  testNotifications: client => client.testNotifications({ channel: 'c' }),
  subscribeToPush: client =>
    client.subscribeToPush({ endpoint: 'https://push.example', keys: { p256dh: 'p', auth: 'a' } }),
  unsubscribeFromPush: client => client.unsubscribeFromPush('s'),
  mcpServers: client => client.mcpServers(),
  mcpLogin: client => client.mcpLogin('n', { workspace: 'w' }),
  controlMcpServer: client =>
    Promise.all([
      client.controlMcpServer('logout', 'n', { workspace: 'w' }),
      client.controlMcpServer('restart', 'n', { workspace: 'w' })
    ]),
  putBuffers: client => client.putBuffers([], { client_id: 'c', workspace: 'w', lease_ms: 1 }),
  dropBuffers: client => client.dropBuffers({ client_id: 'c', workspace: 'w', path: 'p' }),
  buffers: client => client.buffers({ workspace: 'w', content: true }),
  delegations: client => client.delegations({ client_id: 'c' }),
  delegation: client => client.delegation('i'),
  answerDelegation: client =>
    client.answerDelegation('i', {
      status: 'done',
      reason: 'r',
      content_hash: 'h',
      diagnostics: [],
      decision: 'accepted',
      content: 'c',
      comment: 'c'
    }),
  preview: client => client.preview('i', { digest: 'd' }),
  digest: client => client.digest('i'),
  downloadFile: client =>
    client.downloadFile('a/b c', {
      range: 'bytes=0-1',
      if_match: '"e"',
      if_range: '"e"',
      tool_call_id: 'i',
      session_id: 's',
      workspace: 'w',
      context: 'c',
      agent: 'a',
      wait_ms: 1
    }),
  uploadFile: client =>
    client.uploadFile('a/b c', 'x', {
      if_match: '"e"',
      if_none_match: '*',
      create_dirs: false,
      session_id: 's',
      workspace: 'w',
      context: 'c',
      agent: 'a',
      wait_ms: 1
    }),
  createOneTimeCode: client => client.createOneTimeCode({ rights: ['call'] }),
  openSession: client => client.openSession('c'),
  nameSession: client => client.nameSession('Ada'),
  tokens: client => client.tokens(),
  issueToken: client => client.issueToken({ name: 'n', rights: ['call'], agent: 'a', expires_in_ms: 1 }),
  revokeToken: client => client.revokeToken('i'),
  stats: client => client.stats(),
  metrics: client => client.metrics(),
  previewText: client => client.previewText('/calls/i/preview/0/before?digest=d'),
  state: client => client.state(),
  health: client => client.health(),
  capabilities: client => client.capabilities(),
  events: client =>
    client
      .events({
        after: 1,
        types: ['tool.call'],
        session_id: 's',
        workspace: 'w',
        tool_call_id: 'i',
        effects: ['editor.open'],
        client_id: 'c'
      })
      .next(),
  // Follows events and answers delegations through the methods above.
  registerFrontEnd: client => client.registerFrontEnd({}).close()
}

/** Returns the operations that `speak` sends, and the fields of each. */
async function sent(speak: (client: Client) => unknown): Promise<{ operation: string; fields: string[] }[]> {
  const all: { operation: string; fields: string[] }[] = []
  class Ear extends HttpTransport {
    override json<T>(...heard: Parameters<HttpTransport['json']>): Promise<T> {
      return this.#hear(heard) as never
    }
    override text(...heard: Parameters<HttpTransport['text']>): Promise<string> {
      return this.#hear(heard) as never
    }
    override stream(...heard: Parameters<HttpTransport['stream']>): Promise<Response> {
      return this.#hear(heard) as never
    }
    override bytes(...heard: Parameters<HttpTransport['bytes']>): Promise<Response> {
      return this.#hear(heard) as never
    }
    async #hear([method, target, { body, query, headers }]: Parameters<HttpTransport['json']>): Promise<never> {
      const { pathname, searchParams } = new URL(target, 'http://host')
      const found = OPERATIONS.find(each => each.method === method && each.path.test(pathname))
      const given = { ...Object.fromEntries(searchParams), ...query }
      const fields = Object.entries({ query: given, header: headers ?? {}, body: (body ?? {}) as object })
        .flatMap(([place, values]) =>
          Object.entries(values).map(([name, value]) => value !== undefined && `${place} ${name}`)
        )
        .filter(field => field !== false)
      all.push({ operation: found?.operation.operationId ?? `${method} ${target}`, fields })
      throw new Error('heard')
    }
  }
  const client = new Client(new Ear({ url: 'http://host', token: 't' }))
  await Promise.resolve(speak(client)).catch((error: Error) => {
    if (error.message !== 'heard') throw error
  })
  return all
}

t.test('every operation has a method, and every method an operation', async t => {
  const names = Object.getOwnPropertyNames(Client.prototype).filter(name => !/^(?:constructor|connection)$/.test(name))
  t.same(Object.keys(METHODS).sort(), names.sort(), 'every method is here')
  const heard = await Promise.all(Object.values(METHODS).map(sent))
  const said = new Set(heard.flat().map(({ operation }) => operation))
  const known = OPERATIONS.map(({ operation }) => operation.operationId)
  t.same([...said, ...Object.keys(LEFT_OUT)].sort(), known.sort())
})

t.test('methods send every field of an operation, and no other', async t => {
  const said = new Set<string>()
  for (const speak of Object.values(METHODS))
    for (const { operation, fields } of await sent(speak)) for (const field of fields) said.add(`${operation} ${field}`)
  const known = OPERATIONS.flatMap(({ operation: { operationId, parameters = [], requestBody } }) =>
    operationId in LEFT_OUT
      ? []
      : [
          ...parameters.filter(each => each.in !== 'path').map(each => `${operationId} ${each.in} ${each.name}`),
          ...Object.keys(requestBody?.content['application/json']?.schema.properties ?? {}).map(
            name => `${operationId} body ${name}`
          )
        ]
  )
  // Instrumentation of `fetch` sends the trace context.
  const own = known.filter(field => !field.endsWith(' header traceparent'))
  t.same([...said, ...Object.keys(UNSAID)].sort(), own.sort())
})
