// Tests of the lifecycle of language servers: shared, restarted after a crash, stopped when they hang, use too much or are idle,
// and none outlives the host.
// tier: full
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { waitForExit } from '../../acceptance/fixture.ts'
import { createProject } from '../../cli/toolgate.ts'
import type { Json } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { waitUntil } from '../../support/wait.ts'
import { FAKE_SERVER, fakeServerSettings, startWithFakeServer } from './fake-fixture.ts'

const FILES = { 'a.yaml': 'a: 1\n', 'b.yaml': 'b: 2\n' }

// Each test has its own server and mostly waits for language servers.
t.jobs = 3

t.test('all calls share one process, initialized with its project', needs('sandbox'), async t => {
  const app = await startWithFakeServer(t, FILES)
  t.same(await app.states(), [], 'none runs before it is needed')
  const [a, b] = await Promise.all([app.told('a.yaml'), app.told('b.yaml')])
  t.equal(a.pid, b.pid)
  t.same([a.text, b.text], [FILES['a.yaml'], FILES['b.yaml']])
  await app.until(({ state }) => state === 'ready')
  t.match(await app.states(), [
    { server: 'yaml-language-server', root: '.', state: 'ready', pid: Number, memory_bytes: Number, restarts: 0 }
  ])
})

t.test('answers every server request', needs('sandbox'), async t => {
  const asks = [
    'workspace/configuration',
    'workspace/workspaceFolders',
    'workspace/applyEdit',
    'window/workDoneProgress/create',
    'window/showMessageRequest',
    'workspace/diagnostic/refresh',
    'its/own'
  ]
  const params = { 'workspace/configuration': { items: [{ section: 'yaml.validate' }, { section: 'none.such' }, {}] } }
  const app = await startWithFakeServer(t, FILES, { behaviour: { asks, params } })
  const answers: Json[] = []
  while (answers.length < asks.length) answers.push(...answersIn(await app.told('a.yaml')))
  const uri = `file://${app.root}`
  t.match(answers, [
    [true, null, { yaml: { validate: true } }],
    [{ uri, name: 'ws' }],
    { applied: false },
    null,
    null,
    null,
    null
  ])
})

/** Returns our responses to it. */
const answersIn = ({ log }: Json) => log.flatMap((each: Json) => ('answer' in each ? [each.answer] : []))

t.test('reports a crash during a query at once, and restarts the server', needs('sandbox'), async t => {
  const app = await startWithFakeServer(t, { ...FILES, 'ends.yaml': 'exit 3\n' })
  const first = await app.told('a.yaml')
  t.match(await app.error('ends.yaml'), {
    code: 'LSP_UNAVAILABLE',
    message: 'The language server yaml-language-server does not answer: the server exited with code 3.',
    details: { server: 'yaml-language-server', exit_code: 3, stderr: 'ending with 3' }
  })
  t.match(await app.states(), [{ state: 'failed', restarts: 0, reason: /code 3/ }])
  t.not((await app.told('a.yaml')).pid, undefined)
  t.match(await app.until(({ state }) => state === 'ready'), { restarts: 1 })
  t.ok(first.text, 'the first run had answered')
})

t.test('backs off from a server that never starts, and reports its last output', needs('sandbox'), async t => {
  const app = await startWithFakeServer(t, FILES, { behaviour: { initialize: 'exit' } })
  const details = { exit_code: 7, stderr: 'ending with 7' }
  for (let i = 0; i < 2; i++) t.match(await app.error('a.yaml'), { code: 'LSP_UNAVAILABLE', details })
  t.match(await app.states(), [
    { reason: 'The language server yaml-language-server does not answer: the server exited with code 7.' }
  ])
  // Each backoff is longer than the one before: a busy machine may outlast the first.
  let error = await app.error('a.yaml')
  while (error.details.retry_in_ms === undefined) error = await app.error('a.yaml')
  t.match(error, {
    code: 'LSP_UNAVAILABLE',
    message: /exited with code 7.* The language server has ended \d+ times in a row\. It is restarted after \d+ ms/,
    details: { ...details, retry_in_ms: Number, install: String }
  })
  t.match(await app.states(), [{ state: 'failed' }])
  // The cause of the failure is removed.
  rmSync(path.join(app.root, 'fake.json'))
  await waitUntil('a server that answers', async () => {
    const { body } = await app.request('POST', '/calls', {
      tool: 'hover',
      params: { path: 'a.yaml', line: 1, col: 1 }
    })
    return body.status === 'success'
  })
  t.match(await app.until(({ state }) => state === 'ready'), { server: 'yaml-language-server' })
})

