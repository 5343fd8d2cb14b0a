// Examples of openapi.yaml: one for each operation, of its request or its response. test/openapi-examples.test.ts sends them all to a
// server.

export const CALL_ID = 'tc_01K9ZQ4T8B3V5X7Y9Z1A2B3C4D'
export const DIGEST = 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c'
export const EXAMPLE_CODE = '3q2-7wEEAAD9a1'
export const EXAMPLE_IDS = {
  rule: 'rule_01K9ZQ4T8B3V5X7Y9Z1A2B3C4D',
  token: 'tok_01K9ZQ4T8B3V5X7Y9Z1A2B3C4D',
  delegation: 'dg_01K9ZQ4T8B3V5X7Y9Z1A2B3C4D'
}
const HASH = `sha256:${DIGEST}`
const TIME = '2026-01-31T12:00:00.000Z'
const LATER = '2026-01-31T13:00:00.000Z'

/** Values of parameters that must be given. */
/** That of the endpoint in the example of a subscription. */
export const PUSH_SUBSCRIPTION = 'gQbLRiHPgb1LCGDL6Sqn5N'

export const PARAMETER_EXAMPLES: Readonly<Record<string, unknown>> = {
  id: CALL_ID,
  path: 'src/main.ts',
  file: 0,
  side: 'after',
  digest: DIGEST,
  name: 'grep',
  port: 5173,
  session_id: 'refactoring',
  subscription_id: PUSH_SUBSCRIPTION,
  'mcp-session-id': '5f0c8a52-3f3e-4a5b-9d55-6d1f0b6c7a10'
}

/** The same where the name means something else. */
export const OPERATION_PARAMETERS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  revokeRule: { id: EXAMPLE_IDS.rule },
  revokeToken: { id: EXAMPLE_IDS.token },
  getDelegation: { id: EXAMPLE_IDS.delegation },
  answerDelegation: { id: EXAMPLE_IDS.delegation },
  resetShell: { name: 'build' },
  runToolCalls: { format: 'openai' },
  loginToMcpServer: { name: 'tickets' },
  logoutMcpServer: { name: 'tickets' },
  restartMcpServer: { name: 'tickets' }
}

const CALL_FIELDS = {
  tool_call_id: CALL_ID,
  session_id: 'refactoring',
  workspace: 'default',
  background: false,
  client: 'my-agent',
  created_at: TIME
}
const SUCCESSFUL_CALL = {
  status: 'success',
  tool: 'read_file',
  params: { path: 'src/main.ts' },
  ...CALL_FIELDS,
  attempts: 1,
  timeout_ms: 5_000,
  approved_by: { source: 'auto', at: TIME },
  started_at: TIME,
  finished_at: TIME,
  execution_time_ms: 1.5,
  result: {
    title: 'src/main.ts',
    content: '     1\tlet x = 1\n',
    data: { content: 'let x = 1\n' },
    metadata: {},
    attachments: [],
    truncated: false
  }
}
const WAITING_CALL = {
  status: 'awaiting_approval',
  tool: 'write_file',
  params: { path: 'src/main.ts', content: 'let x = 2\n' },
  ...CALL_FIELDS,
  attempts: 0,
  timeout_ms: 10_000,
  approval: {
    level: 'ask',
    preview: { title: 'src/main.ts', diff: '@@ -1 +1 @@\n-let x = 1\n+let x = 2\n' },
    digest: DIGEST,
    reason: 'It changes a file.',
    matched_rules: [],
    expires_at: LATER,
    available_decisions: ['approve', 'reject'],
    always_options: []
  }
}
const JOB = {
  task_id: CALL_ID,
  tool: 'shell_background',
  session_id: 'refactoring',
  workspace: 'default',
  client: 'my-agent',
  command: 'npm run dev',
  cwd: '.',
  isolation: 'none',
  interactive: true,
  status: 'running',
  started_at: TIME,
  output_bytes: 20
}
const RULE = {
  rule_id: EXAMPLE_IDS.rule,
  effect: 'allow',
  match: { tool: 'shell_exec', command: 'npm test' },
  scope: 'user',
  expires_at: null,
  used: 4,
  created_at: TIME,
  created_by: 'console'
}
const MODE = {
  session_id: 'refactoring',
  workspace: 'default',
  mode: 'accept-edits',
  expires_at: null,
  set_at: TIME,
  set_by: 'ada'
}
const TOKEN = {
  token_id: EXAMPLE_IDS.token,
  name: 'ci',
  kind: 'token',
  rights: ['call'],
  created_at: TIME,
  expires_at: LATER
}
const DELEGATION = {
  delegation_id: EXAMPLE_IDS.delegation,
  effect: 'editor.apply_edit',
  client_id: 'emacs-1',
  params: { path: 'src/main.ts', content: 'let x = 2\n' },
  tool_call_id: CALL_ID,
  session_id: 'refactoring',
  workspace: 'default'
}
const BUFFER = {
  path: 'src/main.ts',
  client_id: 'emacs-1',
  client: 'emacs',
  hash: HASH,
  size: 10,
  updated_at: TIME
}
const MCP_SERVER = {
  name: 'tickets',
  workspace: 'default',
  transport: 'stdio',
  state: 'ready',
  trusted: true,
  tools: 4,
  restarts: 0
}

