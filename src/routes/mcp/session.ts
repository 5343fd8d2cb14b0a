// A session of the stateful protocol generation. Its id encodes all that must outlive this process, signed with the client's
// token: an idle session takes no memory, and one of an earlier run remains valid as long as the token.
import { randomUUID } from 'node:crypto'
import type { InitializeRequest, JSONRPCMessage, RequestId, Server, ServerContext } from '@modelcontextprotocol/server'
import type { CallWithStatus } from '../../protocol/calls.ts'
import type { CallMeta } from '../../protocol/mcp.ts'
import { signPayload, verifyPayload } from '../../text/signed-payload.ts'
import type { RequestCaller } from '../auth.ts'
import { toClientLabel } from '../http/client-label.ts'
import { createApprovalForm } from './approval-form.ts'
import type { McpCallContext } from './call-context.ts'
import type { McpCallServices } from './call-tool.ts'
import type { ResumePoint } from './exchange.ts'
import { createMcpServer, type McpServerOptions, NO_TIME_LIMIT, newCallId } from './server.ts'
import { SessionTransport } from './session-transport.ts'
import { signerFor } from './token-signature.ts'

/** The contents of a session id, abbreviated for a header. */
interface SessionTicket {
  /** Unique id. */
  i: string
  /** The protocol version that the client requested. */
  v: string
  /** The client's name and version. */
  c: [string, string]
  /** Capabilities of the client: form elicitation (`f`), roots (`r`). */
  f?: 1
  r?: 1
  /** Defaults for all its calls. */
  d: CallMeta
}

export interface McpSessionServices extends McpCallServices, Pick<McpServerOptions, 'about' | 'offered'> {
  /** Finds the served workspace that contains one of these folders, given as file URLs; undefined if only one is served. */
  workspaceOf: ((folders: readonly string[]) => string | undefined) | undefined
  /** Aborts when the server stops. */
  stopping: AbortSignal
}

/** The owner of a session. */
export interface SessionOwner {
  token: string
  caller: RequestCaller
  services: McpSessionServices
}

const ROOTS_TIMEOUT_MS = 2_000

export class McpSession {
  /** Sent by the client with every request. */
  readonly id: string
  readonly transport = new SessionTransport()
  /** Time of the last request. */
  lastUsedAt = performance.now()
  readonly #token: string
  readonly #server: Server
  /** Calls to join, by the lost request. */
  readonly #joinedCalls = new Map<RequestId, string>()
  #workspace: Promise<string | undefined> | undefined

  private constructor(ticket: SessionTicket, { token, caller, services }: SessionOwner) {
    this.id = signPayload(ticket, signerFor(token))
    this.#token = token
    this.#server = createMcpServer({
      ...services,
      defaults: async ctx => ({ ...ticket.d, ...(await this.#resolveWorkspace(ctx, ticket, services)) }),
      resolveCall: ({ mcpReq: { id } }, meta) => {
        const joined = this.#joinedCalls.get(id)
        if (joined !== undefined) return { tool_call_id: joined, joins: this.#joinedCalls.delete(id) }
        // The call's id is assigned when its request arrives, since the response stream is named after it.
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

  /** Creates a session for an initialize request, which is yet to be delivered. */
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

  /** Restores a session from its id; undefined if it was issued by another server or for another token. */
  static async revive(id: string, belonging: SessionOwner): Promise<McpSession | undefined> {
    const ticket = verifyPayload<SessionTicket>(id, signerFor(belonging.token))
    if (!ticket) return undefined
    const session = new McpSession(ticket, belonging)
    await session.#server.connect(session.transport)
    session.transport.deliver(toInitializeRequest(ticket))
    session.transport.deliver({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return session
  }

  belongsTo = (token: string) => token === this.#token

  /** Returns the negotiated version; undefined before. */
  get version(): string | undefined {
    return this.#server.getNegotiatedProtocolVersion()
  }

  /** Joins a call whose stream the client has lost, as if its request had just arrived. */
  rejoin({ id, call, token }: ResumePoint, tool: string) {
    this.#joinedCalls.set(id, call)
    const _meta = token === undefined ? {} : { _meta: { progressToken: token } }
    this.transport.deliver({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool, ..._meta } })
  }

  notifyToolsChanged() {
    this.#server.sendToolListChanged().catch(() => {})
  }

  /** Ends the session and cancels its pending calls, except when the server stops. */
  async end() {
    await this.#server.close()
  }

  /**
   * Resolves the workspace from the client's roots if none is named and several are served. The roots are requested once, and
   * again when they change.
   */
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

/** Rebuilds the relevant part of the initialize request. Its response is discarded: no exchange waits for it. */
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
