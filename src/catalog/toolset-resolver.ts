// Resolution of toolsets: maps names to tools, lists tools and formats calls.
import { ToolError } from '../errors.ts'
import { memoizeByObject } from '../text/memoize-by-object.ts'
import type { Tool } from '../tool/tool.ts'
import type { CallView, CallViewError, NamedCallView } from './call-view.ts'
import type { Toolset } from './toolset.ts'
import { createToolsetTool, fromNativeParams, type ToolsetTool, translatePointers } from './toolset-tool.ts'
import { APPROVAL_FORMATS } from './toolsets/approval-formats.ts'
import { ENVELOPES, wrapInEnvelope } from './toolsets/envelopes.ts'
import { TOOLSETS } from './toolsets/index.ts'
import type { ResultFormat } from './toolsets/result-format.ts'
import { RESULT_FORMATS } from './toolsets/result-formats.ts'

/** The tools that are available to the caller. */
export interface ToolFinder {
  find(name: string): Tool | undefined
  list(): Tool[]
}

/** Returns the toolset of that name. */
export function getToolset(name: string): Toolset {
  const toolset = TOOLSETS.find(candidate => candidate.name === name)
  if (toolset) return toolset
  const known = TOOLSETS.map(candidate => candidate.name).join(', ')
  throw new ToolError(
    'INVALID_PARAMS',
    `There is no toolset ${JSON.stringify(name.slice(0, 80))}; available: ${known}.`,
    {
      errors: [{ pointer: '/toolset', message: `must be one of ${known}` }]
    }
  )
}

/** Resolves a name in a toolset; undefined if it has no such name, or its tool is not available. */
export function resolveToolsetTool(toolset: Toolset, name: string, { find }: ToolFinder): ToolsetTool | undefined {
  const { tools, prefix = '', servesAll, passthroughCategories } = toolset
  const full = [name, prefix + name].find(candidate => Object.hasOwn(tools, candidate))
  if (full !== undefined) {
    const row = tools[full]!
    const tool = find(row.tool)
    return tool && getCachedTool(toolset, full, row, tool)
  }
  const bare = prefix !== '' && name.startsWith(prefix) ? [name, name.slice(prefix.length)] : [name]
  const tool = bare.map(find).find(found => found !== undefined)
  if (!tool) return undefined
  const isOfOthers = passthroughCategories.includes(tool.category)
  if (!servesAll && !isOfOthers) return undefined
  return getCachedTool(toolset, isOfOthers ? tool.name : prefix + tool.name, { tool: tool.name }, tool)
}

/** Lists the names of a toolset with available tools, in the toolset's order; then tools from other sources. */
export function listToolsetTools(toolset: Toolset, finder: ToolFinder): ToolsetTool[] {
  const { tools, prefix = '', servesAll, passthroughCategories } = toolset
  const done = new Set(Object.values(tools).map(({ tool }) => tool))
  const others = finder.list().filter(({ name, category }) => {
    const isOfOthers = passthroughCategories.includes(category)
    return !done.has(name) && (servesAll || isOfOthers)
  })
  const all = [
    ...Object.keys(tools),
    ...others.map(({ name, category }) => (passthroughCategories.includes(category) ? name : prefix + name))
  ]
  return all.flatMap(name => resolveToolsetTool(toolset, name, finder) ?? [])
}

/** Resolves a name in any toolset, for callers that name none and no native tool. */
export function resolveInAnyToolset(name: string, finder: ToolFinder): ToolsetTool | undefined {
  const found = TOOLSETS.filter(({ name: set }) => set !== 'native').flatMap(
    set => resolveToolsetTool(set, name, finder) ?? []
  )
  if (found.length < 2) return found[0]
  const toolsets = found.map(({ toolset }) => toolset.name)
  const sets = toolsets.join(', ')
  throw new ToolError('INVALID_PARAMS', `${name} exists in several toolsets: specify one (${sets}).`, {
    errors: [{ pointer: '/toolset', message: `must be one of ${sets}` }],
    toolsets
  })
}

/** Returns the alternate names of a tool in toolsets; some may be the native name of another. */
export const getAlternateNames = (tool: string): readonly string[] => [
  ...(NAMES_BY_TOOL.get(tool) ?? []),
  ...SERVE_ALL_PREFIXES.map(prefix => prefix + tool)
]

/** Prefixes of toolsets that serve every tool behind one. */
const SERVE_ALL_PREFIXES = TOOLSETS.flatMap(({ prefix, servesAll }) =>
  servesAll && prefix !== undefined ? [prefix] : []
)

const NAMES_BY_TOOL = new Map<string, string[]>()
for (const { tools, prefix } of TOOLSETS)
  for (const [name, { tool }] of Object.entries(tools)) {
    const bare = prefix !== undefined && name.startsWith(prefix) ? [name.slice(prefix.length)] : []
    const all = [...(NAMES_BY_TOOL.get(tool) ?? []), name, ...bare]
    NAMES_BY_TOOL.set(
      tool,
      [...new Set(all)].filter(each => each !== tool)
    )
  }