/** Examples of several operations. */
export const SHARED_EXAMPLES = { SuccessfulCall: SUCCESSFUL_CALL, WaitingCall: WAITING_CALL }

/** Names of the shared examples of responses, by operation and status. */
export const CALL_EXAMPLES: Readonly<Record<string, Readonly<Record<string, keyof typeof SHARED_EXAMPLES>>>> = {
  submitCall: { 200: 'SuccessfulCall', 202: 'WaitingCall' },
  getCall: { 200: 'SuccessfulCall' }
}

/** Bodies of requests. */
export const REQUEST_EXAMPLES: Readonly<Record<string, unknown>> = {
  submitCall: { tool: 'read_file', params: { path: 'src/main.ts' }, session_id: 'refactoring' },
  submitBatch: { calls: [{ tool: 'grep', params: { pattern: 'export' } }, { tool: 'todo_read' }] },
  runToolCalls: {
    role: 'assistant',
    tool_calls: [
      { id: 'call_1', type: 'function', function: { name: 'read_file', arguments: '{"path":"src/main.ts"}' } }
    ]
  },
  cancelCall: { reason: 'It is no longer needed.' },
  purgeCall: {},
  writeInput: { text: 'yes\n' },
  undoCall: { scope: 'call', paths: ['src/main.ts'] },
  approve: { calls: [{ tool_call_id: CALL_ID, digest: DIGEST }] },
  approveCall: { digest: DIGEST },
  reject: { tool_call_ids: [CALL_ID], user_message: 'Open a pull request instead.' },
  rejectCall: { reason: 'Not on this branch.', user_message: 'Open a pull request instead.' },
  addRule: { effect: 'allow', match: { tool: 'shell_exec', command: 'npm test' }, scope: 'user' },
  testRules: { since: TIME, rule: { effect: 'deny', match: { tool: 'web_fetch' }, scope: 'user' } },
  subscribeToPush: {
    endpoint: 'https://push.example.com/send/c0ffee',
    keys: {
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg'
    }
  },
  setMode: { mode: 'accept-edits', expires_at: '2100-01-31T12:00:00.000Z' },
  explainPolicy: { tool: 'shell_exec', params: { command: 'git push' } },
  putBuffers: { client_id: 'emacs-1', buffers: [{ path: 'src/main.ts', content: 'let x = 3\n' }] },
  answerDelegation: { status: 'done' },
  sendMcp: {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'my-agent', version: '1' } }
  },
  loginToMcpServer: { workspace: 'default' },
  logoutMcpServer: { workspace: 'default' },
  restartMcpServer: { workspace: 'default' },
  makeCode: { rights: ['call', 'approve'] },
  openSession: { code: EXAMPLE_CODE },
  nameSession: { name: 'Ada' },
  issueToken: { name: 'ci', rights: ['call'], expires_in_ms: 3_600_000 }
}

