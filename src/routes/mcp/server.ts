// What a client of the protocol is offered: the catalogue as tools, and what commands printed as resources. One SDK server
// serves one session, or one request of the generation without sessions.
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
import { LISTINGS } from '../../catalog/listing.ts'
import type { SettledCall } from '../../engine/call.ts'
import { newId } from '../../engine/id.ts'
import { describeError, ToolError } from '../../errors.ts'
import type { About } from '../server.ts'
import { AskedByAnswer, type Asker, type CallMeta, callMeta, META } from './call-context.ts'
import { type CallServices, callTool } from './call-tool.ts'
import { outputUri, refusalOf } from './tool-result.ts'

type Tool = ReturnType<Catalog['list']>[number]

/** What a client may see of the catalogue, under the names it is told. */
export interface Offered {
  list(): readonly Tool[]
  find(name: string): Tool | undefined
  /** Under its own name, with its own params and output. */
  isOwn(tool: Tool): boolean
  /** A call in the words of a toolset. */
  inWords(toolset: string, call: SettledCall): unknown
}

/** What one server serves, and how its generation asks people. */
export interface Serving extends CallServices {
  about: Pick<About, 'version'>
  /** The tools for calls that are made so. */
  offered(meta: CallMeta, caller: Asker['caller']): Offered
  /** What every call of the client is made with, where the request does not say it. */
  defaults(ctx: ServerContext): CallMeta | Promise<CallMeta>
  /** The call that a request makes, or joins. */
  callOf(ctx: ServerContext, meta: CallMeta): Pick<Asker, 'joins'> & { tool_call_id: string }
  asker(ctx: ServerContext): Pick<Asker, 'caller' | 'left' | 'ask'>
}

const INSTRUCTIONS =
  'Tools that work in a person’s project: files, search, git, commands, language servers. Paths are relative to the ' +
  'workspace root. Reads run at once; what changes or runs something may wait until a person approves it, so a call can ' +
  'take long: wait for it. A call that is rejected says why; do not repeat it unchanged. Large outputs are cut, with a ' +
  'note on how to read on.'

const PAGE = 200
const LONGEST_READ = 1_048_576
/** A question may stay open as long as an approval does. */
const LONGEST_TIMER_MS = 2_147_483_647
export const NO_TIME_LIMIT = { timeout: LONGEST_TIMER_MS, maxTotalTimeout: LONGEST_TIMER_MS }

export function serverOf(serving: Serving): Server {
  const { about } = serving
  const server = new Server(
    { name: 'toolgate', title: 'Toolgate', version: about.version },
    { capabilities: { tools: { listChanged: true }, resources: {}, logging: {} }, instructions: INSTRUCTIONS }
  )
  server.setRequestHandler('tools/list', async ({ params }, ctx) => {
    const { caller } = serving.asker(ctx)
    return page(serving.offered(await metaOf(serving, ctx), caller), params?.cursor)
  })
  server.setRequestHandler('tools/call', ({ params }, ctx) => call(serving, server, params, ctx))
  server.setRequestHandler('resources/list', () => ({ resources: [] }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [OUTPUT] }))
  server.setRequestHandler('resources/read', ({ params }) => readOutput(serving, params.uri))
  return server
}

interface Listing {
  name: string
  inputSchema: { type: 'object' }
  outputSchema?: Record<string, unknown>
}

/** A listing is made once for each tool. */
const listed = new WeakMap<Tool, Listing>()
function listing(tool: Tool): Listing {
  const known = listed.get(tool) ?? (LISTINGS.mcp(tool) as Listing)
  listed.set(tool, known)
  return known
}