/** Converts a call to the names that it was requested with, or else to the toolset's names for its tool. */
function toNamedCall(
  toolset: Toolset,
  call: CallView,
  finder: ToolFinder
): { named: NamedCallView; served?: ToolsetTool } {
  const name =
    call.toolset === toolset.name && call.requested_tool !== undefined
      ? call.requested_tool
      : (findRow(toolset, call.tool) ?? call.tool)
  const found = resolveToolsetTool(toolset, name, finder)
  if (!found || found.tool.name !== call.tool)
    return { named: { call, name: call.tool, args: call.params as NamedCallView['args'] } }
  const translated = call.error ? { ...call, error: translateError(found, call.error) } : call
  return { named: { call: translated, name: found.name, args: fromNativeParams(found, call.params) }, served: found }
}

/** Returns the name of the row for a tool. */
const findRow = ({ tools }: Toolset, tool: string): string | undefined =>
  Object.keys(tools).find(candidate => tools[candidate]!.tool === tool)

/** Returns the toolset's name for a tool; the native one if it has none. */
function nameInToolset(toolset: Toolset, tool: string, finder: ToolFinder): string {
  const found = resolveToolsetTool(toolset, findRow(toolset, tool) ?? tool, finder)
  return found?.tool.name === tool ? found.name : tool
}

function translateError(served: ToolsetTool, error: CallViewError): CallViewError {
  const message = served.mapping.errorMessages?.[error.code]
  return translatePointers(served, message === undefined ? error : { ...error, message })
}

/** Formats a call in a toolset's names and envelope. */
export function formatToolsetCall(toolset: Toolset, call: CallView, finder: ToolFinder): unknown {
  const { named, served } = toNamedCall(toolset, call, finder)
  const form = served?.mapping.resultFormat ?? toolset.resultFormat
  return wrapInEnvelope(toolset.envelope, named, () => {
    if (call.content_removed) return { value: call.result!.content }
    const format: ResultFormat = RESULT_FORMATS[form]
    const error = format.failureOf?.(call.result!)
    const nameOf = (tool: string) => nameInToolset(toolset, tool, finder)
    return error ? { error } : { value: format.of(call.result!, named, nameOf) }
  })
}

/** Formats a waiting call for the approver, in the toolset's format. */
export const formatToolsetApproval = (toolset: Toolset, call: CallView, finder: ToolFinder): unknown =>
  APPROVAL_FORMATS[ENVELOPES[toolset.envelope].waiting](toNamedCall(toolset, call, finder).named)

/** The fields of an event that depend on the toolset. */
interface ToolEvent extends Partial<Omit<CallView, 'tool_call_id'>> {
  type: string
  pending?: CallView[]
  running?: CallView[]
}

/** Formats an event, or the snapshot at the beginning of a stream, in the toolset's names for its tool and params. */
export function formatToolsetEvent(toolset: Toolset, event: ToolEvent, finder: ToolFinder): object {
  if (event.pending && event.running)
    return {
      ...event,
      pending: event.pending.map(call => formatToolsetApproval(toolset, call, finder)),
      running: event.running.map(call => formatToolsetCall(toolset, call, finder))
    }
  if (event.tool === undefined) return event
  const hasParams = typeof event.params === 'object' && event.params !== null
  const call = { ...event, tool: event.tool, params: hasParams ? event.params : {} } as Partial<CallView> as CallView
  const { named } = toNamedCall(toolset, call, finder)
  return {
    ...event,
    tool: named.name,
    ...(hasParams && { params: named.args }),
    ...(named.call.error && { error: named.call.error })
  }
}

/** A request that was refused: one for a new call, or a decision about an existing one. */
export interface RefusedRequest {
  tool_call_id?: string | undefined
  tool?: string | undefined
  params?: unknown
}

/** Formats a refused request in the toolset's envelope. */
export function formatToolsetRefusal(toolset: Toolset, request: RefusedRequest, error: CallViewError): unknown {
  const { tool_call_id, tool, params } = request
  const about = { ...(tool_call_id !== undefined && { tool_call_id }), tool, params }
  const call = { ...about, status: 'error', background: false, error } as Partial<CallView> as CallView
  return wrapInEnvelope(toolset.envelope, { call, name: tool ?? '', args: params as NamedCallView['args'] }, () => ({
    value: undefined
  }))
}

/** Returns one instance per served tool, so that its validator is compiled once too. */
function getCachedTool(toolset: Toolset, name: string, row: Toolset['tools'][string], tool: Tool): ToolsetTool {
  const byName = toolsByName(tool)
  const key = `${toolset.name} ${name}`
  const made = byName.get(key) ?? createToolsetTool(toolset, name, row, tool)
  byName.set(key, made)
  return made
}

const toolsByName = memoizeByObject((_tool: Tool) => new Map<string, ToolsetTool>())
