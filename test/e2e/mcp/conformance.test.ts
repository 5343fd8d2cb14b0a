// Tests with the protocol's public conformance suite: all supported features pass; unsupported ones are listed with the reason in
// conformance.yml.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import t from 'tap'
import { type TSchema, Type } from 'typebox'
import type { Attachment, Progress } from '../../../src/tool/result.ts'
import { defineTool, type Tool } from '../../../src/tool/tool.ts'
import { type Json, startApp, TOKEN, toApproval } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'
import { LIMIT_MS, once, waitUntil } from '../../support/wait.ts'

const SUITE = 'test/e2e/node_modules/@modelcontextprotocol/conformance/dist/index.js'
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

const attached = (media_type: string, base64: string): Attachment => ({
  media_type,
  data_url: `data:${media_type};base64,${base64}`
})
const png = attached('image/png', PNG)
const note = attached('text/plain', Buffer.from('A note.').toString('base64'))

interface Made {
  content?: string
  attachments?: Attachment[]
  steps?: Progress[]
  effect?: 'read' | 'execute'
  input?: TSchema
  fails?: string
}

/** The published progress of all calls. */
let published: readonly Json[] = []
const countProgress = (id: string) => published.filter(({ tool_call_id }) => tool_call_id === id).length

/** A tool with the name the suite calls. */
const made = (
  name: string,
  { content = '', attachments = [], steps = [], effect = 'read', input, fails }: Made
): Tool =>
  defineTool({
    name,
    category: 'commands',
    description: 'What the suite wants to call.',
    input: input ?? Type.Object({}),
    output: Type.Object({}),
    timeout_ms: 120_000,
    effect,
    request: () => ({}),
    async *run(_, { call }) {
      for (const [i, step] of steps.entries()) {
        yield step
        // A read may respond before its last progress event is durable and thus published.
        await waitUntil('the progress to be published', () => countProgress(call.id) > i)
      }
      if (fails) throw new Error(fails)
      return {}
    },
    present: () => ({ title: name, content, attachments })
  }) as unknown as Tool

const SCHEMA_2020 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  additionalProperties: false
} as unknown as TSchema

const TOOLS = [
  made('test_simple_text', { content: 'This is a simple text response for testing.' }),
  made('test_image_content', { attachments: [png] }),
  made('test_audio_content', { attachments: [attached('audio/wav', WAV)] }),
  made('test_embedded_resource', { attachments: [note] }),
  made('test_multiple_content_types', { content: 'Multiple content types test:', attachments: [png, note] }),
  made('test_tool_with_logging', {
    content: 'Logged.',
    steps: ['Tool execution started', 'Tool processing data', 'Tool execution completed'].map(message => ({ message }))
  }),
  made('test_tool_with_progress', { content: 'Done.', steps: [{ progress: 0 }, { progress: 0.5 }, { progress: 1 }] }),
  made('test_error_handling', { fails: 'This tool intentionally returns an error for testing' }),
  made('test_reconnection', { content: 'Reconnected.', steps: Array.from({ length: 8 }, () => ({ progress: 0 })) }),
  made('test_elicitation', { content: 'Approved.', effect: 'execute', input: Type.Object({ message: Type.String() }) }),
  made('json_schema_2020_12_tool', { input: SCHEMA_2020 })
]

t.test('all supported features conform', needs('@modelcontextprotocol/conformance'), async t => {
  // The suite sends no token and cannot approve: the proxy adds both.
  const proxy = createServer(async (from, to) => {
    const body = await buffer(from)
    const answered = await passOn(from, body, { url, own })
    if (body.includes('"testuser"')) await approveAll()
    to.writeHead(answered.statusCode!, answered.headers)
    to.flushHeaders()
    answered.pipe(to)
  }).listen(0, '127.0.0.1')
  t.teardown(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  await once(proxy, 'listening')
  const own = `localhost:${(proxy.address() as AddressInfo).port}`
  const settings = { allowed_origins: [`http://${own}`] }
  const { url, get, post, events } = await startApp(t, {}, { tools: TOOLS, settings })
  const progress = await events('?types=tool.progress')
  published = progress.seen
  // Reads until the server ends.
  progress.rest().catch(() => {})
  const approveAll = async () => {
    for (const call of (await get('/approvals')).approvals) await post('/approve', toApproval(call))
  }
  const results = mkdtempSync(path.join(tmpdir(), 'toolgate-conformance-'))
  t.teardown(() => rmSync(results, { recursive: true, force: true }))
  const argv = ['server', '--url', `http://${own}/mcp`, '--suite', 'all', '-o', results]
  const suite = spawn(process.execPath, [SUITE, ...argv, '--expected-failures', 'test/e2e/mcp/conformance.yml'])
  const [said, [code]] = await Promise.all([text(suite.stdout), once(suite, 'exit', 4 * LIMIT_MS)])
  t.equal(code, 0, said.slice(said.indexOf('=== SUMMARY')))
})

/** Forwards a request with a token, and with our host in place of the proxy's. */
async function passOn({ method, headers }: IncomingMessage, body: Buffer, { url, own }: { url: string; own: string }) {
  const host = headers.host === own ? new URL(url).host : headers.host
  const through = request(`${url}/mcp`, { method, headers: { ...headers, host, authorization: `Bearer ${TOKEN}` } })
  through.end(body)
  const [answer] = await once(through, 'response')
  return answer as IncomingMessage
}
