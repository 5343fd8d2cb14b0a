// The `/mcp` endpoint: determines the protocol generation and the session of a request, and the form of its response.
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { fileURLToPath } from 'node:url'
import {
  classifyInboundRequest,
  isInitializeRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type McpHttpHandler,
  SUPPORTED_PROTOCOL_VERSIONS
} from '@modelcontextprotocol/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Calls } from '../../engine/calls.ts'
import { resolveAgent } from '../../engine/resolve-agent.ts'
import { ToolError } from '../../errors.ts'
import type { Journal } from '../../events/journal.ts'
import type { CallMeta, McpQuery } from '../../protocol/mcp.ts'
import type { RequestCaller } from '../auth.ts'
import { sendJson } from '../calls.ts'
import { watchDisconnect } from '../http/disconnect.ts'
import type { ProblemRedactor } from '../http/problem.ts'
import { acceptsStream } from '../http/sse-reply.ts'
import type { ServerInfo } from '../server.ts'
import { META_PREFIX, parseCallMeta } from './call-context.ts'
import { CallFeed } from './call-feed.ts'
import { isRequestId, parseEventId, type ReplyChannel } from './exchange.ts'
import { type CatalogView, newCallId } from './server.ts'
import type { McpSession, McpSessionServices, SessionOwner } from './session.ts'
import { McpSessions } from './sessions.ts'
import { createStatelessHandler, type RequestSender } from './stateless.ts'

export interface McpServices {
  about: ServerInfo
  calls: Calls
  catalog: Catalog
  journal: Journal
  masking: ProblemRedactor
  workspaces: readonly { name: string; path: string }[]
}

/** Defaults for calls from the query of a request. */
/** After this time in milliseconds, a response becomes a stream, which is resumable. */
const JSON_REPLY_TIMEOUT_MS = 150
const MAX_BATCH_SIZE = 50
/** Merges changes of tools within this interval into one notification. */
const CHANGES_DEBOUNCE_MS = 100
/** The last protocol version with batches. */
const LAST_BATCH_VERSION = '2025-03-26'
/** The first protocol version whose clients accept an event without data. */
const PRIMING_SINCE_VERSION = '2025-11-25'

export class McpEndpoint {
  readonly #services: McpSessionServices
  readonly #sessions = new McpSessions()
  readonly #stateless: McpHttpHandler
  readonly #stopping = new AbortController()
  readonly #unlisten: () => void
  #changesTimer: NodeJS.Timeout | undefined

