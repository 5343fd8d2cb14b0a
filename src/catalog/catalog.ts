// Catalog of tools: lookup, visibility per agent and validation of params, for tools from any source.
import { type AgentIdentity, findAgentEntry } from '../config/agents.ts'
import type { Config } from '../config/schema.ts'
import { ToolError } from '../errors.ts'
import { globMatches } from '../text/glob/match.ts'
import type { ResolvedRequest } from '../tool/resolved-request.ts'
import type { Tool } from '../tool/tool.ts'
import { isReservedName, toAlias } from './alias.ts'
import type { CallView, CallViewError } from './call-view.ts'
import { findParamsIssues, type ParamsIssue } from './params-validation.ts'
import {
  formatToolsetApproval,
  formatToolsetCall,
  formatToolsetEvent,
  formatToolsetRefusal,
  getAlternateNames,
  getToolset,
  listToolsetTools,
  type RefusedRequest,
  resolveInAnyToolset,
  resolveToolsetTool,
  type ToolFinder
} from './toolset-resolver.ts'
import { type ToolsetTool, toNativeParams, translatePointers } from './toolset-tool.ts'

/** The audience that tools are visible to. */
interface Audience extends AgentIdentity {
  /** Name of the call's workspace; without it, only tools for all workspaces. */
  workspace?: string | undefined
}

/** An audience that may use the names of a toolset. */
interface ToolsetAudience extends Audience {
  toolset?: string | undefined
}

/** Changes of the tools of one source, by name. */
interface CatalogChange {
  source: string
  workspace?: string
  added: string[]
  removed: string[]
  changed: string[]
}

/** A source whose tools are replaced together. */
interface CatalogSource {
  tools: ReadonlyMap<string, Tool>
  /** The workspace that they are for; undefined for all. */
  workspace: string | undefined
}

export class Catalog {
  /** In the order of their first registration: for duplicate names, the first is served. */
  readonly #sources = new Map<string, CatalogSource>()
  readonly #agents: Config['agents']
  readonly #isOffered: (tool: Pick<Tool, 'traits'>) => boolean
  readonly #listeners = new Set<(change: CatalogChange) => void>()

  /** `isOffered` returns false for a tool that is not listed, but still served. */
  constructor(
    builtIn: readonly Tool[],
    agents: Config['agents'],
    isOffered: (tool: Pick<Tool, 'traits'>) => boolean = () => true
  ) {
    this.#isOffered = isOffered
    this.setTools('built-in', builtIn)
    this.#agents = agents
    for (const [agent, { tools: sets }] of Object.entries(agents))
      for (const glob of [...(sets?.allow ?? []), ...(sets?.deny ?? [])]) assertValidGlob(agent, glob)
  }

