// The composition root: makes the services, hands them to the engine and the routes. It never listens.
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { fastifySSE } from '@fastify/sse'
import fastify, { type FastifyInstance, LogController } from 'fastify'
import { type Logger, pino } from 'pino'
import { ResultCache } from './calls/cache.ts'
import { Calls } from './calls/calls.ts'
import { Delegations } from './calls/delegations.ts'
import type { Engine } from './calls/engine.ts'
import { HeldBuffers } from './calls/held-buffers.ts'
import { RememberedRules } from './calls/remembered.ts'
import { Scheduler } from './calls/scheduler.ts'
import { isUnderWay } from './calls/under-way.ts'
import { Catalog } from './catalog/catalog.ts'
import type { Settings } from './config.ts'
import { Journal } from './events/journal.ts'
import { Metrics } from './events/metrics.ts'
import { tellOutside } from './events/outside.ts'
import { Sessions } from './events/sessions.ts'
import { Streams } from './events/streams.ts'
import type { Doors } from './host/door.ts'
import { clearLeftovers } from './host/leftovers.ts'
import { Machine } from './host/machine.ts'
import type { Watching } from './host/outside-all.ts'
import { openStore, type Store } from './host/store.ts'
import type { Tokens } from './host/tokens.ts'
import { httpServerOptions, installDoor } from './routes/door.ts'
import { registerRoutes } from './routes/index.ts'
import { installProblems } from './routes/problem.ts'
import type { Tool } from './tool.ts'
import { TOOLS } from './tools/index.ts'

// What whoever starts the server needs besides.
export { ruleFaults } from './calls/rules.ts'
export { hostsOf } from './routes/door.ts'

/** Version of the wire contract. */
export const PROTOCOL = 1
/** Fields that never show in the log, wherever they stand. */
const SECRETS = ['token', 'call_token', 'authorization', 'password', 'secret', 'api_key'].flatMap(name => [
  name,
  `*.${name}`,
  `*.*.${name}`,
  `req.headers.${name}`
])
const RETENTION_CHECK_MS = 10 * 60_000
const FIRST_RETENTION_MS = 10_000
const WARM_AFTER_MS = 200
const WATCH_AFTER_MS = 500
const DAY_MS = 86_400_000

export interface App {
  http: FastifyInstance
  instance: string
  calls: Calls
  log: Logger
  /** Takes no more calls, lets those under way end for so long, ends the rest as interrupted, and closes everything. */
  close(options: { drain_ms: number }): Promise<void>
}

export interface AppOptions {
  /** Tools besides the built-in ones. */
  tools?: readonly Tool[]
  /** Hears that the journal can no longer be written: the process should end. */
  onFatal?: (cause: Error) => void
  /** Host header values that are right, port included; asked for each request. */
  hosts?: () => readonly string[]
  log?: Logger
  /** How files are reached, where that is not to be as is best on this system. */
  doors?: Doors
  /** The store of the state folder, where it is being opened already. */
  store?: Promise<Store>
}

