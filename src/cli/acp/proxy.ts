// Proxy between an editor and an agent that speak the Agent Client Protocol. Messages are passed on unchanged, except those by which
// the agent asks for permission or acts on files and commands: these become calls.
import { randomUUID } from 'node:crypto'
import type {
  ClientCapabilities,
  McpServerStdio,
  RequestPermissionRequest,
  ToolCallUpdate
} from '@agentclientprotocol/sdk'
import { randomCallId } from '../../node-client/call-id.ts'
import { type AgentCall, decideOnEquivalent, runAgentCall } from '../agent-calls.ts'
import type { EndedCall } from '../ended-call.ts'
import { readTextFile, writeTextFile } from './agent-files.ts'
import { AgentTerminals } from './agent-terminals.ts'
import { EditorApprovals } from './editor-approvals.ts'
import { fence } from './fence.ts'
import { type AcpMessage, invalidParams, toErrorResponse } from './message.ts'
import { AcpPeer } from './peer.ts'
import { toActionCall, toAgentCall } from './permission-call.ts'
import type { AcpSession } from './session.ts'

export interface AcpProxyOptions {
  toEditor: (message: AcpMessage) => void
  toAgent: (message: AcpMessage) => void
  /** Connects to the server of the project. */
  connect: () => Promise<Pick<AcpSession, 'calls' | 'decisions'>>
  agent?: string | undefined
  /** Returns the MCP server of a session, which the agent is to start. */
  mcpServer: (session: Pick<AcpSession, 'session_id'>) => McpServerStdio
  log: (text: string) => void
}

interface OpenSession {
  session: AcpSession
  setId: (id: string) => void
  approvals: EditorApprovals
  terminals: AgentTerminals
  /** Tool calls that show a terminal, by its id. */
  embeds: Map<string, string>
  /** Aborted when the user cancels the turn. */
  turn: AbortController
  /** Aborted when the session is loaded again. */
  replaced: AbortController
}

type AgentRequestHandler = (
  open: OpenSession,
  params: AcpMessage['params'],
  signal: AbortSignal
) => Promise<unknown> | unknown

export class AcpProxy {
  readonly #options: AcpProxyOptions
  readonly #editor: AcpPeer
  readonly #agent: AcpPeer
  readonly #closing = new AbortController()
  readonly #sessions = new Map<string, OpenSession>()
  /** Sessions whose id the agent has not reported yet, by the id of the editor's request. */
  readonly #opening = new Map<AcpMessage['id'], OpenSession>()
  /** Requests of the agent that are calls, by id. */
  readonly #requests = new Map<AcpMessage['id'], AbortController>()
  #capabilities: ClientCapabilities = {}

  constructor(options: AcpProxyOptions) {
    this.#options = options
    this.#editor = new AcpPeer(options.toEditor)
    this.#agent = new AcpPeer(options.toAgent)
  }

