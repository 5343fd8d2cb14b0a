// A session of the generation of the protocol that has them. Its id says all that must outlive this process, sealed by the
// client's token: a session that rests takes no memory, and one of an earlier run of the server goes on where the token does.
import { randomUUID } from 'node:crypto'
import type { InitializeRequest, JSONRPCMessage, RequestId, Server, ServerContext } from '@modelcontextprotocol/server'
import type { CallWith } from '../../engine/call.ts'
import type { Caller } from '../auth.ts'
import { clientLabel } from '../http/client-label.ts'
import { formOf } from './approval-form.ts'
import type { Asker, CallMeta } from './call-context.ts'
import type { CallServices } from './call-tool.ts'
import type { ResumePoint } from './exchange.ts'
import { freshCall, NO_TIME_LIMIT, type Serving, serverOf } from './server.ts'
import { SessionTransport } from './session-transport.ts'
import { seal, unseal } from './signed-payload.ts'

/** What a session is, in the few letters of a header. */
interface Ticket {
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

export interface SessionServices extends CallServices, Pick<Serving, 'about' | 'offered'> {
  /** The served workspace that holds one of these folders, given as file URLs; none where only one is served. */
  workspaceOf: ((folders: readonly string[]) => string | undefined) | undefined
  /** Aborts when the server stops. */
  stopping: AbortSignal
}

/** Whose a session is. */
export interface Belonging {
  token: string
  caller: Caller
  services: SessionServices
}

const ROOTS_MS = 2_000

export class Session {
  /** What the client shows with every request. */
  readonly id: string
  readonly transport = new SessionTransport()
  /** When it was last spoken to. */
  seen = performance.now()
  readonly #token: string
  readonly #server: Server
  /** Calls to wait for, by the request that was lost. */
  readonly #joins = new Map<RequestId, string>()
  #workspace: Promise<string | undefined> | undefined

  private constructor(ticket: Ticket, { token, caller, services }: Belonging) {
    this.id = seal(ticket, token)
    this.#token = token
    this.#server = serverOf({
      ...services,
      defaults: async ctx => ({ ...ticket.d, ...(await this.#where(ctx, ticket, services)) }),
      callOf: ({ mcpReq: { id } }, meta) => {
        const joined = this.#joins.get(id)
        if (joined !== undefined) return { tool_call_id: joined, joins: this.#joins.delete(id) }
        // The call is named when its request comes in, for the stream of the answer is named after it.
        return { tool_call_id: this.transport.callOf(id) ?? freshCall(meta).tool_call_id }
      },
      asker: ctx => ({
        caller: { ...caller, client: ticket.c[0] },
        left: services.stopping,
        ...(ticket.f && caller.rights.has('approve') && { ask: asking(ctx) })
      })
    })
    this.#server.setNotificationHandler('notifications/roots/list_changed', () => {
      this.#workspace = undefined
    })
  }

  /** Of a client that introduces itself; its request is yet to be delivered. */
  static async begin({ params }: InitializeRequest, defaults: CallMeta, belonging: Belonging): Promise<Session> {
    const { protocolVersion, capabilities, clientInfo } = params
    const { elicitation, roots } = capabilities
    const name = randomUUID()
    const ticket: Ticket = {
      v: protocolVersion.slice(0, 32),
      c: [clientLabel(clientInfo.name) || belonging.caller.client, clientLabel(clientInfo.version)],
      ...(elicitation && (elicitation.form || !elicitation.url) && { f: 1 as const }),
      ...(roots && { r: 1 as const }),
      d: { session_id: `mcp-${name}`, ...defaults },
      i: name
    }
    const session = new Session(ticket, belonging)
    await session.#server.connect(session.transport)
    return session
  }

  /** Of a client that has introduced itself before; undefined where that was not to us, or with another token. */
  static async revive(id: string, belonging: Belonging): Promise<Session | undefined> {
    const ticket = unseal<Ticket>(id, belonging.token)
    if (!ticket) return undefined
    const session = new Session(ticket, belonging)
    await session.#server.connect(session.transport)
    session.transport.deliver(introduction(ticket))
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
    this.#joins.set(id, call)
    const _meta = token === undefined ? {} : { _meta: { progressToken: token } }
    this.transport.deliver({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: tool, ..._meta } })
  }

  tellToolsChanged() {
    this.#server.sendToolListChanged().catch(() => {})
  }

  /** Ends it. What it still waits for is cancelled, but not where the server stops. */
  async end() {
    await this.#server.close()
  }

  /** The workspace of the folders that the client has open, where nothing names one and there are several. They are asked
   * for once, and again when they change. */
  async #where({ mcpReq }: ServerContext, { r, d }: Ticket, { workspaceOf }: SessionServices): Promise<CallMeta> {
    if (!r || !workspaceOf || d.workspace !== undefined) return {}
    this.#workspace ??= mcpReq.send({ method: 'roots/list' }, { timeout: ROOTS_MS }).then(
      ({ roots }) => workspaceOf(roots.map(({ uri }) => uri)),
      () => undefined
    )
    const workspace = await this.#workspace
    return workspace === undefined ? {} : { workspace }
  }
}

const asking =
  ({ mcpReq }: ServerContext): NonNullable<Asker['ask']> =>
  async (call: CallWith<'awaiting_approval'>, signal: AbortSignal) =>
    mcpReq.send({ method: 'elicitation/create', params: { ...formOf(call) } }, { ...NO_TIME_LIMIT, signal })

/** What the client said at first, as far as it matters. Its answer goes nowhere: no exchange waits for it. */
const introduction = ({ v, c: [name, version], f, r }: Ticket): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id: 'introduction',
  method: 'initialize',
  params: {
    protocolVersion: v,
    capabilities: { ...(f && { elicitation: {} }), ...(r && { roots: {} }) },
    clientInfo: { name, version }
  }
})
