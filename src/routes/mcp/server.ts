// MCP server for one client: the catalog as tools, and captured output as resources. One SDK server serves one session, or one
// request of the stateless generation.
import {
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type ServerContext
} from '@modelcontextprotocol/server'
import type { Catalog } from '../../catalog/catalog.ts'
import { LISTING_FORMATS } from '../../catalog/listing.ts'
import { newId } from '../../engine/id.ts'
import { describeError, ToolError } from '../../errors.ts'
import type { SettledCall } from '../../protocol/calls.ts'
import type { CallMeta } from '../../protocol/mcp.ts'
import { parseTraceContext } from '../../text/trace-context.ts'
import type { ServerInfo } from '../server.ts'
import { InputRequiredError, type McpCallContext, META_PREFIX, parseCallMeta } from './call-context.ts'
import { callTool, type McpCallServices } from './call-tool.ts'
import { outputUri, toErrorResult } from './tool-result.ts'

type Tool = ReturnType<Catalog['list']>[number]

/** A client's view of the catalog, under the names that it sees. */
export interface CatalogView {
  list(): readonly Tool[]
  find(name: string): Tool | undefined
  /** Returns true for a tool under its native name, params and output. */
  isOwn(tool: Tool): boolean
  /** Formats a call for a toolset. */
  formatForToolset(toolset: string, call: SettledCall): unknown
}

/** The services of one server, and its generation's way of elicitation. */
export interface McpServerOptions extends McpCallServices {
  about: Pick<ServerInfo, 'version'>
  /** Returns the tools that are visible for such calls. */
  offered(meta: CallMeta, caller: McpCallContext['caller']): CatalogView
  /** Returns the defaults for all calls of the client. */
  defaults(ctx: ServerContext): CallMeta | Promise<CallMeta>
  /** Returns the call that a request creates or joins. */
  resolveCall(ctx: ServerContext, meta: CallMeta): Pick<McpCallContext, 'joins'> & { tool_call_id: string }
  callContext(ctx: ServerContext): Pick<McpCallContext, 'caller' | 'disconnected' | 'elicit'>
}

const INSTRUCTIONS =
  "Tools for a user's project: files, search, git, commands, language servers. Paths are relative to the workspace root. Reads run without approval; calls that change files or run commands may wait for a person's approval, so wait for the result even if it takes long. A rejected call returns the reason; do not repeat it unchanged. Large outputs are truncated, with a note on how to continue."

const PAGE_SIZE = 200
const MAX_READ_BYTES = 1_048_576
/** An elicitation may stay open as long as an approval. */
const MAX_TIMER_MS = 2_147_483_647
export const NO_TIME_LIMIT = { timeout: MAX_TIMER_MS, maxTotalTimeout: MAX_TIMER_MS }

export function createMcpServer(serving: McpServerOptions): Server {
  const { about } = serving
  const server = new Server(
    { name: 'toolgate', title: 'Toolgate', version: about.version },
    { capabilities: { tools: { listChanged: true }, resources: {}, logging: {} }, instructions: INSTRUCTIONS }
  )
  server.setRequestHandler('tools/list', async ({ params }, ctx) => {
    const { caller } = serving.callContext(ctx)
    return paginate(serving.offered(await resolveMeta(serving, ctx), caller), params?.cursor)
  })
  server.setRequestHandler('tools/call', ({ params }, ctx) => handleCall(serving, server, params, ctx))
  server.setRequestHandler('resources/list', () => ({ resources: [] }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [OUTPUT_TEMPLATE] }))
  server.setRequestHandler('resources/read', ({ params }) => readOutput(serving, params.uri))
  return server
}

interface ToolListing {
  name: string
  inputSchema: { type: 'object' }
  outputSchema?: Record<string, unknown>
}

/** Caches the listing of each tool. */
const listingCache = new WeakMap<Tool, ToolListing>()
function toListing(tool: Tool): ToolListing {
  const known = listingCache.get(tool) ?? (LISTING_FORMATS.mcp(tool) as ToolListing)
  listingCache.set(tool, known)
  return known
}