  fromEditor(message: AcpMessage): void {
    if (this.#editor.takeResponse(message)) return
    const { method, params } = message
    if (method === 'initialize') return void this.#agent.send(this.#withCapabilities(message))
    if (method === 'session/prompt') this.#sessions.get(params?.sessionId)?.approvals.endGrants()
    if (method === 'session/cancel') this.#cancelTurn(params?.sessionId)
    if (message.id !== undefined && Array.isArray(params?.mcpServers)) return void this.#openSession(message)
    this.#agent.send(message)
  }

  fromAgent(message: AcpMessage): void {
    const { id, method, params } = message
    const handle = method !== undefined && Object.hasOwn(this.#handlers, method) ? this.#handlers[method] : undefined
    if (handle && id !== undefined) return void this.#answer(message, handle)
    const cancelled = method === '$/cancel_request' ? this.#requests.get(params?.requestId) : undefined
    if (cancelled) return void cancelled.abort()
    if (method === undefined) this.#onOpened(message)
    if (method === 'session/update') return void this.#editor.send(this.#withoutTerminals(message))
    this.#editor.send(message)
  }

  /** Cancels everything that waits, and ends the commands of the agent. */
  async close(): Promise<void> {
    const open = [...this.#sessions.values(), ...this.#opening.values()]
    this.#closing.abort()
    await Promise.all(open.map(({ terminals }) => terminals.close()))
  }

  readonly #handlers: Readonly<Record<string, AgentRequestHandler>> = {
    'session/request_permission': (open, params, signal) => this.#requestPermission(open, params, signal),
    'fs/read_text_file': ({ session }, params, signal) =>
      readTextFile({ session, editor: this.#reader, signal }, params),
    'fs/write_text_file': ({ session }, params, signal) =>
      writeTextFile({ session, editor: this.#reader, signal }, params),
    'terminal/create': ({ session, terminals }, params, signal) => terminals.create(session, params, signal),
    'terminal/output': ({ terminals }, { terminalId }) => terminals.output(terminalId),
    'terminal/wait_for_exit': ({ terminals }, { terminalId }) => terminals.waitForExit(terminalId),
    'terminal/kill': ({ terminals }, { terminalId }) => terminals.kill(terminalId),
    'terminal/release': ({ terminals }, { terminalId }) => terminals.release(terminalId)
  }

  /** The editor, if it can return the text of files. */
  get #reader(): AcpPeer | undefined {
    return this.#capabilities.fs?.readTextFile ? this.#editor : undefined
  }

  /** The agent is to read, write and run by the proxy, also if the editor cannot. */
  #withCapabilities(message: AcpMessage): AcpMessage {
    this.#capabilities = message.params?.clientCapabilities ?? {}
    const fs = { ...this.#capabilities.fs, readTextFile: true, writeTextFile: true }
    const clientCapabilities = { ...this.#capabilities, fs, terminal: true }
    return { ...message, params: { ...message.params, clientCapabilities } }
  }

  /** Connects a new or loaded session to the server of the project, and offers the server's tools to the agent. */
  async #openSession(message: AcpMessage): Promise<void> {
    const { params, id } = message
    try {
      const cwd = String(params.cwd)
      const connected = await this.#options.connect()
      const acpId = Promise.withResolvers<string>()
      acpId.promise.catch(() => {})
      const session_id = `acp-${randomUUID()}`
      const { agent, log } = this.#options
      const session = { cwd, session_id, agent, ...connected, acpId: acpId.promise }
      const embeds = new Map<string, string>()
      const replaced = new AbortController()
      const signal = AbortSignal.any([replaced.signal, this.#closing.signal])
      const open: OpenSession = {
        session,
        embeds,
        setId: acpId.resolve,
        approvals: new EditorApprovals({ session, editor: this.#editor, signal, log }),
        terminals: new AgentTerminals(
          (terminalId, text) => void this.#showOutput(session, embeds.get(terminalId), text)
        ),
        turn: new AbortController(),
        replaced
      }
      open.approvals.follow().catch(error => signal.aborted || log((error as Error).message))
      if (typeof params.sessionId === 'string') this.#register(params.sessionId, open)
      else this.#opening.set(id, open)
      const mcpServers = [...params.mcpServers, this.#options.mcpServer(session)]
      this.#agent.send({ ...message, params: { ...params, mcpServers } })
    } catch (error) {
      this.#editor.send(toErrorResponse(id, error))
    }
  }

  #onOpened({ id, result }: AcpMessage): void {
    const open = this.#opening.get(id)
    if (!open) return
    this.#opening.delete(id)
    if (typeof result?.sessionId === 'string') this.#register(result.sessionId, open)
  }

  #register(id: string, open: OpenSession): void {
    open.setId(id)
    this.#sessions.get(id)?.replaced.abort()
    this.#sessions.set(id, open)
  }

  #cancelTurn(sessionId: string): void {
    const open = this.#sessions.get(sessionId)
    open?.turn.abort()
    if (open) open.turn = new AbortController()
  }

  async #answer({ id, params }: AcpMessage, handle: AgentRequestHandler): Promise<void> {
    const request = new AbortController()
    this.#requests.set(id, request)
    try {
      const open = this.#sessions.get(params?.sessionId)
      if (!open) throw invalidParams(`There is no session ${params?.sessionId}.`)
      const signal = AbortSignal.any([request.signal, open.turn.signal, this.#closing.signal])
      const result = await handle(open, params, signal)
      this.#agent.send({ jsonrpc: '2.0', id: id!, result })
    } catch (error) {
      this.#agent.send(toErrorResponse(id, error))
    } finally {
      this.#requests.delete(id)
    }
  }

  async #requestPermission(
    { session, approvals }: OpenSession,
    { toolCall, options }: RequestPermissionRequest,
    signal: AbortSignal
  ) {
    const decided = await this.#decide({ session, approvals, toolCall, signal })
    if (toAnswer(decided) === 'allow') approvals.grantWrite(decided)
    const kinds = KINDS_OF_ANSWER[toAnswer(decided)]
    const chosen = kinds.flatMap(kind => options.find(option => option.kind === kind) ?? [])[0]
    return { outcome: chosen ? { outcome: 'selected', optionId: chosen.optionId } : { outcome: 'cancelled' } }
  }

  async #decide({ session, approvals, toolCall, signal }: PermissionRequest): Promise<EndedCall> {
    const shown = async <T>(decide: (id: { tool_call_id: string }) => Promise<T>): Promise<T> => {
      const tool_call_id = randomCallId()
      approvals.bind(tool_call_id, toolCall)
      try {
        return await decide({ tool_call_id })
      } finally {
        approvals.unbind(tool_call_id)
      }
    }
    const decided = await shown(id => decideOnEquivalent(session, { ...toAgentCall(toolCall), ...id }, signal))
    if (decided) return decided
    const action: AgentCall = { ...toActionCall(toolCall), executor: 'client' }
    return shown(id => runAgentCall(session, { ...action, ...id }, signal))
  }

  /** Editors cannot show terminals of the proxy: replaces each with its command, and later with its output. */
  #withoutTerminals(message: AcpMessage): AcpMessage {
    const { sessionId, update } = message.params ?? {}
    const open = this.#sessions.get(sessionId)
    if (!open || !Array.isArray(update?.content)) return message
    const content = update.content.map((each: { type?: string; terminalId?: string }) => {
      const commandLine = each.type === 'terminal' ? open.terminals.commandLine(each.terminalId!) : undefined
      if (commandLine === undefined) return each
      open.embeds.set(each.terminalId!, update.toolCallId)
      return toTextContent(`$ ${commandLine}`)
    })
    return { ...message, params: { ...message.params, update: { ...update, content } } }
  }

  async #showOutput({ acpId }: AcpSession, toolCallId: string | undefined, text: string): Promise<void> {
    if (toolCallId === undefined) return
    const update = { sessionUpdate: 'tool_call_update', toolCallId, content: [toTextContent(text)] }
    this.#editor.notify('session/update', { sessionId: await acpId, update })
  }
}

interface PermissionRequest extends Pick<OpenSession, 'session' | 'approvals'> {
  toolCall: ToolCallUpdate
  signal: AbortSignal
}

/** Kinds of the agent's options that mean an answer, the best one first. */
const KINDS_OF_ANSWER = {
  allow: ['allow_once', 'allow_always'],
  reject: ['reject_once', 'reject_always'],
  cancel: []
} as const

function toAnswer({ status, ...call }: EndedCall): keyof typeof KINDS_OF_ANSWER {
  // The agent would execute what it asked for, not what the approver changed it to.
  if (status === 'success') return call.requested_params === undefined ? 'allow' : 'reject'
  return status === 'rejected' || status === 'error' ? 'reject' : 'cancel'
}

const toTextContent = (text: string) => ({ type: 'content', content: { type: 'text', text: fence(text) } })
