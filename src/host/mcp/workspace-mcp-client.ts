// The MCP servers of a workspace, as one call asks them.
import { invalidParam, ToolError } from '../../errors.ts'
import type { Effects } from '../host.ts'
import type { Mcp, McpAnswer, McpBlock, McpCallOptions, McpTool } from './mcp-client.ts'
import type { Told } from './mcp-client-session.ts'
import { answerOf, messageOf, progressOf } from './tool-results.ts'
import type { Server } from './workspace-mcp-server.ts'

/** A value without the secrets that are known here. */
export type Masked = <T>(value: T) => T

/** Names that an error lists. */
const MOST_NAMES = 50

export class Asking implements Mcp {
  readonly #servers: ReadonlyMap<string, Server>
  readonly #effects: Pick<Effects, 'signal' | 'committed'>
  readonly #masked: Masked

  constructor(servers: ReadonlyMap<string, Server>, effects: Pick<Effects, 'signal' | 'committed'>, masked: Masked) {
    this.#servers = servers
    this.#effects = effects
    this.#masked = masked
  }

  async tool(server: string, name: string): Promise<McpTool> {
    const asked = this.#server(server)
    const known = asked.tools.get(name)
    if (known) return known
    await asked.using(async () => {}, this.#effects.signal)
    const found = asked.tools.get(name)
    if (found) return found
    const there = `${server} has ${listed([...asked.tools.keys()]) || 'no tools'}`
    throw invalidParam('tool', `there is no tool ${JSON.stringify(name.slice(0, 80))}; ${there}`)
  }

  async call(tool: McpTool, args: Record<string, unknown>, { tell, timeout_ms }: McpCallOptions): Promise<McpAnswer> {
    const { committed } = this.#effects
    const late = new AbortController()
    const timer =
      timeout_ms === undefined ? undefined : setTimeout(() => late.abort(tooLate(tool, timeout_ms)), timeout_ms)
    const signal = AbortSignal.any([this.#effects.signal, late.signal])
    const asked = this.#server(tool.server)
    const told: Told = {
      progress: step => tell(this.#masked(progressOf(step))),
      message: text => tell(this.#masked(messageOf(text)))
    }
    try {
      return await asked.using(async session => {
        const now = asked.tools.get(tool.name)
        if (now?.definition !== tool.definition)
          throw new ToolError('PREVIEW_CHANGED', `${tool.server} has changed what ${tool.name} is.`)
        if (tool.effect !== 'read') await committed()
        return this.#shown(answerOf(await session.call(now.offered, args, told, signal), now))
      }, signal)
    } catch (error) {
      if (signal.aborted && (signal.reason as ToolError).code === 'TIMEOUT') asked.suspect()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** A server knows what let us in to it, and may say so. */
  #shown({ blocks, ...answer }: McpAnswer): McpAnswer {
    return { ...this.#masked(answer), blocks: blocks.map(this.#maskedBlock) }
  }

  /** Bytes are left as they came: in what is no text, something that looks like a secret is none. */
  #maskedBlock = (block: McpBlock): McpBlock => {
    if (!('bytes' in block)) return this.#masked(block)
    const { bytes, ...rest } = block
    return { ...this.#masked(rest), bytes } as McpBlock
  }

  #server(name: string): Server {
    const server = this.#servers.get(name)
    if (server) return server
    const there = listed([...this.#servers.keys()])
    throw invalidParam(
      'server',
      `there is no MCP server ${JSON.stringify(name.slice(0, 80))} here; ${there ? `there are ${there}` : 'none is configured, see mcp_servers'}`
    )
  }
}

const tooLate = ({ server, name }: McpTool, ms: number) =>
  new ToolError('TIMEOUT', `${name} of ${server} has not answered within ${ms} ms.`)

const listed = (names: readonly string[]) =>
  names.slice(0, MOST_NAMES).join(', ') + (names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '')