/** A page begins after the tool that the cursor names, so that tools may come and go between two pages. */
function page({ list, isOwn }: Offered, cursor: string | undefined) {
  const tools = list()
  const after = cursor === undefined ? -1 : tools.findIndex(tool => listing(tool).name === fromCursor(cursor))
  if (cursor !== undefined && after < 0) throw invalid('The cursor is none of ours, or its tool is gone: list anew.')
  const some = tools.slice(after + 1, after + 1 + PAGE)
  const more = after + 1 + PAGE < tools.length
  return {
    tools: some.map(tool => (isOwn(tool) ? listing(tool) : { ...listing(tool), outputSchema: undefined })),
    ...(more && { nextCursor: Buffer.from(listing(some.at(-1)!).name).toString('base64url') })
  }
}
const fromCursor = (cursor: string) => Buffer.from(cursor, 'base64url').toString()

async function call(
  serving: Serving,
  server: Server,
  { name, arguments: params = {} }: CallToolRequest['params'],
  ctx: ServerContext
): Promise<CallToolResult | InputRequiredResult> {
  try {
    const meta = await metaOf(serving, ctx)
    const asks = serving.asker(ctx)
    const offered = serving.offered(meta, asks.caller)
    const tool = offered.find(name) ?? offered.list().find(each => listing(each).name === name)
    if (!tool) throw invalid(`There is no tool ${JSON.stringify(name.slice(0, 80))} here.`)
    const { tool_call_id, joins = false } = serving.callOf(ctx, meta)
    const asker = { ...asks, ...voiceOf(ctx, tool_call_id), meta, signal: ctx.mcpReq.signal, joins }
    const result = await callTool({ ...serving, ...offered }, { tool_call_id, tool: tool.name, params }, asker)
    return server.projectCallToolResult(result, offered.isOwn(tool) ? listing(tool).outputSchema : undefined)
  } catch (error) {
    if (error instanceof AskedByAnswer) return error.answer
    if (error instanceof ToolError) return refusalOf(serving.masking.maskedAll(describeError(error)))
    throw error
  }
}

const metaOf = async (serving: Serving, ctx: ServerContext): Promise<CallMeta> => {
  const given = callMeta(ctx.mcpReq._meta)
  return { ...(await serving.defaults(ctx)), ...given }
}

const invalid = (message: string) => new ProtocolError(ProtocolErrorCode.InvalidParams, message)

/** How a client hears of a call before it has ended. */
function voiceOf({ mcpReq }: ServerContext, tool_call_id: string): Pick<Asker, 'log' | 'progress'> {
  const progressToken = mcpReq._meta?.progressToken
  const _meta = { [`${META}tool_call_id`]: tool_call_id }
  return {
    log: (tool, message) => void mcpReq.log('info', message, tool).catch(ignored),
    progress:
      progressToken === undefined
        ? undefined
        : said =>
            void mcpReq
              .notify({ method: 'notifications/progress', params: { progressToken, ...said, _meta } })
              .catch(ignored)
  }
}

/** Whoever is gone need not be told. */
const ignored = () => {}

/** The id that the client gave the call, or a fresh one. */
export const freshCall = ({ tool_call_id = newId('tc') }: CallMeta) => ({ tool_call_id })

const OUTPUT = {
  uriTemplate: outputUri('{tool_call_id}'),
  name: 'output',
  title: 'All that a command printed',
  description: 'The whole output of a call that captured it, as far as it was kept.',
  mimeType: 'text/plain'
}
const OUTPUT_URI = /^toolgate:\/\/calls\/(tc_[0-9A-HJKMNP-TV-Z]{26})\/output$/

async function readOutput({ calls }: Serving, uri: string) {
  const [, id] = OUTPUT_URI.exec(uri) ?? []
  if (id === undefined) throw new ResourceNotFoundError(uri)
  try {
    const { text } = await calls.output(id, { stream: 'output', offset: 0, limit: LONGEST_READ, wait_ms: 0 })
    return { contents: [{ uri, mimeType: 'text/plain', text }] }
  } catch (error) {
    if (error instanceof ToolError) throw new ResourceNotFoundError(uri)
    throw error
  }
}
