// One source of custom tools: the modules of a folder, and commands from the configuration. It is reloaded on changes, and an
// error in one tool does not affect the others.
import type { Contribution } from '../../config/contributions.ts'
import { ToolError } from '../../errors.ts'
import type { ModuleDescriptionCache } from '../../host/modules/module-description-cache.ts'
import { listModules, type ModuleFolder, WatchedModuleFolder } from '../../host/modules/module-folder.ts'
import type { ModulePool, ModuleReference } from '../../host/modules/module-pool.ts'
import type { ModuleDescription } from '../../host/modules/module-protocol.ts'
import type { Workspace } from '../../host/workspace.ts'
import type { Tool } from '../../tool/tool.ts'
import type { Catalog } from '../catalog.ts'
import { createCommandTool } from './command-tool.ts'
import { parseDefinition } from './definition.ts'
import { createModuleTool, moduleVersion } from './module-tool.ts'
import { DefinitionError } from './schemas.ts'

/** A custom tool with its state. */
export interface CustomTool {
  name: string
  kind: 'module' | 'command'
  /** The file that defines it. */
  file?: string
  /** The workspace that it is for; undefined for all. */
  workspace?: string
  /** `untrusted`: the file's current content has not been trusted, so it is not started. */
  state: 'served' | 'untrusted' | 'broken'
  /** Reason for which it is not served, and the resolution. */
  reason?: string
}

/** A custom tool with its served implementation. */
interface LoadedTool extends CustomTool {
  tool?: Tool
}

interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}

export interface CustomToolSourceOptions {
  /** The source's name in the catalog. */
  source: string
  /** Absent if there is none. */
  folder: string | undefined
  /** The workspace that its tools are for; undefined for all. */
  workspace?: string
  /** The workspace in which its modules are loaded to describe them. */
  describeIn: Workspace
  isTrusted(folder: ModuleFolder): boolean
  /** Filters the contributions for those of this source. */
  isContributed(brought: Contribution): boolean
  contributions(): readonly Contribution[]
  /** Names of environment variables that a module may read, by module name. */
  env: Readonly<Record<string, readonly string[]>>
  catalog: Catalog
  pool: ModulePool
  known: ModuleDescriptionCache
  log: Log
}

const MAX_CONCURRENCY = 4
const DESCRIBE_TIMEOUT_MS = 60_000

export class CustomToolSource {
  readonly #options: CustomToolSourceOptions
  readonly #folder: WatchedModuleFolder | undefined
  readonly #closing = new AbortController()
  #modules: LoadedTool[] = []
  #commands: LoadedTool[] = []
  /** The folder of the served modules. */
  #loadedFolder: ModuleFolder | undefined
  /** The issues that have been logged. */
  #reportedIssues: ReadonlySet<string> = new Set()
  /** Serializes refreshes. */
  #pendingRefresh: Promise<void> = Promise.resolve()
  #isRefreshQueued = false

  constructor(options: CustomToolSourceOptions) {
    this.#options = options
    this.#folder =
      options.folder === undefined ? undefined : new WatchedModuleFolder(options.folder, () => this.refresh())
    this.#loadCommands()
    this.#publish()
  }

  /** Serves modules whose descriptions are cached, which takes no process. */
  serveKnown(): Promise<void> {
    this.#pendingRefresh = this.#pendingRefresh.then(() => this.#serveKnown())
    return this.#pendingRefresh
  }