export async function createApp(settings: Settings, tokens: Tokens, options: AppOptions = {}): Promise<App> {
  const log =
    options.log ?? pino({ level: settings.log.level, redact: SECRETS }, pino.destination({ fd: 2, sync: false }))
  const instance = randomUUID()
  mkdirSync(settings.state_dir, { recursive: true, mode: 0o700 })
  const left = clearLeftovers(settings.state_dir)
  const store = await (options.store ?? openStore(settings.state_dir))
  store.whenFailed(cause => {
    log.fatal({ err: cause }, 'the journal cannot be written')
    options.onFatal?.(cause)
  })
  const journal = new Journal(store)
  const metrics = new Metrics(journal)
  const sessions = new Sessions(journal)
  const catalog = new Catalog([...TOOLS, ...(options.tools ?? [])], settings.agents)
  const machine = new Machine(settings, options.doors)
  const engine: Engine = {
    settings,
    tools: catalog,
    workspaces: machine.workspaces,
    host: (workspace, effects, call_id) => machine.hostFor(workspace, effects, call_id),
    store,
    journal,
    sessions,
    scheduler: new Scheduler(settings.limits),
    cache: new ResultCache(settings.cache),
    rules: new RememberedRules(journal, store),
    outputs: machine.outputs,
    buffers: machine.buffers,
    delegations: new Delegations(journal),
    log,
    live: new Map(),
    keys: new Map(),
    epochs: new Map(),
    closed: undefined
  }
  machine.keeping.log.isOpen = call => engine.live.has(call)
  const calls = await Calls.start(engine, left.changes)
  left.forget()
  const streams = new Streams(journal, settings.events, () => ({
    instance,
    head: journal.head,
    pending: calls.pending(),
    running: calls.running()
  }))
  const about = {
    instance,
    version: settings.version,
    protocol: PROTOCOL,
    capabilities: () => capabilities(settings, instance, machine.outside.state())
  }
  const http = await listenable(
    settings,
    tokens,
    { log, hosts: options.hosts ?? (() => settings.allowed_hosts) },
    app =>
      registerRoutes(app, {
        about,
        buffers: new HeldBuffers(engine),
        calls,
        catalog,
        delegations: engine.delegations,
        journal,
        metrics,
        sessions,
        streams
      })
  )
  // Once the first clients have been answered: a start should not share the machine with what can wait.
  let warming: NodeJS.Timeout | undefined
  let watching: NodeJS.Timeout | undefined
  http.addHook('onListen', async () => {
    warming = setTimeout(() => machine.warm(), WARM_AFTER_MS).unref()
    if (settings.watch.external) watching = setTimeout(watch, WATCH_AFTER_MS).unref()
  })
  const retention = setInterval(() => void retain(), RETENTION_CHECK_MS)
  retention.unref()
  const firstRetention = setTimeout(() => void retain(), FIRST_RETENTION_MS)
  firstRetention.unref()

  function watch() {
    machine.outside.start({
      changed: (workspace, changes) => tellOutside(journal, workspace, changes),
      isUnderWay: (workspace, path) => isUnderWay(engine, workspace, path),
      ended: (workspace, reason) => log.warn({ workspace, reason }, 'changes by others are not told')
    })
  }

  async function retain() {
    const before = new Date(Date.now() - settings.journal.max_age_days * DAY_MS).toISOString()
    await machine.keeping.images
      .sweep()
      .catch(error => log.warn({ err: error }, 'kept contents were not looked through'))
    const dropped = await store.retain({ before, max_bytes: settings.journal.max_bytes })
    if (dropped > 0) machine.outputs.sweep(call_id => engine.live.has(call_id) || store.call(call_id) !== undefined)
  }

  return {
    http,
    instance,
    calls,
    log,
    async close({ drain_ms }) {
      clearInterval(retention)
      clearTimeout(firstRetention)
      clearTimeout(warming)
      clearTimeout(watching)
      await calls.close(drain_ms)
      await store.flushed().catch(() => {})
      streams.close()
      await http.close()
      await machine.close()
      await store.close()
    }
  }
}

type Scope = FastifyInstance
async function listenable(
  settings: Settings,
  tokens: Tokens,
  { log, hosts }: { log: Logger; hosts: () => readonly string[] },
  register: (app: Scope) => Promise<void>
): Promise<FastifyInstance> {
  const app = fastify({
    ...httpServerOptions,
    bodyLimit: settings.limits.body_bytes,
    // Its own word that it listens says less than ours.
    loggerInstance: log.child({}, { level: settings.log.level === 'info' ? 'warn' : settings.log.level }),
    logController: new LogController({ disableRequestLogging: true })
  })
  app.server.maxConnections = settings.limits.connections
  installProblems(app as unknown as FastifyInstance)
  installDoor(app as unknown as FastifyInstance, {
    tokens,
    hosts,
    origins: settings.allowed_origins,
    body_bytes: settings.limits.body_bytes
  })
  await app.register(fastifySSE, { heartbeatInterval: 0 })
  await register(app as unknown as FastifyInstance)
  return app as unknown as FastifyInstance
}

/** What the server can do here, and its limits. */
function capabilities(settings: Settings, instance: string, watching: readonly Watching[]) {
  return {
    instance,
    version: settings.version,
    protocol: PROTOCOL,
    workspaces: settings.roots.map(({ name, path }) => {
      const { workspace: _, ...state } = watching.find(({ workspace }) => workspace === name)!
      return { name, root: path, ...state }
    }),
    read_only: settings.read_only,
    isolation: { levels: ['none'], default: 'none' },
    language_servers: [],
    mcp_servers: [],
    approval: settings.approval,
    limits: settings.limits
  }
}
