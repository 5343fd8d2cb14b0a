// A session of the generation of the protocol that has them. Its id says all that must outlive this process, sealed by the
// client's token: a session that rests takes no memory, and one of an earlier run of the server goes on where the token does.
import { randomUUID } from 'node:crypto'
import type { InitializeRequest, JSONRPCMessage, RequestId, Server, ServerContext } from '@modelcontextprotocol/server'
import type { CallWithStatus } from '../../engine/call.ts'
import type { RequestCaller } from '../auth.ts'
import { toClientLabel } from '../http/client-label.ts'
import { createApprovalForm } from './approval-form.ts'
import type { CallMeta, McpCallContext } from './call-context.ts'
import type { McpCallServices } from './call-tool.ts'
import type { ResumePoint } from './exchange.ts'
import { createMcpServer, type McpServerOptions, NO_TIME_LIMIT, newCallId } from './server.ts'
import { SessionTransport } from './session-transport.ts'
import { signPayload, verifyPayload } from './signed-payload.ts'

/** What a session is, in the few letters of a header. */
interface SessionTicket {
  /** Tells it from others. */
  i: string
  /** The version of the protocol that the client asked for. */
  v: string
  /** What the client calls itself, and its version. */
  c: [string, string]
  /** It can show forms; it can tell its folders. */
  f?: 1
  r?: 1
  /** What every call of it is made with. */
  d: CallMeta
}

export interface McpSessionServices extends McpCallServices, Pick<McpServerOptions, 'about' | 'offered'> {
  /** The served workspace that holds one of these folders, given as file URLs; none where only one is served. */
  workspaceOf: ((folders: readonly string[]) => string | undefined) | undefined
  /** Aborts when the server stops. */
  stopping: AbortSignal
}

/** Whose a session is. */
export interface SessionOwner {
  token: string
  caller: RequestCaller
  services: McpSessionServices
}

const ROOTS_TIMEOUT_MS = 2_000

export class McpSession {
  /** What the client shows with every request. */
  readonly id: string
  readonly transport = new SessionTransport()
  /** When it was last spoken to. */
  lastUsedAt = performance.now()
  readonly #token: string
  readonly #server: Server
  /** Calls to wait for, by the request that was lost. */
  readonly #joinedCalls = new Map<RequestId, string>()
  #workspace: Promise<string | undefined> | undefined

  private constructor(ticket: SessionTicket, { token, caller, services }: SessionOwner) {
    this.id = signPayload(ticket, token)
    this.#token = token
    this.#server = createMcpServer({
      ...services,
      defaults: async ctx => ({ ...ticket.d, ...(await this.#resolveWorkspace(ctx, ticket, services)) }),
      resolveCall: ({ mcpReq: { id } }, meta) => {
        const joined = this.#joinedCalls.get(id)
        if (joined !== undefined) return { tool_call_id: joined, joins: this.#joinedCalls.delete(id) }
        // The call is named when its request comes in, for the stream of the answer is named after it.
        return { tool_call_id: this.transport.callOf(id) ?? newCallId(meta).tool_call_id }
      },
      callContext: ctx => ({
        caller: { ...caller, client: ticket.c[0] },
        disconnected: services.stopping,
        ...(ticket.f && caller.rights.has('approve') && { elicit: createElicitor(ctx) })
      })
    })
    this.#server.setNotificationHandler('notifications/roots/list_changed', () => {
      this.#workspace = undefined
    })
  }

  /** Of a client that introduces itself; its request is yet to be delivered. */
  static async create({ params }: InitializeRequest, defaults: CallMeta, belonging: SessionOwner): Promise<McpSession> {
    const { protocolVersion, capabilities, clientInfo } = params
    const { elicitation, roots } = capabilities
    const name = randomUUID()
    const ticket: SessionTicket = {
      v: protocolVersion.slice(0, 32),
      c: [toClientLabel(clientInfo.name) || belonging.caller.client, toClientLabel(clientInfo.version)],
      ...(elicitation && (elicitation.form || !elicitation.url) && { f: 1 as const }),
      ...(roots && { r: 1 as const }),
      d: { session_id: `mcp-${name}`, ...defaults },
      i: name
    }
    const session = new McpSession(ticket, belonging)
    await session.#server.connect(session.transport)
    return session
  }

  /** Of a client that has introduced itself before; undefined where that was not to us, or with another token. */
  static async revive(id: string, belonging: SessionOwner): Promise<McpSession | undefined> {
    const ticket = verifyPayload<SessionTicket>(id, belonging.token)
    if (!ticket) return undefined
    const session = new McpSession(ticket, belonging)
    await session.#server.connect(session.transport)
    session.transport.deliver(toInitializeRequest(ticket))
    session.transport.deliver({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return session
  }

  belongsTo = (token: string) => token === this.#token

  /** The version that was agreed on; undefined before. */
  get version(): string | undefined {
    return this.#server.getNegotiatedProtocolVersion()
  }

  /** Waits for a call that the client has lost sight of, as if its request had just come. */
  rejoin({ id, call, token }: ResumePoint, tool: string) {
    this.#joinedCalls.set(id, call)
    const _meta = token === undefined ? {} : { _meta: { progressToken: token } }
    this.transport.deliver({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool, ..._meta } })
  }

  notifyToolsChanged() {
    this.#server.sendToolListChanged().catch(() => {})
  }

  /** Ends it. What it still waits for is cancelled, but not where the server stops. */
  async end() {
    await this.#server.close()
  }

  /** The workspace of the folders that the client has open, where nothing names one and there are several. They are asked
   * for once, and again when they change. */
  async #resolveWorkspace(
    { mcpReq }: ServerContext,
    { r, d }: SessionTicket,
    { workspaceOf }: McpSessionServices
  ): Promise<CallMeta> {
    if (!r || !workspaceOf || d.workspace !== undefined) return {}
    this.#workspace ??= mcpReq.send({ method: 'roots/list' }, { timeout: ROOTS_TIMEOUT_MS }).then(
      ({ roots }) => workspaceOf(roots.map(({ uri }) => uri)),
      () => undefined
    )
    const workspace = await this.#workspace
    return workspace === undefined ? {} : { workspace }
  }
}

const createElicitor =
  ({ mcpReq }: ServerContext): NonNullable<McpCallContext['elicit']> =>
  async (call: CallWithStatus<'awaiting_approval'>, signal: AbortSignal) =>
    mcpReq.send({ method: 'elicitation/create', params: { ...createApprovalForm(call) } }, { ...NO_TIME_LIMIT, signal })

/** What the client said at first, as far as it matters. Its answer goes nowhere: no exchange waits for it. */
const toInitializeRequest = ({ v, c: [name, version], f, r }: SessionTicket): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id: 'introduction',
  method: 'initialize',
  params: {
    protocolVersion: v,
    capabilities: { ...(f && { elicitation: {} }), ...(r && { roots: {} }) },
    clientInfo: { name, version }
  }
})