/** JSON responses, of the first status of success. */
export const RESPONSE_EXAMPLES: Readonly<Record<string, unknown>> = {
  runToolCalls: {
    messages: [{ role: 'tool', tool_call_id: 'call_1', content: '     1\tlet x = 1' }],
    calls: [{ id: 'call_1', tool_call_id: CALL_ID, status: 'success' }],
    pending: []
  },
  listCalls: { calls: [SUCCESSFUL_CALL], cursor: null },
  readOutput: { text: 'Listening on 5173\n', offset: 0, next_offset: 18, ended: false },
  listJobs: { jobs: [JOB] },
  getJob: JOB,
  openPort: { url: 'http://127.0.0.1:7700/ports/1/open?code=3q2', expires_at: LATER },
  showUndo: { available: true, files: [{ path: 'src/main.ts', action: 'restore' }], digest: DIGEST },
  listChanges: {
    session_id: 'refactoring',
    workspace: 'default',
    first_call: CALL_ID,
    total: 1,
    calls: [{ tool_call_id: CALL_ID, tool: 'edit_file', status: 'success', client: 'my-agent', finished_at: TIME }],
    files: [
      {
        path: 'src/main.ts',
        operation: 'modified',
        added: 1,
        removed: 1,
        diff: '@@ -1 +1 @@\n-let x = 1\n+let x = 2\n',
        changed_since: false,
        calls: [CALL_ID]
      }
    ]
  },
  listApprovals: { approvals: [WAITING_CALL] },
  previewCall: {
    tool_call_id: CALL_ID,
    digest: DIGEST,
    preview: { title: 'src/main.ts' },
    files: [{ path: 'src/main.ts', before: 'let x = 1\n', after: 'let x = 2\n' }]
  },
  digestCall: { tool_call_id: CALL_ID, digest: DIGEST },
  followEvents: {
    type: 'tool.call',
    seq: 41,
    time: TIME,
    tool_call_id: CALL_ID,
    tool: 'read_file',
    params: {},
    client: 'my-agent',
    requires_approval: false
  },
  listTools: { tools: [{ name: 'grep', description: 'Searches file contents.' }] },
  getTool: {
    name: 'grep',
    category: 'search',
    description: 'Searches file contents.',
    input: { type: 'object' },
    output: { type: 'object' },
    primary: 'pattern',
    effect: 'read',
    timeout_ms: 30_000,
    idempotent: true
  },
  listRules: { rules: [RULE] },
  revokeRule: RULE,
  listModes: { default: 'ask', modes: [MODE] },
  clearMode: { default: 'ask', modes: [] },
  listNotifications: {
    channels: [
      { name: 'phone', kind: 'ntfy', pending: 0, last_error: { time: TIME, message: 'ntfy.sh returned status 429' } }
    ],
    subscriptions: []
  },
  unsubscribeFromPush: { channels: [], subscriptions: [] },
  testNotifications: {
    results: [{ channel: 'phone', kind: 'ntfy', accepted: false, error: 'ntfy.sh returned status 429' }]
  },
  listShells: { shells: [{ name: 'build', cwd: 'web', variables: ['NODE_ENV'], updated_at: TIME }] },
  resetShell: { shells: [] },
  listBuffers: { buffers: [BUFFER] },
  dropBuffers: { client_id: 'emacs-1', expires_at: null, buffers: [] },
  listDelegations: { delegations: [DELEGATION] },
  getDelegation: DELEGATION,
  listMcpServers: { servers: [MCP_SERVER] },
  listTokens: { tokens: [TOKEN] },
  revokeToken: TOKEN,
  health: { instance: 'a1b2c3d4', version: '0.1.0', protocol: 1 },
  state: {
    instance: 'a1b2c3d4',
    journal_id: '0123456789ab',
    head: 41,
    pending: [],
    running: [],
    jobs: [],
    delegations: [],
    sessions: { refactoring: 'awaiting_approval' }
  },
  capabilities: { protocol: 1 },
  metrics: 'toolgate_pending_approvals 0\n',
  stats: {
    since: TIME,
    tools: [],
    server: { uptime_ms: 60_000, rss_bytes: 130_000_000, streams: 1 },
    approval_wait: { total: 0, average_ms: null, p50_ms: null, p95_ms: null },
    minutes: []
  }
}
