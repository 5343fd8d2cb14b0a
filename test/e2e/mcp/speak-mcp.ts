// Fixture: MCP clients of the SDKs of both generations, and a raw one for invalid requests.
import { Client as Modern, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { type ElicitRequest, ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js'
import type { Test } from 'tap'
import { SseParser } from '../../../src/client/sse.ts'
import { type Json, TOKEN } from '../../start-app.ts'

type ElicitQuestion = ElicitRequest['params']
type ElicitHandler = (question: ElicitQuestion) => ElicitResult | Promise<ElicitResult>

/** Options of a call besides its tool and arguments. */
interface McpCallOptions {
  _meta?: Record<string, unknown>
  onprogress?: (progress: Json) => void
  signal?: AbortSignal
}

interface McpClientOptions {
  token?: string
  path?: string
  /** The user's answer at the client; without it, the client does not support elicitation. */
  answering?: ElicitHandler | undefined
  /** The client's name. */
  name?: string
}

/** A client of the generation with sessions. */
export async function classic(
  t: Test,
  url: string,
  { token = TOKEN, path = '/mcp', answering, name = 'classic' }: McpClientOptions = {}
) {
  const client = new Client({ name, version: '1' }, { capabilities: answering ? { elicitation: {} } : {} })
  if (answering)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }, { signal }) => {
      const withdrawn = new Promise<ElicitResult>(resolve => {
        signal.addEventListener('abort', () => resolve({ action: 'cancel' }))
      })
      return Promise.race([answering(params), withdrawn])
    })
  const transport = new StreamableHTTPClientTransport(new URL(url + path), { requestInit: authHeaders(token) })
  await client.connect(transport)
  t.teardown(() => client.close())
  return {
    client,
    list: async () => (await client.listTools()).tools as Json[],
    call: (name: string, args: object = {}, { _meta, ...options }: McpCallOptions = {}): Promise<Json> =>
      client.callTool({ name, arguments: { ...args }, ...(_meta && { _meta }) }, undefined, options)
  }
}

/** A client of the generation without sessions. */
export async function modern(
  t: Test,
  url: string,
  { token = TOKEN, path = '/mcp', answering, name = 'modern' }: McpClientOptions = {}
) {
  const client = new Modern(
    { name, version: '1' },
    { capabilities: answering ? { elicitation: { form: {} } } : {}, versionNegotiation: { mode: 'auto' } }
  )
  if (answering)
    client.setRequestHandler(
      'elicitation/create',
      async ({ params }) => (await answering(params as ElicitQuestion)) as never
    )
  await client.connect(new ModernHttp(new URL(url + path), { requestInit: authHeaders(token) }))
  t.teardown(() => client.close())
  return {
    client,
    list: async () => (await client.listTools()).tools as Json[],
    call: (name: string, args: object = {}, { _meta, ...options }: McpCallOptions = {}): Promise<Json> =>
      client.callTool({ name, arguments: { ...args }, ...(_meta && { _meta }) }, options)
  }
}

const authHeaders = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

/** Sends raw requests and returns the status, the session, and every message with its event id. */
export function connectRaw(url: string, { token = TOKEN, session = '' }: { token?: string; session?: string } = {}) {
  let current = session
  const headers = (more: object = {}) => ({
    ...authHeaders(token).headers,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(current && { 'mcp-session-id': current }),
    ...more
  })
  async function send(method: string, body?: unknown, more: object = {}, signal?: AbortSignal) {
    const response = await fetch(`${url}/mcp`, {
      method,
      headers: headers(more),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal && { signal })
    })
    current ||= response.headers.get('mcp-session-id') ?? ''
    return response
  }
  const initialize = (capabilities: object = {}, protocolVersion = '2025-11-25') =>
    send('POST', {
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion, capabilities, clientInfo: { name: 'by hand', version: '1' } }
    })
  return {
    send,
    initialize,
    get session() {
      return current
    },
    request: (id: number, method: string, params: object = {}, more: object = {}, signal?: AbortSignal) =>
      send('POST', { jsonrpc: '2.0', id, method, params }, more, signal)
  }
}

/** Returns the answers of a response, which a server that takes a moment sends as a stream. */
export async function readAnswers(response: Response): Promise<Json[]> {
  if (/json/.test(response.headers.get('content-type') ?? '')) return [await response.json()].flat()
  const messages: Json[] = []
  for await (const { message } of readMessages(response)) if (message && !('method' in message)) messages.push(message)
  return messages
}

/** Yields the messages of a response, each with its event id, as they arrive. */
export async function* readMessages(response: Response): AsyncGenerator<{ id: string; message: Json | undefined }> {
  const parser = new SseParser()
  for await (const bytes of response.body!)
    for (const { id, data } of parser.push(bytes))
      yield { id: String(id), message: data === '' ? undefined : JSON.parse(data) }
}