  constructor({ about, calls, catalog, journal, masking, workspaces }: McpServices, onerror: (error: Error) => void) {
    this.#services = {
      about,
      calls,
      masking,
      feed: new CallFeed(journal),
      offered: (meta, caller) => createCatalogView(catalog, calls, meta, caller),
      workspaceOf: workspaces.length > 1 ? folders => findWorkspace(workspaces, folders) : undefined,
      stopping: this.#stopping.signal
    }
    this.#stateless = createStatelessHandler(this.#services, onerror)
    this.#unlisten = catalog.onChange(() => {
      this.#changesTimer ??= setTimeout(() => this.#notifyChanged(), CHANGES_DEBOUNCE_MS).unref()
    })
  }

  async post(request: FastifyRequest, reply: FastifyReply) {
    const { body, headers } = request
    const route = classifyInboundRequest({
      httpMethod: 'POST',
      ...optionalField('protocolVersionHeader', headers['mcp-protocol-version']),
      ...optionalField('mcpMethodHeader', headers['mcp-method']),
      ...optionalField('mcpNameHeader', headers['mcp-name']),
      body
    })
    if (route.kind !== 'legacy') return this.#answerStateless(request, reply)
    if (route.reason === 'initialize' && isInitializeRequest(body)) {
      const session = await this.#sessions.create(body, parseDefaults(request), this.#ownerOf(request))
      reply.header('mcp-session-id', session.id)
      return this.#answer(request, reply, session, [body])
    }
    const session = await this.#findSession(request, reply)
    if (!session) return reply
    if (!Array.isArray(body)) return this.#answer(request, reply, session, [body])
    if (session.version !== LAST_BATCH_VERSION)
      return sendError(
        reply,
        400,
        `Batches are supported only up to MCP version ${LAST_BATCH_VERSION}. Send one message per request.`
      )
    if (body.length === 0 || body.length > MAX_BATCH_SIZE)
      return sendError(reply, 400, `A batch must have 1 to ${MAX_BATCH_SIZE} messages.`)
    return this.#answer(request, reply, session, body)
  }

  /** Opens the stream for messages outside requests or, with Last-Event-ID, resumes a response. */
  async get(request: FastifyRequest, reply: FastifyReply) {
    if (!acceptsStream(request.headers)) return sendError(reply, 406, 'Send the header "Accept: text/event-stream".')
    const session = await this.#findSession(request, reply)
    if (!session) return reply
    reply.reserveEventStream()
    const last = request.headers['last-event-id']
    if (last === undefined) session.transport.attachServerStream(startEventStream(reply))
    else return this.#resume(session, String(last), reply)
    return reply
  }

  async delete(request: FastifyRequest, reply: FastifyReply) {
    const session = await this.#findSession(request, reply)
    if (!session) return reply
    await this.#sessions.end(session)
    return reply.code(200).send()
  }

  /** Ends every stream. Pending calls continue; clients reconnect. */
  async close() {
    this.#unlisten()
    clearTimeout(this.#changesTimer)
    this.#sessions.closeStreams()
    this.#stopping.abort(
      new ToolError('OVERLOADED', 'The server is stopping. The call is stored and still waits for a decision.')
    )
    await this.#sessions.close()
    await this.#stateless.close()
  }

  #notifyChanged() {
    this.#changesTimer = undefined
    this.#sessions.notifyToolsChanged()
    this.#stateless.notify.toolsChanged()
  }

  /** A session outlives the request that created it, whose trace is not that of later ones. */
  #ownerOf = (request: FastifyRequest): SessionOwner => {
    const { trace: _, ...caller } = request.caller
    return { token: bearerToken(request), caller, services: this.#services }
  }

  /** Returns the request's session; undefined if the request has been refused. */
  async #findSession(request: FastifyRequest, reply: FastifyReply): Promise<McpSession | undefined> {
    const id = request.headers['mcp-session-id']
    const version = request.headers['mcp-protocol-version']
    if (typeof version === 'string' && !SUPPORTED_PROTOCOL_VERSIONS.includes(version)) {
      sendError(
        reply,
        400,
        `MCP version ${version.slice(0, 32)} is not supported. Supported versions: ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}.`
      )
      return undefined
    }
    if (typeof id !== 'string') {
      sendError(reply, 400, 'Send "initialize" first, then the Mcp-Session-Id of its response with every request.')
      return undefined
    }
    const session = await this.#sessions.find(id, this.#ownerOf(request))
    if (!session)
      sendError(
        reply,
        404,
        'The MCP session has ended, or belongs to another token. Send "initialize" for a new one.',
        SESSION_NOT_FOUND
      )
    return session
  }

  async #answer(request: FastifyRequest, reply: FastifyReply, session: McpSession, body: unknown[]) {
    const { transport } = session
    const messages = body.filter(isMessage)
    if (messages.length < body.length)
      return sendError(reply, 400, 'The body must be a JSON-RPC 2.0 message.', INVALID_REQUEST)
    const requests = messages.filter(isRequest)
    const ids = requests.map(({ id }) => id)
    if (new Set(ids).size < ids.length || ids.some(transport.isAnswering))
      return sendError(reply, 400, 'A request with this id is already in progress.', INVALID_REQUEST)
    if (requests.length === 0) {
      for (const message of messages) transport.deliver(message)
      return reply.code(202).send()
    }
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    const exchange = transport.open({
      ids,
      batch: requests.length > 1,
      resume: toResumePoint(requests),
      primed: acceptsPriming(session)
    })
    exchange.open(createReplyChannel(request, reply, resolve))
    for (const message of messages) transport.deliver(withTraceHeaders(message, request))
    const patience = setTimeout(() => exchange.beginStream(), JSON_REPLY_TIMEOUT_MS)
    const text = await promise
    clearTimeout(patience)
    return text === undefined ? reply : sendJson(reply, 200, text)
  }

  async #resume(session: McpSession, last: string, reply: FastifyReply) {
    const point = parseEventId(last)
    if (!point)
      return sendError(reply, 400, 'The server does not have the event of Last-Event-ID. Send the request again.')
    const { transport } = session
    const exchange = transport.findExchange(point)
    if (exchange) {
      exchange.attach(startEventStream(reply), point.after)
      return reply
    }
    if (transport.isAnswering(point.id))
      return sendError(reply, 409, 'The request was sent again, and the newer request gets the response.')
    const { call } = await this.#services.calls.get(point.call, { ms: 0, throughApproval: true })
    const { after, ...resume } = point
    const again = transport.open({ ids: [point.id], batch: false, resume, primed: false, after })
    again.open({ sendJson: () => {}, openStream: () => startEventStream(reply) })
    again.beginStream()
    session.rejoin(resume, call.tool)
    return reply
  }

  async #answerStateless(request: FastifyRequest, reply: FastifyReply) {
    const { body, headers, caller } = request
    const token = bearerToken(request)
    const sender: RequestSender = { token, caller, defaults: parseDefaults(request) }
    const webRequest = new Request(`http://${headers.host}/mcp`, {
      method: 'POST',
      headers: Object.entries(headers).filter((header): header is [string, string] => typeof header[1] === 'string'),
      signal: watchDisconnect(reply).signal
    })
    const authInfo = { token, clientId: caller.client, scopes: [...caller.rights], extra: { sender } }
    const answer = await this.#stateless.fetch(webRequest, { parsedBody: body, authInfo })
    return sendResponse(reply, answer)
  }
}

const SESSION_NOT_FOUND = -32_001
const INVALID_REQUEST = -32_600
const SERVER_ERROR = -32_000

