// One place that tools of users come from: the modules of a folder, and commands that configuration makes tools of. It is
// looked at anew when something there changes, and what is wrong with one of its tools keeps no other from being served.
import type { Brought } from '../../config/contributions.ts'
import { ToolError } from '../../errors.ts'
import type { Workspace } from '../../host/host.ts'
import type { KnownModules } from '../../host/modules/module-description-cache.ts'
import { FollowedFolder, type ModuleFolder, modulesIn } from '../../host/modules/module-folder.ts'
import type { Module, ModulePool } from '../../host/modules/module-pool.ts'
import type { Described } from '../../host/modules/module-protocol.ts'
import type { Tool } from '../../tool/tool.ts'
import type { Catalog } from '../catalog.ts'
import { commandTool } from './command-tool.ts'
import { definitionOf } from './definition.ts'
import { moduleTool } from './module-tool.ts'
import { DefinitionFault } from './schemas.ts'

/** A tool of a user, and how it stands. */
export interface CustomTool {
  name: string
  kind: 'module' | 'command'
  /** The file that it comes from. */
  file?: string
  /** The workspace that it is for, where not for all. */
  workspace?: string
  /** `untrusted`: nobody has trusted the file as it is, so it is not started. */
  state: 'served' | 'untrusted' | 'broken'
  /** Why it is not served, and what to do. */
  reason?: string
}

/** A state with what is served. */
interface Found extends CustomTool {
  tool?: Tool
}

interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}

export interface PlaceOptions {
  /** As the catalogue calls it. */
  source: string
  /** Absent where there are none. */
  folder: string | undefined
  /** The workspace that its tools are for, where not for all. */
  workspace?: string
  /** Where its modules are described. */
  in: Workspace
  isTrusted(folder: ModuleFolder): boolean
  /** Of all that is brought, what is brought here. */
  brings(brought: Brought): boolean
  brought(): readonly Brought[]
  /** Names of environment variables that a module may see, by its name. */
  env: Readonly<Record<string, readonly string[]>>
  catalog: Catalog
  pool: ModulePool
  known: KnownModules
  log: Log
}

const AT_ONCE = 4
const DESCRIBE_MS = 60_000

export class Place {
  readonly #options: PlaceOptions
  readonly #folder: FollowedFolder | undefined
  readonly #closing = new AbortController()
  #modules: Found[] = []
  #commands: Found[] = []
  /** What the modules are of, if they are served. */
  #looked: ModuleFolder | undefined
  /** What is not served, as the log has been told. */
  #told: ReadonlySet<string> = new Set()
  /** One look after the other. */
  #looking: Promise<void> = Promise.resolve()
  #isDue = false

  constructor(options: PlaceOptions) {
    this.#options = options
    this.#folder = options.folder === undefined ? undefined : new FollowedFolder(options.folder, () => this.look())
    this.#takeCommands()
    this.#put()
  }

  /** Looks what is there now. Resolves when that is served. */
  look(): Promise<void> {
    if (this.#isDue) return this.#looking
    this.#isDue = true
    this.#looking = this.#looking.then(() => this.#look())
    return this.#looking
  }

  /** Never fails: what is wrong is how a tool stands. */
  async #look(): Promise<void> {
    this.#isDue = false
    if (this.#closing.signal.aborted) return
    this.#takeCommands()
    await this.#takeModules()
    this.#put()
  }

  /** How all of them stand. Of two of one name the first is served, wherever the other is. */
  states(): CustomTool[] {
    const { catalog, workspace } = this.#options
    return this.#found().map(({ tool, ...state }) =>
      tool === undefined || catalog.find(tool.name, { workspace }) === tool
        ? state
        : { ...state, state: 'broken', reason: `Another tool is called ${tool.name} already: take another name.` }
    )
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#folder?.close()
    await this.#looking
  }

  #found(): Found[] {
    return [...this.#commands, ...this.#modules]
  }

