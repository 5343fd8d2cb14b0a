// Which tools exist now, for whom, and whether params fit them: the one door to every tool, whoever made it.
import { Ajv, type ValidateFunction } from 'ajv'
import { type AgentIdentity, findAgentEntry } from '../config/agents.ts'
import type { Config } from '../config/schema.ts'
import { ToolError } from '../errors.ts'
import { globMatches } from '../text/glob/match.ts'
import { describeSchemaError } from '../text/schema-errors.ts'
import type { ResolvedRequest } from '../tool/resolved-request.ts'
import type { Tool } from '../tool/tool.ts'
import { isReservedName, toAlias } from './alias.ts'
import type { CallView, CallViewError } from './call-view.ts'
import { inputSchema } from './schema.ts'
import {
  formatToolsetApproval,
  formatToolsetCall,
  formatToolsetRefusal,
  getAlternateNames,
  getToolset,
  listToolsetTools,
  resolveInAnyToolset,
  resolveToolsetTool,
  type ToolFinder
} from './toolset-resolver.ts'
import { type ToolsetTool, toNativeParams, translatePointers } from './toolset-tool.ts'

interface ParamsIssue {
  /** JSON pointer into the params. */
  pointer: string
  message: string
}

/** Whom tools are for. */
export interface Audience extends AgentIdentity {
  /** Name of the workspace that a call is about; without it only what is for all of them. */
  workspace?: string | undefined
}

/** The same, for whoever may mean the names of a toolset. */
export interface ToolsetAudience extends Audience {
  toolset?: string | undefined
}

/** What is other than before among the tools of one source, by name. */
export interface CatalogChange {
  source: string
  workspace?: string
  added: string[]
  removed: string[]
  changed: string[]
}

/** Where tools come from that come and go together. */
interface CatalogSource {
  tools: ReadonlyMap<string, Tool>
  /** The workspace that they are for, where not for all. */
  workspace: string | undefined
}

export class Catalog {
  /** In the order in which they were first put: of two tools of one name the first is served. */
  readonly #sources = new Map<string, CatalogSource>()
  readonly #agents: Config['agents']
  readonly #validators = new WeakMap<Tool, ValidateFunction>()
  readonly #listeners = new Set<(change: CatalogChange) => void>()
  #ajv: Ajv | undefined

  constructor(builtIn: readonly Tool[], agents: Config['agents']) {
    this.setTools('built-in', builtIn)
    this.#agents = agents
    for (const [agent, { tools: sets }] of Object.entries(agents))
      for (const glob of [...(sets?.allow ?? []), ...(sets?.deny ?? [])]) assertValidGlob(agent, glob)
  }

  /** These are all the tools of that source now, there or everywhere. Answers the names that are not served, since earlier
   * sources have them or no tool may. */
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