/** Starts a page after the tool that the cursor names, so that tools may be added or removed between pages. */
function paginate({ list, isOwn }: CatalogView, cursor: string | undefined) {
  const tools = list()
  const after = cursor === undefined ? -1 : tools.findIndex(tool => toListing(tool).name === decodeCursor(cursor))
  if (cursor !== undefined && after < 0)
    throw invalidParamsError('The cursor is invalid, or its tool was removed. List the tools again from the start.')
  const some = tools.slice(after + 1, after + 1 + PAGE_SIZE)
  const more = after + 1 + PAGE_SIZE < tools.length
  return {
    tools: some.map(tool => (isOwn(tool) ? toListing(tool) : { ...toListing(tool), outputSchema: undefined })),
    ...(more && { nextCursor: Buffer.from(toListing(some.at(-1)!).name).toString('base64url') })
  }
}
const decodeCursor = (cursor: string) => Buffer.from(cursor, 'base64url').toString()

async function handleCall(
  serving: McpServerOptions,
  server: Server,
  { name, arguments: params = {} }: CallToolRequest['params'],
  ctx: ServerContext
): Promise<CallToolResult | InputRequiredResult> {
  try {
    const meta = await resolveMeta(serving, ctx)
    const callContext = withTrace(serving.callContext(ctx), ctx.mcpReq._meta)
    const offered = serving.offered(meta, callContext.caller)
    const tool = offered.find(name) ?? offered.list().find(each => toListing(each).name === name)
    if (!tool) throw invalidParamsError(`There is no tool ${JSON.stringify(name.slice(0, 80))}.`)
    const { tool_call_id, joins = false } = serving.resolveCall(ctx, meta)
    const asker = { ...callContext, ...createNotifier(ctx, tool_call_id), meta, signal: ctx.mcpReq.signal, joins }
    const result = await callTool({ ...serving, ...offered }, { tool_call_id, tool: tool.name, params }, asker)
    return server.projectCallToolResult(result, offered.isOwn(tool) ? toListing(tool).outputSchema : undefined)
  } catch (error) {
    if (error instanceof InputRequiredError) return error.result
    if (error instanceof ToolError) return toErrorResult(serving.masking.maskValue(describeError(error)))
    throw error
  }
}

/** Takes the trace context of the message, which precedes that of its HTTP request. */
function withTrace<C extends Pick<McpCallContext, 'caller'>>(context: C, meta: ServerContext['mcpReq']['_meta']): C {
  if (meta?.traceparent === undefined) return context
  const { trace: _, ...caller } = context.caller
  const trace = parseTraceContext(meta.traceparent, meta.tracestate)
  return { ...context, caller: { ...caller, ...(trace && { trace }) } }
}

const resolveMeta = async (serving: McpServerOptions, ctx: ServerContext): Promise<CallMeta> => {
  const given = parseCallMeta(ctx.mcpReq._meta)
  return { ...(await serving.defaults(ctx)), ...given }
}

const invalidParamsError = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message)

/** Creates the channels for updates before a call has ended. */
function createNotifier({ mcpReq }: ServerContext, tool_call_id: string): Pick<McpCallContext, 'log' | 'progress'> {
  const progressToken = mcpReq._meta?.progressToken
  const _meta = { [`${META_PREFIX}tool_call_id`]: tool_call_id }
  return {
    log: (tool, message) => void mcpReq.log('info', message, tool).catch(noop),
    progress:
      progressToken === undefined
        ? undefined
        : update =>
            void mcpReq
              .notify({ method: 'notifications/progress', params: { progressToken, ...update, _meta } })
              .catch(noop)
  }
}

/** A disconnected client need not be notified. */
const noop = () => {}

/** Returns the id that the client gave the call, or a new one. */
export const newCallId = ({ tool_call_id = newId('tc') }: CallMeta) => ({ tool_call_id })

const OUTPUT_TEMPLATE = {
  uriTemplate: outputUri('{tool_call_id}'),
  name: 'output',
  title: 'Complete output of a command',
  description: 'Captured output of a call, as far as the server stores it.',
  mimeType: 'text/plain'
}
const OUTPUT_URI = /^toolgate:\/\/calls\/(tc_[0-9A-HJKMNP-TV-Z]{26})\/output$/

async function readOutput({ calls }: McpServerOptions, uri: string) {
  const [, id] = OUTPUT_URI.exec(uri) ?? []
  if (id === undefined) throw new ResourceNotFoundError(uri)
  try {
    const { text } = await calls.output(id, { stream: 'output', offset: 0, limit: MAX_READ_BYTES, wait_ms: 0 })
    return { contents: [{ uri, mimeType: 'text/plain', text }] }
  } catch (error) {
    if (error instanceof ToolError) throw new ResourceNotFoundError(uri)
    throw error
  }
}