/** Sends an error in the protocol's format. */
const sendError = (reply: FastifyReply, status: number, message: string, code = SERVER_ERROR) =>
  sendJson(reply, status, JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }))

/** Checks only the outline: the SDK validates each message in full. */
function isMessage(message: unknown): message is JSONRPCMessage {
  const { jsonrpc, id, method, result, error } = (message ?? {}) as Partial<Record<string, unknown>>
  if (jsonrpc !== '2.0') return false
  if (typeof method === 'string') return id === undefined || isRequestId(id)
  return isRequestId(id) && (result !== undefined || error !== undefined)
}

const isRequest = (message: JSONRPCMessage): message is JSONRPCRequest => 'method' in message && 'id' in message

/** Gives a call the trace context of its HTTP request, unless it has one. */
function withTraceHeaders(message: JSONRPCMessage, { headers }: FastifyRequest): JSONRPCMessage {
  const { traceparent, tracestate } = headers
  if (traceparent === undefined || !isRequest(message) || message.method !== 'tools/call') return message
  const { _meta, ...params } = message.params ?? {}
  return { ...message, params: { ...params, _meta: { traceparent, tracestate, ..._meta } } }
}

const optionalField = <K extends string>(key: K, value: string | string[] | undefined) =>
  (typeof value === 'string' ? { [key]: value } : {}) as Partial<Record<K, string>>

/** Authentication has ensured that there is one. */
const bearerToken = ({ headers }: FastifyRequest) => headers.authorization!.slice('Bearer '.length)

const acceptsPriming = ({ version }: McpSession) => version !== undefined && version >= PRIMING_SINCE_VERSION

/** Parses defaults for all calls from the URL or headers, for clients that cannot set `_meta`. */
function parseDefaults({ query, headers }: FastifyRequest): CallMeta {
  const agent = headers['x-toolgate-agent']
  const all = { ...(typeof agent === 'string' && { agent }), ...(query as McpQuery) }
  return parseCallMeta(Object.fromEntries(Object.entries(all).map(([key, value]) => [META_PREFIX + key, value])))
}

/** Only a single call is resumable after its stream is lost. */
function toResumePoint([request, ...more]: readonly JSONRPCRequest[]) {
  if (request?.method !== 'tools/call' || more.length > 0) return undefined
  const _meta = (request.params?._meta ?? {}) as Record<string, unknown>
  const own = _meta[`${META_PREFIX}tool_call_id`]
  const token = _meta.progressToken
  const call = typeof own === 'string' && own.length <= 64 ? own : newCallId({}).tool_call_id
  return { id: request.id, call, ...((typeof token === 'string' || typeof token === 'number') && { token }) }
}

function createReplyChannel(
  request: FastifyRequest,
  reply: FastifyReply,
  resolve: (text: string | undefined) => void
): ReplyChannel {
  const stream = () => {
    resolve(undefined)
    return startEventStream(reply)
  }
  return { sendJson: resolve, openStream: acceptsStream(request.headers) ? stream : undefined }
}

/** Sends the headers of an event stream. The frames bypass the framework. */
function startEventStream(reply: FastifyReply) {
  const { raw } = reply
  const session = reply.getHeader('mcp-session-id')
  reply.hijack()
  raw.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    ...(session !== undefined && { 'mcp-session-id': session })
  })
  raw.flushHeaders()
  raw.socket?.setNoDelay(true)
  return raw
}

/** Sends the SDK's response through Node's. */
async function sendResponse(reply: FastifyReply, answer: Response) {
  reply.code(answer.status)
  for (const [name, value] of answer.headers) reply.header(name, value)
  if (!answer.body) return reply.send()
  const streamed = answer.headers.get('content-type')?.startsWith('text/event-stream')
  return reply.send(streamed ? Readable.fromWeb(answer.body as ReadableStream) : await answer.text())
}

/** Creates a client's view of the catalog. */
function createCatalogView(
  catalog: Catalog,
  calls: Calls,
  { agent, toolset, workspace }: CallMeta,
  caller: RequestCaller
): CatalogView {
  const to = {
    agent: resolveAgent(agent, caller),
    workspace: calls.resolveWorkspaceName(workspace),
    may_approve: caller.rights.has('approve')
  }
  return {
    list: () => catalog.list({ ...to, toolset }),
    find: name => catalog.findListed(name, { ...to, toolset }),
    isOwn: tool => catalog.find(tool.name, to) === tool,
    formatForToolset: (set, call) => catalog.formatCall(set, { ...call, ...to })
  }
}

/** Returns the workspace whose root contains the first of the folders that is in any. */
function findWorkspace(workspaces: McpServices['workspaces'], folders: readonly string[]): string | undefined {
  const held = (folder: string) =>
    workspaces.find(({ path }) => `${folder}/`.startsWith(path.endsWith('/') ? path : `${path}/`))?.name
  return folders
    .filter(folder => folder.startsWith('file:///'))
    .map(folder => held(fileURLToPath(folder)))
    .find(Boolean)
}