t.test('ends a server that is not ready in time', needs('sandbox'), async t => {
  const app = await startWithFakeServer(t, FILES, { behaviour: { initialize: 'hang' }, settings: { start_ms: 300 } })
  t.match(await app.error('a.yaml'), { code: 'LSP_UNAVAILABLE', message: /could not be started/ })
})

t.test('ends a server that hangs, after some queries', needs('sandbox'), async t => {
  const app = await startWithFakeServer(t, { ...FILES, 'hangs.yaml': 'hang\n' }, { settings: { answer_ms: 200 } })
  await app.told('a.yaml')
  // Until then its timeout is longer.
  await app.until(({ state }) => state === 'ready')
  for (let i = 0; i < 3; i++)
    t.match(await app.error('hangs.yaml'), {
      code: 'TIMEOUT',
      message: /yaml-language-server did not answer within 200 ms/
    })
  await app.until(({ state }) => state === 'failed')
  t.match(await app.states(), [{ reason: /did not answer 3 times in a row/ }])
  t.ok((await app.told('a.yaml')).text)
})

t.test(
  'a call whose time limit passes while a server starts says so, and the server starts on',
  needs('sandbox'),
  async t => {
    const app = await startWithFakeServer(t, FILES, { behaviour: { initialize: 'hang' } })
    const { body } = await app.hover('a.yaml', { timeout_ms: 300 })
    t.match(body.error, {
      code: 'TIMEOUT',
      message: 'The language server yaml-language-server is still starting. Try again later.',
      recoverable: true
    })
    t.match(await app.states(), [{ state: 'starting', restarts: 0 }])
    const call = { tool: 'diagnostics', params: { path: 'a.yaml' }, timeout_ms: 300 }
    t.match(await app.post('/calls?toolset=synapsis', call), {
      error: 'Tool execution timed out',
      details: { message: /is still starting\. Try again later/ }
    })
  }
)

t.test('the time limits of calls do not end a server', needs('sandbox'), async t => {
  const app = await startWithFakeServer(t, { ...FILES, 'hangs.yaml': 'hang\n' })
  await app.told('a.yaml')
  await app.until(({ state }) => state === 'ready')
  for (let i = 0; i < 4; i++)
    t.match((await app.hover('hangs.yaml', { timeout_ms: 100 })).body.error, { code: 'TIMEOUT' })
  t.match(await app.states(), [{ state: 'ready', restarts: 0 }])
})

t.test('a cancelled call cancels its request', needs('sandbox'), async t => {
  const app = await startWithFakeServer(t, { ...FILES, 'hangs.yaml': 'hang\n' })
  const events = await app.events('?types=diagnostics.changed')
  const { tool_call_id } = await app.post('/calls?wait_ms=0', {
    tool: 'hover',
    params: { path: 'hangs.yaml', line: 1, col: 1 }
  })
  await events.type('diagnostics.changed')
  t.match(await app.post(`/calls/${tool_call_id}/cancel`, {}), { status: 'cancelled' })
  const { log } = await app.told('a.yaml')
  t.ok(
    log.some(({ told }: Json) => told === '$/cancelRequest'),
    JSON.stringify(log)
  )
})

t.test('ends a server with malformed output', needs('sandbox'), async t => {
  const app = await startWithFakeServer(t, { ...FILES, 'bad.yaml': 'garbage\n' })
  t.match(await app.error('bad.yaml'), {
    code: 'LSP_UNAVAILABLE',
    message: /The language server sent a malformed LSP message/
  })
  t.ok((await app.told('a.yaml')).text, 'the next one answers')
})

t.test('processes an endless output incrementally', needs('sandbox'), async t => {
  const app = await startWithFakeServer(t, { 'flood.yaml': 'flood 20000\n' })
  const { body } = await app.request('POST', '/calls?wait_ms=120000', {
    tool: 'hover',
    params: { path: 'flood.yaml', line: 1, col: 1 }
  })
  t.equal(body.result?.data.text, 'flooded', JSON.stringify(body.error))
})

t.test('reports an error of the server as such', needs('sandbox'), async t => {
  const app = await startWithFakeServer(t, { 'a.yaml': 'fault -32603\n', 'b.yaml': 'fault -32801\n' })
  for (const file of ['a.yaml', 'b.yaml'])
    t.match(await app.error(file), {
      code: 'EXECUTION_ERROR',
      message: 'yaml-language-server: a fault of its own',
      details: { server: 'yaml-language-server', method: 'textDocument/hover' }
    })
})