  /** Hears of each change from now on. Answers how to stop that. */
  onChange(listener: (change: CatalogChange) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The tool of that name, if it is served there and this agent may see it. */
  find(name: string, audience: Audience): Tool | undefined {
    const tool = this.#findByName(name, audience.workspace)
    return tool && this.#isVisible(tool, audience) ? tool : undefined
  }

  /** Every tool that is served there and that this agent may see, in the order of the sources; with a toolset, those that
   * it has a name for, as it names and describes them. */
  list({ toolset, ...audience }: ToolsetAudience): Tool[] {
    const set = toolset ?? this.#getDefaultToolset(audience)
    if (set === undefined || set === 'native') return this.#listAll(audience)
    return listToolsetTools(getToolset(set), this.#createFinder(audience)).map(({ facade }) => facade)
  }

  /** The same for one name. */
  findListed(name: string, audience: ToolsetAudience): Tool | undefined {
    const found = this.#resolveName(name, audience)
    return found && 'facade' in found ? found.facade : found
  }

  /** What a request means: its tool, by its own name, and the params it runs with, which are checked. */
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

  /** Params for a call that are given by the names by which it was asked for, as its tool takes them. */
  translateParams({ tool, toolset, requested_tool, agent, workspace }: RequestedTool, params: unknown): unknown {
    if (toolset === undefined) return params
    return this.resolve({ tool: requested_tool ?? tool, params, toolset, agent, workspace }).params
  }

  /** A call in the words and the envelope of a toolset. */
  formatCall(toolset: string, call: CallView & Audience): unknown {
    return formatToolsetCall(getToolset(toolset), call, this.#createFinder(call))
  }

  /** A call that waits, as a toolset tells it to whoever decides. */
  formatApproval(toolset: string, call: CallView & Audience): unknown {
    return formatToolsetApproval(getToolset(toolset), call, this.#createFinder(call))
  }

  /** A request that was not taken, in the envelope of a toolset. */
  formatRefusal(toolset: string, request: { tool: string; params: unknown }, error: CallViewError): unknown {
    return formatToolsetRefusal(getToolset(toolset), request, error)
  }

  /** The other names that toolsets have for a tool: rules and tool sets may name it by them. */
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

  /** Whether this agent is kept from a tool of that name. */
  isDenied(name: string, asker: AgentIdentity): boolean {
    const { deny = [] } = findAgentEntry(this.#agents, asker)?.tools ?? {}
    return deny.some(glob => globMatches(glob, name))
  }

  /** Throws INVALID_PARAMS with the pointer of every fault. */
  validate(tool: Tool, params: unknown) {
    if (tool.validate) return throwInvalidParams(tool.validate(params))
    const check = this.#validators.get(tool) ?? this.#compile(tool)
    if (check(params)) return
    throwInvalidParams(check.errors!.map(describeSchemaError))
  }

  /** The toolset that is named, else the agent's own and then the server's names, else the one that has the name. */
  #resolveName(name: string, { toolset, ...audience }: ToolsetAudience): Tool | ToolsetTool | undefined {
    const finder = this.#createFinder(audience)
    if (toolset === 'native') return finder.find(name)
    if (toolset !== undefined) return resolveToolsetTool(getToolset(toolset), name, finder)
    const usual = this.#getDefaultToolset(audience)
    const byUsual = usual === undefined ? undefined : resolveToolsetTool(getToolset(usual), name, finder)
    return byUsual ?? finder.find(name) ?? resolveInAnyToolset(name, finder)
  }

  /** Faults are told by the names of whoever asked. */
  #translate(found: ToolsetTool, given: unknown) {
    this.validate(found.facade, given)
    const own = toNativeParams(found, given as Record<string, unknown>)
    try {
      this.validate(found.tool, own.params)
    } catch (error) {
      const { code, message, details } = error as ToolError
      const told = translatePointers(found, { message, details })
      throw new ToolError(code, told.message, told.details)
    }
    return own
  }

  #createFinder(audience: Audience): ToolFinder {
    return { find: name => this.find(name, audience), list: () => this.#listAll(audience) }
  }

  #getDefaultToolset(asker: Audience): string | undefined {
    return findAgentEntry(this.#agents, asker)?.toolset
  }

  /** By its name, else by the one that the APIs of models have for it. */
  #findByName(name: string, workspace: string | undefined): Tool | undefined {
    const served = [...this.#sources.values()].filter(source => isAvailableIn(source, workspace))
    for (const { tools } of served) {
      const tool = tools.get(name)
      if (tool) return tool
    }
    const meant = served.flatMap(({ tools }) => [...tools.keys()]).find(each => toAlias(each) === name)
    return meant === undefined ? undefined : this.#findByName(meant, workspace)
  }

  /** No list means every tool; deny wins. An agent of which no entry speaks sees every tool. */
  #isVisible({ name }: Tool, asker: AgentIdentity) {
    const { allow, deny } = findAgentEntry(this.#agents, asker)?.tools ?? {}
    const others = this.alternateNames(name)
    const listed = (globs: readonly string[]) => globs.some(glob => globMatches(glob, name) || others.includes(glob))
    return (allow === undefined || listed(allow)) && !(deny !== undefined && listed(deny))
  }

  #compile(tool: Tool) {
    this.#ajv ??= new Ajv({
      allErrors: true,
      verbose: true,
      strict: false,
      logger: false,
      coerceTypes: false,
      removeAdditional: false,
      useDefaults: false,
      meta: false,
      validateSchema: false
    })
    const check = this.#ajv.compile(inputSchema(tool))
    this.#validators.set(tool, check)
    return check
  }
}

/** What a call says of how it was asked for. */
type RequestedTool = Pick<CallView, 'tool' | 'toolset' | 'requested_tool'> & Audience

function unknownToolError(name: string, toolset: string | undefined): ToolError {
  const where =
    toolset === undefined
      ? 'here; GET /tools lists them'
      : `in toolset ${toolset}; GET /tools?toolset=${toolset} lists them`
  return new ToolError('UNKNOWN_TOOL', `There is no tool ${JSON.stringify(name.slice(0, 80))} ${where}.`)
}

function throwInvalidParams(faults: readonly ParamsIssue[]) {
  const errors = faults.map(({ pointer, message }) => ({ pointer: `/params${pointer}`, message }))
  const [first] = errors
  if (first) throw new ToolError('INVALID_PARAMS', `${first.pointer} ${first.message}.`, { errors })
}

const isAvailableIn = (source: CatalogSource, workspace: string | undefined) =>
  source.workspace === undefined || source.workspace === workspace

/** A tool set that cannot be read should stop the start, not each of the agent's calls. */
function assertValidGlob(agent: string, glob: string) {
  try {
    globMatches(glob, '')
  } catch (error) {
    throw new Error(`agents.${agent}.tools: ${JSON.stringify(glob)}: ${(error as SyntaxError).message}`, {
      cause: error
    })
  }
}
