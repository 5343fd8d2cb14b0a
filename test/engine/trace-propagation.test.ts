// Tests of what a call hands its trace on to: MCP servers, hooks, tools of users, and the web servers that the user names.
// tier: quick
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { startWithCustomTools } from '../catalog/custom/fixture.ts'
import { contributionOf, waitUntilReady } from '../host/mcp/scripted-settings.ts'
import { type Json, startApp, type TestApp, toApproval } from '../start-app.ts'
import { makeTestFolder } from '../support/test-folder.ts'
import { htmlResponse, startFakeWeb } from '../tools/web/fixture.ts'
import { before } from './hooks/configured-hooks-fixture.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const HEADERS = { traceparent: `00-${TRACE}-b7ad6b7169203331-01`, tracestate: 'rojo=1' }

/** Sends a call with a trace, approves it if it asks, and returns it with the headers that it hands on. */
async function traced(
  app: Pick<TestApp, 'request'>,
  tool: string,
  params: object,
  headers: Record<string, string> = HEADERS
) {
  let { body: call } = await app.request('POST', '/calls', { tool, params }, headers)
  if (call.status === 'awaiting_approval')
    call = (await app.request('POST', '/approve?wait_ms=120000', { ...toApproval(call), confirm: true })).body
  return { call, handed: handedOn(call) }
}

const handedOn = ({ trace }: Json) => trace && { traceparent: `00-${TRACE}-${trace.span_id}-01`, tracestate: 'rojo=1' }

const allow = (tool: string): Json => ({ effect: 'allow', match: { tool } })
const allowing = (...tools: string[]): Json => ({
  tiers: { administrator: [], user: tools.map(allow), workspace: [] }
})

/** An MCP server whose one tool returns the `_meta` that it was given. */
const META_SERVER = `
  const send = message => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
  const results = {
    initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'meta', version: '1' } }),
    'tools/list': () => ({ tools: [{ name: 'meta', inputSchema: { type: 'object' } }] }),
    'tools/call': ({ _meta: { progressToken, ...meta } }) => ({ content: [{ type: 'text', text: JSON.stringify(meta) }] })
  }
  require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
    const { id, method, params } = JSON.parse(line)
    if (id === undefined) return
    if (results[method]) send({ id, result: results[method](params) })
    else send({ id, error: { code: -32601, message: 'no' } })
  })`

t.test('an MCP server receives the span of the call as the parent', async t => {
  const file = path.join(makeTestFolder(t), 'server.cjs')
  writeFileSync(file, META_SERVER)
  const contributed = contributionOf({ it: { command: process.execPath, args: [file] } })
  const settings = { brought: [contributed], ...allowing('mcp:it:meta', 'mcp_tool') }
  const app = await startApp(t, {}, { settings })
  await waitUntilReady(app, 'it')
  const metaOf = ({ result }: Json) => JSON.parse(result.content)
  const own = await traced(app, 'mcp:it:meta', {})
  t.strictSame(metaOf(own.call), own.handed)
  const generic = await traced(app, 'mcp_tool', { server: 'it', tool: 'meta' })
  t.strictSame(metaOf(generic.call), generic.handed)
  t.strictSame(metaOf((await traced(app, 'mcp:it:meta', {}, {})).call), {}, 'without a trace there is none')
})

t.test('hooks, modules and command tools receive it', async t => {
  const { run: command, ...app } = await startWithTools(t)
  const hooked = await traced(app, 'read_file', { path: 'a.txt' })
  t.strictSame(JSON.parse(hooked.call.hooks[0].context), hooked.handed)

  const print = 'console.log(JSON.stringify([process.env.TRACEPARENT, process.env.TRACESTATE]))'
  command({ variables: { description: 'Print.', argv: ['node', '-e', print], answer: 'json' } })
  await app.changed(({ added }) => added.includes('variables'))
  const variables = await traced(app, 'variables', {})
  t.strictSame(variables.call.result.data, { value: [variables.handed.traceparent, variables.handed.tracestate] })

  const module = await traced(app, 'reported', {})
  t.strictSame(module.call.result.data, module.handed)
  t.strictSame((await traced(app, 'reported', {}, {})).call.result.data, {})
})

async function startWithTools(t: Test) {
  const reported = `export default {
    description: 'Return the trace.',
    effect: 'read',
    input: { type: 'object', properties: {} },
    run: (_, { traceparent, tracestate }) => ({ traceparent, tracestate })
  }`
  const settings = allowing('variables', 'reported')
  const app = await startWithCustomTools(t, { 'reported.js': reported }, { settings })
  const hooks = [
    before('say({ context: JSON.stringify({ traceparent: input.traceparent, tracestate: input.tracestate }) })')
  ]
  const run = (tools: Json) => app.brought.commands(tools, { hooks })
  run({})
  await app.trustTools()
  await app.changed(({ added }) => added.includes('reported'))
  return { ...app, run }
}

t.test('web servers receive it only where the configuration names them', async t => {
  const site = {
    '/': htmlResponse('<p>ok'),
    'a.test/on': { status: 302, headers: { location: 'http://b.test/' } },
    'b.test/back': { status: 302, headers: { location: 'http://a.test/' } }
  }
  const web = (propagate_to: string[]) =>
    startFakeWeb(
      t,
      site,
      { allow: ['a.test', 'b.test', 'a.test:8080'] },
      { settings: { telemetry: { propagate_to } } as Json }
    )
  const sentTo = ({ requests }: Awaited<ReturnType<typeof web>>) =>
    requests.splice(0).map(({ headers: { host, traceparent, tracestate } }) => [host, traceparent, tracestate])

  const silent = await web([])
  await traced(silent, 'web_fetch', { url: 'http://a.test/' })
  t.strictSame(sentTo(silent), [['a.test', undefined, undefined]])

  const named = await web(['a.test'])
  const fetch = async (url: string, params: object = {}) => {
    const { handed } = await traced(named, 'web_fetch', { url, ...params })
    return [handed.traceparent, handed.tracestate]
  }
  const handed = await fetch('http://a.test/')
  t.strictSame(sentTo(named), [['a.test', ...handed]])
  const on = await fetch('http://a.test/on')
  t.strictSame(
    sentTo(named),
    [
      ['a.test', ...on],
      ['b.test', undefined, undefined]
    ],
    'a redirect to another host is sent none'
  )
  const back = await fetch('http://b.test/back')
  t.strictSame(sentTo(named), [
    ['b.test', undefined, undefined],
    ['a.test', ...back]
  ])
  await fetch('http://a.test:8080/')
  t.strictSame(sentTo(named), [['a.test:8080', undefined, undefined]], 'a port is named by itself')
  await fetch('http://a.test/', { headers: { traceparent: 'mine' } })
  t.strictSame(
    sentTo(named).map(([, traceparent]) => traceparent),
    ['mine'],
    'params come first'
  )
})
