// Tests of the examples of openapi.yaml: the request of each operation is sent as it stands there, with ids of the server, and the
// response has the form of the example.
// tier: full
// run: cheap
import t, { type Test } from 'tap'
import {
  CALL_ID,
  DIGEST,
  EXAMPLE_CODE,
  EXAMPLE_IDS,
  PUSH_SUBSCRIPTION,
  REQUEST_EXAMPLES
} from '../scripts/openapi/examples.ts'
import { defaultSettings } from '../src/config/merge.ts'
import { scriptedServer, waitForState, withMcpServers } from './host/mcp/scripted-settings.ts'
import { type Json, type StartOptions, startApp, type TestApp, TOKEN } from './start-app.ts'
import { findFreePort } from './support/free-port.ts'
import { dependsOn } from './support/needs.ts'
import { type Operation, ROUTES, type Route, resolveReference } from './support/openapi.ts'
import { runApproved, startJob, waitForOutput } from './tools/commands/jobs.ts'

/** Real values by the values of the examples. */
type Replacements = Record<string, unknown>

/** Prepares the server for an example; returns the real values. */
type Setup = (app: TestApp) => Promise<Replacements>

const SESSION = { session_id: 'refactoring' }
const MCP_ACCEPT = { accept: 'application/json, text/event-stream' }

/** The channel has no secret, so that nothing is sent. */
async function testChannel(app: TestApp) {
  await app.post('/notifications/test', {})
  return {}
}

async function registerBrowser(app: TestApp) {
  const { subscription_id } = await app.post('/notifications/subscriptions', REQUEST_EXAMPLES.subscribeToPush)
  return { [PUSH_SUBSCRIPTION]: subscription_id }
}

async function waitForDecision(app: TestApp) {
  const call = await app.call('write_file', { path: 'src/main.ts', content: 'let x = 2\n' }, SESSION)
  return { [CALL_ID]: call.tool_call_id, [DIGEST]: call.approval.digest }
}

async function changeFile(app: TestApp) {
  const call = await runApproved(app, 'write_file', { path: 'src/main.ts', content: 'let x = 2\n' }, SESSION)
  return { [CALL_ID]: call.tool_call_id }
}

async function readFile(app: TestApp) {
  return { [CALL_ID]: (await app.call('read_file', { path: 'src/main.ts' }, SESSION)).tool_call_id }
}

async function startDevServer(app: TestApp) {
  dependsOn('linux')
  const port = await findFreePort()
  const script = `require('http').createServer((_, answer) => answer.end()).listen(${port}, '127.0.0.1', () => console.log('Listening'))`
  const task_id = await startJob(app, `node -e "${script}"`, { ports: [port], interactive: true })
  await waitForOutput(app, task_id, 'Listening')
  return { [CALL_ID]: task_id, 5173: port }
}

async function runCommand(app: TestApp) {
  const events = await app.events('?types=agent.state')
  const call = await app.call('shell_exec', { command: 'sleep 600' })
  await app.post(`/calls/${call.tool_call_id}/approve`, { digest: call.approval.digest })
  await events.type('agent.state', ({ state }) => state === 'tool_execution')
  return { [CALL_ID]: call.tool_call_id }
}

async function saveRule(app: TestApp) {
  const rule = await app.post('/rules', REQUEST_EXAMPLES.addRule)
  return { [EXAMPLE_IDS.rule]: rule.rule_id }
}

async function issueToken(app: TestApp) {
  return { [EXAMPLE_IDS.token]: (await app.post('/tokens', { name: 'ci', rights: ['call'] })).token_id }
}

async function setMode(app: TestApp) {
  await readFile(app)
  await app.request('PUT', '/sessions/refactoring/mode', { mode: 'accept-edits' })
  return {}
}

async function useNamedShell(app: TestApp) {
  await runApproved(app, 'shell_exec', { command: 'export NODE_ENV=test', shell: 'build' }, SESSION)
  return {}
}

async function holdBuffer(app: TestApp) {
  const buffers = [{ path: 'src/main.ts', content: 'let x = 3\n' }]
  await app.request('PUT', '/buffers', { client_id: 'emacs-1', buffers })
  return {}
}

/** Makes a call wait for an editor that holds the file. */
async function delegate(app: TestApp) {
  const events = await app.events('?client_id=emacs-1&effects=editor.apply_edit&types=tool.delegate')
  await holdBuffer(app)
  const call = await app.call('write_file', { path: 'src/main.ts', content: 'let x = 2\n' }, SESSION)
  await app.post(`/calls/${call.tool_call_id}/approve`, { digest: call.approval.digest })
  const [{ delegation_id }] = (await events.type('tool.delegate')).slice(-1) as [Json]
  return { [EXAMPLE_IDS.delegation]: delegation_id }
}

async function connectMcpServer(app: TestApp) {
  await waitForState(app, 'tickets', 'ready')
  return {}
}

async function makeCode(app: TestApp) {
  return { [EXAMPLE_CODE]: (await app.post('/codes', {})).code }
}