  #put() {
    const { source, workspace, catalog, log } = this.#options
    const tools = new Map<string, Tool>()
    for (const { tool } of this.#found()) if (tool && !tools.has(tool.name)) tools.set(tool.name, tool)
    catalog.put(source, [...tools.values()], workspace === undefined ? {} : { workspace })
    const told = new Set<string>()
    for (const { name, file, state, reason } of this.states()) {
      if (state === 'served') continue
      const key = JSON.stringify([name, file, reason])
      if (!this.#told.has(key)) log.warn({ tool: name, file, reason }, `a custom tool is ${state}`)
      told.add(key)
    }
    this.#told = told
  }

  #takeCommands() {
    const { brought, brings } = this.#options
    const known = new Map(this.#commands.map(found => [found.tool?.version, found]))
    const found = new Map<string, Found>()
    for (const one of brought().filter(brings))
      for (const [name, command] of Object.entries(one.command_tools)) {
        const version = JSON.stringify([one.file, one.trusted, command])
        found.set(name, known.get(version) ?? this.#commandFound(name, { brought: one, version }))
      }
    this.#commands = [...found.values()]
  }

  #commandFound(name: string, { brought, version }: { brought: Brought; version: string }): Found {
    const { pool } = this.#options
    const about = this.#about(name, 'command', brought.file)
    if (!brought.trusted) return { ...about, state: 'untrusted', reason: untrusted(brought.file) }
    try {
      const tool = commandTool(name, brought.command_tools[name]!, pool.environment, version)
      return { ...about, state: 'served', tool }
    } catch (error) {
      return { ...about, state: 'broken', reason: reasonOf(error) }
    }
  }

  async #takeModules() {
    const { isTrusted, folder: path, pool } = this.#options
    const before = this.#looked
    this.#looked = undefined
    try {
      const folder = await this.#folder?.look()
      if (!folder) this.#modules = []
      else if (!isTrusted(folder)) this.#modules = modulesIn(folder).map(name => this.#untrusted(folder, name))
      else if (before?.sha256 === folder.sha256) this.#looked = folder
      else {
        this.#modules = await this.#described(folder)
        this.#looked = folder
      }
    } catch (error) {
      this.#modules = [{ ...this.#about('', 'module', path), state: 'broken', reason: reasonOf(error) }]
    }
    if (before && before.sha256 !== this.#looked?.sha256) void pool.drop({ folder: before }).catch(() => {})
  }

  #untrusted(folder: ModuleFolder, name: string): Found {
    const about = this.#about(stem(name), 'module', `${folder.path}/${name}`)
    return { ...about, state: 'untrusted', reason: untrusted(folder.path) }
  }

  /** So many at a time, in the order of their names. */
  async #described(folder: ModuleFolder): Promise<Found[]> {
    const names = modulesIn(folder)
    const found: Found[] = []
    for (let at = 0; at < names.length; at += AT_ONCE)
      found.push(...(await Promise.all(names.slice(at, at + AT_ONCE).map(name => this.#describe(folder, name)))))
    return found
  }

  async #describe(folder: ModuleFolder, name: string): Promise<Found> {
    const { env, log } = this.#options
    const about = this.#about(stem(name), 'module', `${folder.path}/${name}`)
    const module: Module = { folder, name, env_allow: env[stem(name)] ?? [] }
    try {
      const definition = definitionOf(await this.#asked(module), stem(name))
      return { ...about, name: definition.name, state: 'served', tool: moduleTool(definition, module, log) }
    } catch (error) {
      return { ...about, state: 'broken', reason: reasonOf(error) }
    }
  }

  /** How the module describes itself. */
  async #asked(module: Module): Promise<Described> {
    const { pool, known, in: workspace } = this.#options
    const before = known.get(module)
    if (before) return before
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(DESCRIBE_MS)])
    const where = { workspace, isolation: await pool.least(), signal }
    const { value } = await pool.use(module, where, async ({ described }) => described)
    known.set(module, value)
    return value
  }

  #about(name: string, kind: CustomTool['kind'], file: string | undefined): Omit<CustomTool, 'state'> {
    const { workspace } = this.#options
    return { name, kind, ...(file !== undefined && { file }), ...(workspace !== undefined && { workspace }) }
  }
}

const stem = (name: string) => name.replace(/\.m?[jt]s$/, '')

const untrusted = (file = 'the file') =>
  `Nobody has trusted it as it is now: look at it, then run toolgate trust ${file}`

/** Faults of a module are its author's to read; any other is told as what it is. */
const reasonOf = (error: unknown): string =>
  error instanceof DefinitionFault || error instanceof ToolError ? error.message : String(error)