  /**
   * Replaces all tools of a source, for one workspace or for all. Returns the names that are not served because an earlier source
   * has them or they are reserved.
   */
  setTools(source: string, tools: readonly Tool[], { workspace }: { workspace?: string } = {}): string[] {
    const key = JSON.stringify([source, workspace])
    const before = this.#sources.get(key)?.tools ?? new Map<string, Tool>()
    const now = new Map(tools.filter(({ name }) => !isReservedName(name)).map(tool => [tool.name, tool]))
    this.#sources.set(key, { tools: now, workspace })
    const change = {
      added: [...now.keys()].filter(name => !before.has(name)),
      removed: [...before.keys()].filter(name => !now.has(name)),
      changed: [...now].filter(([name, tool]) => before.has(name) && before.get(name) !== tool).map(([name]) => name)
    }
    if (Object.values(change).some(names => names.length > 0))
      for (const listener of this.#listeners)
        listener({ source, ...(workspace !== undefined && { workspace }), ...change })
    return tools.filter(tool => this.#findByName(tool.name, workspace) !== tool).map(({ name }) => name)
  }

  /** Subscribes to changes. Returns a function that unsubscribes. */
  onChange(listener: (change: CatalogChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Returns the tool of that name, if it is served there and visible to this agent. */
  find(name: string, audience: Audience): Tool | undefined {
    const tool = this.#findByName(name, audience.workspace)
    return tool && this.#isVisible(tool, audience) ? tool : undefined
  }

  /**
   * Lists the tools that are served there and visible to this agent, in the order of the sources; with a toolset, those that it
   * maps, in its names and descriptions.
   */
  list({ toolset, ...audience }: ToolsetAudience): Tool[] {
    const set = toolset ?? this.#getDefaultToolset(audience)
    const tools =
      set === undefined || set === 'native'
        ? this.#listAll(audience)
        : listToolsetTools(getToolset(set), this.#createFinder(audience)).map(({ facade }) => facade)
    return tools.filter(this.#isOffered)
  }

  /** Returns the listed tool of that name. */
  findListed(name: string, audience: ToolsetAudience): Tool | undefined {
    const found = this.#resolveName(name, audience)
    return found && 'facade' in found ? found.facade : found
  }

  /** Resolves a request to its tool and validated native params. */
  resolve({ tool: name, params, ...audience }: ToolsetAudience & { tool: string; params: unknown }): ResolvedRequest {
    const found = this.#resolveName(name, audience)
    if (!found) throw unknownToolError(name, audience.toolset)
    if (!('facade' in found)) {
      this.validate(found, params)
      return { tool: found, params }
    }
    const { mapping, toolset, tool } = found
    return {
      tool,
      ...this.#translate(found, params),
      ...(mapping.timeout_ms !== undefined && { timeout_ms: mapping.timeout_ms }),
      toolset: toolset.name,
      requested_tool: found.name
    }
  }

  /** Translates params from the names that the call was requested with to those of its tool. */
  translateParams({ tool, toolset, requested_tool, agent, workspace }: RequestedTool, params: unknown): unknown {
    if (toolset === undefined) return params
    return this.resolve({ tool: requested_tool ?? tool, params, toolset, agent, workspace }).params
  }

  /** Formats a call in the names and the envelope of a toolset. */
  formatCall(toolset: string, call: CallView & Audience): unknown {
    return formatToolsetCall(getToolset(toolset), call, this.#createFinder(call))
  }

  /** Formats a waiting call for the approver, in a toolset's format. */
  formatApproval(toolset: string, call: CallView & Audience): unknown {
    return formatToolsetApproval(getToolset(toolset), call, this.#createFinder(call))
  }

  /** Returns a function that formats events in the names of a toolset. */
  eventFormatter(toolset: string): (event: { type: string; workspace?: string }) => object {
    const set = getToolset(toolset)
    return event => {
      // An event names no caller: what a reader may see was decided before.
      const find = (name: string) => this.#findByName(name, event.workspace)
      return formatToolsetEvent(set, event, { find, list: () => [] })
    }
  }

  /** Formats a refused request in the envelope of a toolset. */
  formatRefusal(toolset: string, request: RefusedRequest, error: CallViewError): unknown {
    return formatToolsetRefusal(getToolset(toolset), request, error)
  }

  /** Returns the alternate names of a tool in toolsets, which rules and tool lists may use. */
  alternateNames(tool: string): readonly string[] {
    const sources = [...this.#sources.values()]
    return getAlternateNames(tool).filter(name => !sources.some(({ tools }) => tools.has(name)))
  }

  #listAll(audience: Audience): Tool[] {
    const served = [...this.#sources.values()].filter(source => isAvailableIn(source, audience.workspace))
    const tools = new Map<string, Tool>()
    for (const source of served) for (const [name, tool] of source.tools) if (!tools.has(name)) tools.set(name, tool)
    return [...tools.values()].filter(tool => this.#isVisible(tool, audience))
  }

  /** Returns true if this agent is denied a tool of that name. */
  isDenied(name: string, asker: AgentIdentity): boolean {
    const { deny = [] } = findAgentEntry(this.#agents, asker)?.tools ?? {}
    return deny.some(glob => globMatches(glob, name))
  }

  /** Throws INVALID_PARAMS with a JSON pointer for each error. */
  validate(tool: Tool, params: unknown) {
    throwInvalidParams(tool.validate ? tool.validate(params) : findParamsIssues(tool, params))
  }

  /** Resolves a name in the given toolset; else in the agent's, then among native names, then in any toolset. */
  #resolveName(name: string, { toolset, ...audience }: ToolsetAudience): Tool | ToolsetTool | undefined {
    const finder = this.#createFinder(audience)
    if (toolset === 'native') return finder.find(name)
    if (toolset !== undefined) return resolveToolsetTool(getToolset(toolset), name, finder)
    const usual = this.#getDefaultToolset(audience)
    const byUsual = usual === undefined ? undefined : resolveToolsetTool(getToolset(usual), name, finder)
    return byUsual ?? finder.find(name) ?? resolveInAnyToolset(name, finder)
  }

  /** Translates params, and errors back to the caller's names. */
  #translate(found: ToolsetTool, given: unknown) {
    this.validate(found.facade, given)
    const own = toNativeParams(found, given as Record<string, unknown>)
    try {
      this.validate(found.tool, own.params)
    } catch (error) {
      const { code, message, details } = error as ToolError
      const translated = translatePointers(found, { message, details })
      throw new ToolError(code, translated.message, translated.details)
    }
    return own
  }

  #createFinder(audience: Audience): ToolFinder {
    return { find: name => this.find(name, audience), list: () => this.#listAll(audience) }
  }

  #getDefaultToolset(asker: Audience): string | undefined {
    return findAgentEntry(this.#agents, asker)?.toolset
  }

  /** Finds a tool by its name, else by its alias. */
  #findByName(name: string, workspace: string | undefined): Tool | undefined {
    const served = [...this.#sources.values()].filter(source => isAvailableIn(source, workspace))
    for (const { tools } of served) {
      const tool = tools.get(name)
      if (tool) return tool
    }
    const meant = served.flatMap(({ tools }) => [...tools.keys()]).find(each => toAlias(each) === name)
    return meant === undefined ? undefined : this.#findByName(meant, workspace)
  }

  /** Applies the agent's tool lists: no list allows every tool; deny wins. An agent without an entry sees every tool. */
  #isVisible({ name }: Tool, asker: AgentIdentity) {
    const { allow, deny } = findAgentEntry(this.#agents, asker)?.tools ?? {}
    const others = this.alternateNames(name)
    const listed = (globs: readonly string[]) => globs.some(glob => globMatches(glob, name) || others.includes(glob))
    return (allow === undefined || listed(allow)) && !(deny !== undefined && listed(deny))
  }
}

/** The names that a call was requested with. */
type RequestedTool = Pick<CallView, 'tool' | 'toolset' | 'requested_tool'> & Audience

function unknownToolError(name: string, toolset: string | undefined): ToolError {
  const where =
    toolset === undefined
      ? '. GET /tools lists the tools'
      : ` in the toolset ${toolset}. GET /tools?toolset=${toolset} lists its tools`
  return new ToolError('UNKNOWN_TOOL', `There is no tool ${JSON.stringify(name.slice(0, 80))}${where}.`)
}

function throwInvalidParams(issues: readonly ParamsIssue[]) {
  const errors = issues.map(({ pointer, message }) => ({ pointer: `/params${pointer}`, message }))
  const [first] = errors
  if (first) throw new ToolError('INVALID_PARAMS', `${first.pointer} ${first.message}.`, { errors })
}

const isAvailableIn = (source: CatalogSource, workspace: string | undefined) =>
  source.workspace === undefined || source.workspace === workspace

/** An invalid tool list should fail at startup, not in each of the agent's calls. */
function assertValidGlob(agent: string, glob: string) {
  try {
    globMatches(glob, '')
  } catch (error) {
    throw new Error(`agents.${agent}.tools: ${JSON.stringify(glob)}: ${(error as SyntaxError).message}`, {
      cause: error
    })
  }
}