/** Preparations by operation. */
const SETUPS: Record<string, Setup> = {
  listCalls: readFile,
  getCall: readFile,
  purgeCall: readFile,
  backgroundCall: runCommand,
  cancelCall: waitForDecision,
  readOutput: startDevServer,
  listJobs: startDevServer,
  getJob: startDevServer,
  openPort: startDevServer,
  writeInput: startDevServer,
  showUndo: changeFile,
  undoCall: changeFile,
  listChanges: changeFile,
  listApprovals: waitForDecision,
  previewCall: waitForDecision,
  digestCall: waitForDecision,
  previewText: waitForDecision,
  approve: waitForDecision,
  approveCall: waitForDecision,
  reject: waitForDecision,
  rejectCall: waitForDecision,
  state: waitForDecision,
  listRules: saveRule,
  revokeRule: saveRule,
  setMode: readFile,
  listModes: setMode,
  clearMode: setMode,
  listShells: useNamedShell,
  resetShell: useNamedShell,
  listBuffers: holdBuffer,
  dropBuffers: holdBuffer,
  listDelegations: delegate,
  getDelegation: delegate,
  answerDelegation: delegate,
  listMcpServers: connectMcpServer,
  restartMcpServer: connectMcpServer,
  logoutMcpServer: connectMcpServer,
  loginToMcpServer: connectMcpServer,
  listNotifications: testChannel,
  unsubscribeFromPush: registerBrowser,
  openSession: makeCode,
  listTokens: issueToken,
  revokeToken: issueToken
}

const SETTINGS: StartOptions = {
  settings: {
    buffers: { ...defaultSettings().buffers, on_write: 'delegate' },
    notifications: {
      ...defaultSettings().notifications,
      channels: {
        phone: { kind: 'webhook', url: 'https://example.com', secret_env: 'TEST_WITHOUT_SECRET' },
        browsers: { kind: 'web-push' }
      }
    }
  }
}
const WITH_MCP_SERVER: StartOptions = {
  settings: { ...SETTINGS.settings, ...withMcpServers({ tickets: scriptedServer() }) }
}

/** Statuses of examples that are refused here: this server has no login. */
const REFUSED: Record<string, number> = { loginToMcpServer: 409 }

for (const route of ROUTES)
  t.test(`the example of ${route.operation.operationId}`, async t => {
    const { operationId } = route.operation
    const setUp = SETUPS[operationId]
    const options = setUp === connectMcpServer ? WITH_MCP_SERVER : SETTINGS
    const app = await startApp(t, { 'src/main.ts': 'let x = 1\n' }, options)
    const real = (await setUp?.(app)) ?? {}
    const response = await send(app, route, real)
    const { status } = response
    const refused = REFUSED[operationId]
    if (refused !== undefined) return t.equal(status, refused)
    t.ok(
      status >= 200 && status < 300 && String(status) in route.operation.responses,
      `${status} ${status < 300 ? '' : await response.text()}`
    )
    const example = exampleOf(route.operation.responses[status]!)
    if (!/json/.test(response.headers.get('content-type') ?? '')) await response.body?.cancel()
    else if (example !== undefined) assertForm(t, example, await response.json(), operationId)
  })

/** Sends the example of a route, with real values. */
async function send(app: TestApp, { method, path, operation }: Route, real: Replacements): Promise<Response> {
  const { operationId, parameters = [], requestBody } = operation
  const given = parameters
    .filter(({ required }) => required)
    .map(({ in: place, name, example }) => ({ place, name, value: String(substitute(example, real)) }))
  const inPlace = (place: string) => given.filter(each => each.place === place)
  const target = inPlace('path').reduce((url, { name, value }) => url.replace(`{${name}}`, value), path)
  const query = new URLSearchParams(Object.fromEntries(inPlace('query').map(({ name, value }) => [name, value])))
  const json = requestBody?.content['application/json']
  const body = json ? JSON.stringify(substitute(json.example, real)) : requestBody && 'let x = 2\n'
  const token = operationId === 'nameSession' ? await openSession(app) : TOKEN
  return fetch(`${app.url}${target}?${query}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(json && { 'content-type': 'application/json' }),
      ...(operationId.endsWith('Mcp') && MCP_ACCEPT),
      ...(operationId.endsWith('Mcp') && method !== 'POST' && { 'mcp-session-id': await openMcpSession(app) })
    },
    ...(body !== undefined && { body })
  })
}

async function openSession(app: TestApp): Promise<string> {
  const { code } = await app.post('/codes', {})
  return (await app.post('/session', { code })).token
}

async function openMcpSession(app: TestApp): Promise<string> {
  const { headers } = await app.request('POST', '/mcp', REQUEST_EXAMPLES.sendMcp, MCP_ACCEPT)
  return headers.get('mcp-session-id')!
}

/** Replaces values of an example by the real ones, at any depth. */
function substitute(example: unknown, real: Replacements): unknown {
  if (Array.isArray(example)) return example.map(each => substitute(each, real))
  if (typeof example === 'object' && example !== null)
    return Object.fromEntries(Object.entries(example).map(([key, value]) => [key, substitute(value, real)]))
  return real[String(example)] ?? example
}

/** Returns the example of a JSON response; undefined if it has none. */
function exampleOf({ content }: Operation['responses'][string]): unknown {
  const { example, examples } = content?.['application/json'] ?? {}
  return example ?? (examples && resolveReference(Object.values(examples)[0]!).value)
}

/** Checks that the response has all fields of the example, with values of the same types. */
function assertForm(t: Test, example: unknown, actual: unknown, place: string) {
  if (example === null || typeof example !== 'object') {
    t.equal(actual === null ? 'null' : typeof actual, example === null ? 'null' : typeof example, place)
    return
  }
  if (Array.isArray(example)) {
    t.ok(Array.isArray(actual) && actual.length >= Math.min(1, example.length), place)
    if (example.length > 0) assertForm(t, example[0], (actual as unknown[])[0], `${place}/0`)
    return
  }
  for (const [key, value] of Object.entries(example))
    assertForm(t, value, (actual as Record<string, unknown> | undefined)?.[key], `${place}/${key}`)
}
