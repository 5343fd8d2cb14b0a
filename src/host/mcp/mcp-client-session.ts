// One run of a server that we have introduced ourselves to: its tools, and calling them.
import { pathToFileURL } from 'node:url'
import type { CallToolResult, Client, Tool as OfferedTool, Progress } from '@modelcontextprotocol/client'
import type { Workspace } from '../host.ts'
import type { Link } from './connection.ts'
import { Gone } from './errors.ts'
import { tameText } from './sanitize.ts'

const MOST_PAGES = 64
const CHANGES_MS = 300
const LONGEST_NAME = 200
const PING_MS = 5_000
/** The library's own limit is out of the way: a call has its own. */
const NO_LIMIT_MS = 2_147_483_647

interface SessionTerms {
  link: Link
  workspace: Workspace
  version: string
  /** It is known to speak as older servers do. */
  legacy: boolean
  /** What all pages of its list may have together. */
  most_bytes: number
  /** Its list of tools may be another one. */
  changed(): void
}

/** What is told of a call meanwhile. */
export interface Told {
  progress(step: Progress): void
  message(text: string): void
}

export class Session {
  readonly link: Link
  readonly #client: Client
  /** Those who wait for an answer now. */
  readonly #asking = new Set<Told>()
  readonly #most_bytes: number
  /** Those who hear how large each page of the list is that is made now. */
  readonly #listing = new Set<(bytes: number) => void>()

  /** Rejects where it cannot be spoken with; the link is left as it is then. */
  static async begin(terms: SessionTerms, signal: AbortSignal): Promise<Session> {
    const { link, workspace, version, legacy, most_bytes, changed } = terms
    const { Client, ProtocolError, ProtocolErrorCode } = await import('@modelcontextprotocol/client')
    const client = new Client(
      { name: 'toolgate', version },
      {
        capabilities: { roots: {} },
        versionNegotiation: { mode: legacy ? 'legacy' : 'auto' },
        listMaxPages: MOST_PAGES,
        // What they give is held against their schemas by us, within bounds.
        jsonSchemaValidator: {
          getValidator: () => input => ({ valid: true, data: input as never, errorMessage: undefined })
        },
        listChanged: { tools: { autoRefresh: false, debounceMs: CHANGES_MS, onChanged: changed } }
      }
    )
    client.setRequestHandler('roots/list', () => ({
      roots: [{ uri: pathToFileURL(workspace.root).href, name: workspace.name }]
    }))
    client.fallbackRequestHandler = async ({ method }) => {
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `Toolgate answers no ${method}: it offers roots alone.`)
    }
    const session = new Session(client, link, most_bytes)
    client.setNotificationHandler('notifications/message', ({ params: { level, data } }) => {
      const text = typeof data === 'string' ? data : JSON.stringify(data)
      for (const told of session.#asking) told.message(`${level}: ${text}`)
    })
    // The library waits without end for a stream of events that was closed before the server had answered.
    const over = link.ended.then(({ why }) => Promise.reject(new Gone(why)))
    await Promise.race([client.connect(link.transport, { signal, timeout: NO_LIMIT_MS }), over])
    session.#weighPages()
    if (client.getServerCapabilities()?.logging && client.getProtocolEra() === 'legacy')
      client.setLoggingLevel('info', { timeout: PING_MS }).catch(() => {})
    return session
  }

  private constructor(client: Client, link: Link, most_bytes: number) {
    this.#client = client
    this.link = link
    this.#most_bytes = most_bytes
  }

  /** The library puts all pages together before it gives any. */
  #weighPages() {
    const { transport } = this.link
    const hear = transport.onmessage
    transport.onmessage = (message, extra) => {
      const page = 'result' in message && this.#listing.size > 0 && (message.result as { tools?: unknown }).tools
      if (page) for (const weigh of this.#listing) weigh(JSON.stringify(page).length)
      hear?.(message, extra)
    }
  }

  /** What it says of itself. */
  get about(): { name: string; version: string; title?: string; protocol: string } {
    const { name = '', version = '', title } = this.#client.getServerVersion() ?? {}
    return {
      name: tameText(name, LONGEST_NAME),
      version: tameText(version, LONGEST_NAME),
      ...(title !== undefined && { title: tameText(title, LONGEST_NAME) }),
      protocol: tameText(this.#client.getNegotiatedProtocolVersion() ?? '', LONGEST_NAME)
    }
  }

  async tools(signal: AbortSignal): Promise<OfferedTool[]> {
    const full = new AbortController()
    let all = 0
    const weigh = (bytes: number) => {
      all += bytes
      if (all > this.#most_bytes)
        full.abort(new Error(`it lists tools in more than ${this.#most_bytes} bytes (mcp.max_result_bytes)`))
    }
    this.#listing.add(weigh)
    const options = { signal: AbortSignal.any([signal, full.signal]), timeout: NO_LIMIT_MS }
    try {
      const { tools } = await this.#client.listTools(undefined, { ...options, cacheMode: 'refresh' })
      return tools
    } catch (error) {
      throw full.signal.aborted ? full.signal.reason : error
    } finally {
      this.#listing.delete(weigh)
    }
  }

  async call(
    tool: OfferedTool,
    args: Record<string, unknown>,
    told: Told,
    signal: AbortSignal
  ): Promise<CallToolResult> {
    this.#asking.add(told)
    try {
      return await this.#client.callTool(
        { name: tool.name, arguments: args },
        { signal, timeout: NO_LIMIT_MS, onprogress: step => told.progress(step), toolDefinition: tool }
      )
    } finally {
      this.#asking.delete(told)
    }
  }

  /** Ends it where it hangs. */
  async mustAnswer() {
    if (this.#client.getProtocolEra() !== 'legacy') return
    await this.#client
      .ping({ timeout: PING_MS })
      .catch(() => this.link.kill(`it did not answer within ${PING_MS} ms after a call of it took too long`))
  }
}