  async #serveKnown() {
    const { isTrusted, known } = this.#options
    // The refresh that follows reports what is wrong with the folder.
    const folder = await this.#folder?.read().catch(() => undefined)
    if (!folder || !isTrusted(folder)) return
    const names = listModules(folder).filter(name => known.get(this.#toReference(folder, name)))
    this.#modules = await Promise.all(names.map(name => this.#describe(folder, name)))
    this.#publish()
  }

  /** Reloads the tools. Resolves when they are served. */
  refresh(): Promise<void> {
    if (this.#isRefreshQueued) return this.#pendingRefresh
    this.#isRefreshQueued = true
    this.#pendingRefresh = this.#pendingRefresh.then(() => this.#refresh())
    return this.#pendingRefresh
  }

  /** Never rejects: errors become states of tools. */
  async #refresh(): Promise<void> {
    this.#isRefreshQueued = false
    if (this.#closing.signal.aborted) return
    this.#loadCommands()
    await this.#loadModules()
    this.#publish()
  }

  /** Returns the states of all tools. Among duplicate names, the first is served, wherever the other is. */
  states(): CustomTool[] {
    const { catalog, workspace } = this.#options
    return this.#allTools().map(({ tool, ...state }) =>
      tool === undefined || catalog.find(tool.name, { workspace }) === tool
        ? state
        : { ...state, state: 'broken', reason: `Another tool has the name ${tool.name}: choose another name.` }
    )
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#folder?.close()
    await this.#pendingRefresh
  }

  #allTools(): LoadedTool[] {
    return [...this.#commands, ...this.#modules]
  }

  #publish() {
    const { source, workspace, catalog, log } = this.#options
    const tools = new Map<string, Tool>()
    for (const { tool } of this.#allTools()) if (tool && !tools.has(tool.name)) tools.set(tool.name, tool)
    catalog.setTools(source, [...tools.values()], workspace === undefined ? {} : { workspace })
    const reported = new Set<string>()
    for (const { name, file, state, reason } of this.states()) {
      if (state === 'served') continue
      const key = JSON.stringify([name, file, reason])
      if (!this.#reportedIssues.has(key)) log.warn({ tool: name, file, reason }, `a custom tool is ${state}`)
      reported.add(key)
    }
    this.#reportedIssues = reported
  }

  #loadCommands() {
    const { contributions, isContributed } = this.#options
    const known = new Map(this.#commands.map(found => [found.tool?.version, found]))
    const found = new Map<string, LoadedTool>()
    for (const one of contributions().filter(isContributed))
      for (const [name, command] of Object.entries(one.command_tools)) {
        const version = JSON.stringify([name, one.file, one.trusted, command])
        found.set(name, known.get(version) ?? this.#loadCommand(name, { brought: one, version }))
      }
    this.#commands = [...found.values()]
  }

  #loadCommand(name: string, { brought, version }: { brought: Contribution; version: string }): LoadedTool {
    const { pool } = this.#options
    const about = this.#baseState(name, 'command', brought.file)
    if (!brought.trusted) return { ...about, state: 'untrusted', reason: untrustedReason(brought.file) }
    try {
      const tool = createCommandTool(name, brought.command_tools[name]!, pool.environment, version)
      return { ...about, state: 'served', tool }
    } catch (error) {
      return { ...about, state: 'broken', reason: toReason(error) }
    }
  }

  async #loadModules() {
    const { isTrusted, folder: path, pool } = this.#options
    const before = this.#loadedFolder
    this.#loadedFolder = undefined
    try {
      const folder = await this.#folder?.read()
      if (!folder) this.#modules = []
      else if (!isTrusted(folder)) this.#modules = listModules(folder).map(name => this.#toUntrusted(folder, name))
      else if (before?.sha256 === folder.sha256) this.#loadedFolder = folder
      else {
        this.#modules = await this.#describeAll(folder)
        this.#loadedFolder = folder
      }
    } catch (error) {
      this.#modules = [{ ...this.#baseState('', 'module', path), state: 'broken', reason: toReason(error) }]
    }
    if (before && before.sha256 !== this.#loadedFolder?.sha256) void pool.evict({ folder: before }).catch(() => {})
  }

  #toUntrusted(folder: ModuleFolder, name: string): LoadedTool {
    const about = this.#baseState(stripExtension(name), 'module', `${folder.path}/${name}`)
    return { ...about, state: 'untrusted', reason: untrustedReason(folder.path) }
  }

  /** Describes modules with limited concurrency, in the order of their names. Those that are served already stay the same. */
  async #describeAll(folder: ModuleFolder): Promise<LoadedTool[]> {
    const served = new Map(this.#modules.map(found => [found.tool?.version, found]))
    const describe = async (name: string) =>
      served.get(moduleVersion(this.#toReference(folder, name))) ?? this.#describe(folder, name)
    const names = listModules(folder)
    const found: LoadedTool[] = []
    for (let at = 0; at < names.length; at += MAX_CONCURRENCY)
      found.push(...(await Promise.all(names.slice(at, at + MAX_CONCURRENCY).map(describe))))
    return found
  }

  async #describe(folder: ModuleFolder, name: string): Promise<LoadedTool> {
    const { log } = this.#options
    const about = this.#baseState(stripExtension(name), 'module', `${folder.path}/${name}`)
    const module = this.#toReference(folder, name)
    try {
      const definition = parseDefinition(await this.#getDescription(module), stripExtension(name))
      return { ...about, name: definition.name, state: 'served', tool: createModuleTool(definition, module, log) }
    } catch (error) {
      return { ...about, state: 'broken', reason: toReason(error) }
    }
  }

  /** Returns the module's description of itself. */
  async #getDescription(module: ModuleReference): Promise<ModuleDescription> {
    const { pool, known, describeIn: workspace } = this.#options
    const before = known.get(module)
    if (before) return before
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(DESCRIBE_TIMEOUT_MS)])
    const where = { workspace, isolation: await pool.minimalIsolation(), signal }
    const { value } = await pool.run(module, where, async ({ description }) => description)
    known.set(module, value)
    return value
  }

  #toReference(folder: ModuleFolder, name: string): ModuleReference {
    return { folder, name, env_allow: this.#options.env[stripExtension(name)] ?? [] }
  }

  #baseState(name: string, kind: CustomTool['kind'], file: string | undefined): Omit<CustomTool, 'state'> {
    const { workspace } = this.#options
    return { name, kind, ...(file !== undefined && { file }), ...(workspace !== undefined && { workspace }) }
  }
}

const stripExtension = (name: string) => name.replace(/\.m?[jt]s$/, '')

const untrustedReason = (file = 'the file') =>
  `Not trusted in its current version: review it, then run toolgate trust ${file}`

/** Shows errors in a module to its author; describes others by their message. */
const toReason = (error: unknown): string =>
  error instanceof DefinitionError || error instanceof ToolError ? error.message : String(error)