t.test('stops an idle server, gracefully or not', needs('sandbox'), async t => {
  for (const behaviour of [{}, { shutdown: 'hang' }]) {
    const app = await startWithFakeServer(t, FILES, { behaviour, settings: { idle_ms: 100 } })
    await app.told('a.yaml')
    t.match(await app.until(({ state }) => state === 'stopped'), { reason: /idle for 100 ms/ })
    t.ok((await app.told('a.yaml')).text, 'it is started again when it is needed')
    await app.close()
  }
})

t.test('ends a server that uses too much memory', needs('sandbox'), async t => {
  const limit = 300_000_000
  const app = await startWithFakeServer(
    t,
    { ...FILES, 'fills.yaml': `fill ${limit}\n` },
    { settings: { memory_bytes: limit } }
  )
  await app.told('a.yaml')
  t.match(await app.error('fills.yaml'), {
    code: 'LSP_UNAVAILABLE',
    message: /bytes of memory; the limit is 300000000/
  })
  t.match(await app.states(), [{ state: 'failed', reason: /bytes of memory/ }])
})

t.test('limits concurrent servers', needs('sandbox'), async t => {
  const app = await startWithFakeServer(
    t,
    { ...FILES, 'hangs.yaml': 'hang\n', 'c.py': 'c = 3\n' },
    { settings: { max_servers: 1 } }
  )
  await app.told('a.yaml')
  t.equal((await app.told('c.py')).text, 'c = 3\n')
  t.match(await app.states(), [
    { server: 'yaml-language-server', state: 'stopped', reason: /its slot was needed for another language server/ },
    { server: 'pyright', pid: Number }
  ])
  await app.told('a.yaml')
  const { tool_call_id } = await app.post('/calls?wait_ms=0', {
    tool: 'hover',
    params: { path: 'hangs.yaml', line: 1, col: 1 }
  })
  t.match(await app.error('c.py'), { code: 'LSP_UNAVAILABLE', message: /All 1 language servers .* are busy/ })
  await app.post(`/calls/${tool_call_id}/cancel`, {})
})

t.test('does not start a disabled server', needs('sandbox'), async t => {
  const off = await startWithFakeServer(t, FILES, { settings: { enabled: false } })
  t.match(await off.error('a.yaml'), { code: 'LSP_UNAVAILABLE', message: /`language_servers.enabled` is false/ })
  const disabled = await startWithFakeServer(t, FILES, {
    settings: { servers: { 'yaml-language-server': { disabled: true } } }
  })
  t.match(await disabled.error('a.yaml'), { code: 'LSP_UNAVAILABLE', message: /Toolgate knows no language server for/ })
})

t.test('user settings override those of the server', needs('sandbox'), async t => {
  const servers = { 'yaml-language-server': { command: FAKE_SERVER, settings: { yaml: { validate: false, own: 1 } } } }
  const asks = ['workspace/configuration']
  const params = { 'workspace/configuration': { items: [{ section: 'yaml' }] } }
  const app = await startWithFakeServer(t, FILES, { settings: { servers }, behaviour: { asks, params } })
  const answers: Json[] = []
  while (answers.length === 0) answers.push(...answersIn(await app.told('a.yaml')))
  t.match(answers, [[{ validate: false, own: 1, schemaStore: { enable: false } }]])
})

t.test('none outlives a killed host', needs('sandbox'), async t => {
  const { language_servers, sandbox } = fakeServerSettings()
  const { enabled, servers, warm, start_ms } = language_servers
  const at = createProject(t, {
    'a.yaml': 'a: 1\n',
    '../home/.config/toolgate/config.jsonc': JSON.stringify({
      language_servers: { enabled, servers, warm, start_ms },
      sandbox
    })
  })
  const server = await at.serve()
  const { token } = JSON.parse(readFileSync(server.discovery_file, 'utf8')) as { token: string }
  const ask = async (method: string, target: string, body?: object): Promise<Json> => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    return (await fetch(server.url + target, { method, headers, ...(body && { body: JSON.stringify(body) }) })).json()
  }
  const call = await ask('POST', '/calls?wait_ms=120000', {
    tool: 'hover',
    params: { path: 'a.yaml', line: 1, col: 1 }
  })
  t.equal(call.status, 'success', JSON.stringify(call))
  const [{ pid }] = (await ask('GET', '/capabilities')).language_servers
  const all = [pid, ...beneath(pid)]
  t.ok(all.length > 1, 'it runs')
  server.process.kill('SIGKILL')
  for (const each of all) await waitForExit(String(each))
  t.pass('nothing of it is left')
})

function beneath(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`)
    .flatMap(thread => readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' '))
    .map(Number)
    .filter(Boolean)
  return children.flatMap(child => [child, ...beneath(child)])
}
