// Toolsets at work: which tool a name of theirs means, what there is to list, and how a call is told in their words.
import { ToolError } from '../errors.ts'
import type { Tool } from '../tool/tool.ts'
import type { Named, Told, ToldError } from './call-view.ts'
import type { Toolset } from './toolset.ts'
import { fromOwn, pointingBack, type Served, served } from './toolset-tool.ts'
import { APPROVALS } from './toolsets/approval-formats.ts'
import { ENVELOPES, inEnvelope } from './toolsets/envelopes.ts'
import { TOOLSETS } from './toolsets/index.ts'
import { VALUES } from './toolsets/result-formats.ts'

/** The tools that there are for whoever asks. */
export interface Finder {
  find(name: string): Tool | undefined
  list(): Tool[]
}

/** The toolset of that name. */
export function toolsetNamed(name: string): Toolset {
  const toolset = TOOLSETS.find(candidate => candidate.name === name)
  if (toolset) return toolset
  const known = TOOLSETS.map(candidate => candidate.name).join(', ')
  throw new ToolError(
    'INVALID_PARAMS',
    `There is no toolset ${JSON.stringify(name.slice(0, 80))}; there are ${known}.`,
    {
      errors: [{ pointer: '/toolset', message: `must be one of ${known}` }]
    }
  )
}

/** What a name of a toolset means; undefined where it has no such name, or its tool is not there. */
export function servedAs(toolset: Toolset, name: string, { find }: Finder): Served | undefined {
  const { names, prefix = '', serves_all, also } = toolset
  const full = [name, prefix + name].find(candidate => Object.hasOwn(names, candidate))
  if (full !== undefined) {
    const row = names[full]!
    const tool = find(row.tool)
    return tool && kept(toolset, full, row, tool)
  }
  const bare = prefix !== '' && name.startsWith(prefix) ? [name, name.slice(prefix.length)] : [name]
  const tool = bare.map(find).find(found => found !== undefined)
  if (!tool) return undefined
  const isOfOthers = also.includes(tool.category)
  if (!serves_all && !isOfOthers) return undefined
  return kept(toolset, isOfOthers ? tool.name : prefix + tool.name, { tool: tool.name }, tool)
}

/** Every name of a toolset whose tool is there, in the toolset's order; then what others have brought. */
export function allServed(toolset: Toolset, finder: Finder): Served[] {
  const { names, prefix = '', serves_all, also } = toolset
  const done = new Set(Object.values(names).map(({ tool }) => tool))
  const others = finder.list().filter(({ name, category }) => {
    const isOfOthers = also.includes(category)
    return !done.has(name) && (serves_all || isOfOthers)
  })
  const all = [
    ...Object.keys(names),
    ...others.map(({ name, category }) => (also.includes(category) ? name : prefix + name))
  ]
  return all.flatMap(name => servedAs(toolset, name, finder) ?? [])
}

/** What a name means to whoever names no toolset and means no tool of the server's own. */
export function servedAnywhere(name: string, finder: Finder): Served | undefined {
  const found = TOOLSETS.filter(({ name: set }) => set !== 'native').flatMap(set => servedAs(set, name, finder) ?? [])
  if (found.length < 2) return found[0]
  const toolsets = found.map(({ toolset }) => toolset.name)
  const sets = toolsets.join(', ')
  throw new ToolError('INVALID_PARAMS', `${name} is a name of several toolsets: say which is meant (${sets}).`, {
    errors: [{ pointer: '/toolset', message: `must be one of ${sets}` }],
    toolsets
  })
}

/** The other names that toolsets have for a tool; some may be the own name of another. */
export const otherNames = (tool: string): readonly string[] => [
  ...(ROW_NAMES.get(tool) ?? []),
  ...PREFIXES.map(prefix => prefix + tool)
]

/** Of toolsets that serve every tool behind a prefix. */
const PREFIXES = TOOLSETS.flatMap(({ prefix, serves_all }) => (serves_all && prefix !== undefined ? [prefix] : []))

const ROW_NAMES = new Map<string, string[]>()
for (const { names, prefix } of TOOLSETS)
  for (const [name, { tool }] of Object.entries(names)) {
    const bare = prefix !== undefined && name.startsWith(prefix) ? [name.slice(prefix.length)] : []
    const all = [...(ROW_NAMES.get(tool) ?? []), name, ...bare]
    ROW_NAMES.set(
      tool,
      [...new Set(all)].filter(each => each !== tool)
    )
  }

/** A call by the names of a toolset: those by which it was asked for, or those that the toolset has for its tool. */
function inNames(toolset: Toolset, call: Told, finder: Finder): { named: Named; served?: Served } {
  const name =
    call.toolset === toolset.name && call.requested_tool !== undefined
      ? call.requested_tool
      : (Object.keys(toolset.names).find(candidate => toolset.names[candidate]!.tool === call.tool) ?? call.tool)
  const found = servedAs(toolset, name, finder)
  if (!found || found.tool.name !== call.tool)
    return { named: { call, name: call.tool, args: call.params as Named['args'] } }
  const told = call.error ? { ...call, error: pointingBack(found, call.error) } : call
  return { named: { call: told, name: found.name, args: fromOwn(found, call.params) }, served: found }
}

/** A call in a toolset's words and envelope. */
export function answerIn(toolset: Toolset, call: Told, finder: Finder): unknown {
  const { named, served } = inNames(toolset, call, finder)
  const form = served?.row.value ?? toolset.value
  return inEnvelope(toolset.envelope, named, () => VALUES[form].of(call.result!, named))
}

/** A call that waits, as the toolset tells it to whoever decides. */
export const approvalIn = (toolset: Toolset, call: Told, finder: Finder): unknown =>
  APPROVALS[ENVELOPES[toolset.envelope].waiting](inNames(toolset, call, finder).named)

/** A request that was not taken, in the toolset's envelope. */
export function refusalIn(toolset: Toolset, request: { tool: string; params: unknown }, error: ToldError): unknown {
  const { tool, params } = request
  const call = { tool, params, status: 'error', background: false, error } as Omit<Told, 'tool_call_id'> as Told
  return inEnvelope(toolset.envelope, { call, name: tool, args: params as Named['args'] }, () => undefined)
}

/** Made once for each tool as it is served: its face has its check compiled once too. */
function kept(toolset: Toolset, name: string, row: Toolset['names'][string], tool: Tool): Served {
  const byName = MADE.get(tool) ?? new Map<string, Served>()
  MADE.set(tool, byName)
  const key = `${toolset.name} ${name}`
  const made = byName.get(key) ?? served(toolset, name, row, tool)
  byName.set(key, made)
  return made
}
const MADE = new WeakMap<Tool, Map<string, Served>>()
