// The MCP servers of a workspace, as accessed by one call.
import { invalidParam, ToolError } from '../../errors.ts'
import type { Effects } from '../effects.ts'
import { toExactArguments } from './exact-numbers.ts'
import type { McpCallOptions, McpClient, McpContentBlock, McpTool, McpToolResult } from './mcp-client.ts'
import type { McpCallListener } from './mcp-client-session.ts'
import { toMcpMessage, toMcpProgress, toToolResult } from './tool-results.ts'
import type { WorkspaceMcpServer } from './workspace-mcp-server.ts'

/** Redacts known secrets from a value. */
export type MaskValue = <T>(value: T) => T

/** Maximum number of names that an error lists. */
const MAX_LISTED_NAMES = 50

export class WorkspaceMcpClient implements McpClient {
  readonly #servers: ReadonlyMap<string, WorkspaceMcpServer>
  readonly #effects: Pick<Effects, 'signal' | 'commitIntent'>
  readonly #maskValue: MaskValue

  constructor(
    servers: ReadonlyMap<string, WorkspaceMcpServer>,
    effects: Pick<Effects, 'signal' | 'commitIntent'>,
    masked: MaskValue
  ) {
    this.#servers = servers
    this.#effects = effects
    this.#maskValue = masked
  }

  async tool(server: string, name: string): Promise<McpTool> {
    const connected = this.#server(server)
    const known = connected.tools.get(name)
    if (known) return known
    await connected.withSession(async () => {}, this.#effects.signal)
    const found = connected.tools.get(name)
    if (found) return found
    const there = `${server} has ${formatNames([...connected.tools.keys()]) || 'no tools'}`
    throw invalidParam('tool', `there is no tool ${JSON.stringify(name.slice(0, 80))}; ${there}`)
  }

  async call(
    tool: McpTool,
    args: Record<string, unknown>,
    { onProgress, timeout_ms, trace }: McpCallOptions
  ): Promise<McpToolResult> {
    const { commitIntent } = this.#effects
    const late = new AbortController()
    const timer =
      timeout_ms === undefined ? undefined : setTimeout(() => late.abort(timeoutError(tool, timeout_ms)), timeout_ms)
    const signal = AbortSignal.any([this.#effects.signal, late.signal])
    const connected = this.#server(tool.server)
    const listener: McpCallListener = {
      onProgress: step => onProgress(this.#maskValue(toMcpProgress(step))),
      onMessage: text => onProgress(this.#maskValue(toMcpMessage(text)))
    }
    try {
      return await connected.withSession(async session => {
        const now = connected.tools.get(tool.name)
        if (now?.definition !== tool.definition)
          throw new ToolError(
            'PREVIEW_CHANGED',
            `The MCP server ${tool.server} has changed the definition of ${tool.name}. List the tools again.`
          )
        if (tool.effect !== 'read') await commitIntent()
        const sent = { arguments: toExactArguments(now.inputValidator, args), ...(trace && { _meta: { ...trace } }) }
        return this.#maskResult(toToolResult(await session.callTool(now.sdkTool, sent, listener, signal), now))
      }, signal)
    } catch (error) {
      if (signal.aborted && (signal.reason as ToolError).code === 'TIMEOUT') connected.checkLiveness()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** A server knows its credentials, and may include them in a result. */
  #maskResult({ blocks, ...answer }: McpToolResult): McpToolResult {
    return { ...this.#maskValue(answer), blocks: blocks.map(this.#maskBlock) }
  }

  /** Binary data is left unchanged: a match with a secret is a coincidence there. */
  #maskBlock = (block: McpContentBlock): McpContentBlock => {
    if (!('bytes' in block)) return this.#maskValue(block)
    const { bytes, ...rest } = block
    return { ...this.#maskValue(rest), bytes } as McpContentBlock
  }

  #server(name: string): WorkspaceMcpServer {
    const server = this.#servers.get(name)
    if (server) return server
    const there = formatNames([...this.#servers.keys()])
    throw invalidParam(
      'server',
      `there is no MCP server ${JSON.stringify(name.slice(0, 80))}; ${there ? `available: ${there}` : 'none is configured: see the setting mcp_servers'}`
    )
  }
}

const timeoutError = ({ server, name }: McpTool, ms: number) =>
  new ToolError('TIMEOUT', `${name} of ${server} did not answer within ${ms} ms.`)

const formatNames = (names: readonly string[]) =>
  names.slice(0, MAX_LISTED_NAMES).join(', ') +
  (names.length > MAX_LISTED_NAMES ? ` and ${names.length - MAX_LISTED_NAMES} more` : '')
