// Composition root: creates the services and passes them to the engine and the routes. It never listens. A graceful shutdown
// waits for running calls, then closes the services in reverse order.

import { randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fastifySSE } from '@fastify/sse'
import fastify, { type FastifyInstance, LogController } from 'fastify'
import type { Logger } from 'pino'
import { Catalog } from './catalog/catalog.ts'
import { CustomTools } from './catalog/custom/custom-tools.ts'
import { type ContributionSource, staticContributions } from './config/contributions.ts'
import { listSecretVariables, readBaseAddress } from './config/notifications.ts'
import type { Settings } from './config/settings.ts'
import { EditorPreviews } from './engine/approvals/editor-previews.ts'
import { listGuardedGlobs } from './engine/approvals/effective-rules.ts'
import { FileOrigins } from './engine/approvals/file-origins.ts'
import { HubRules } from './engine/approvals/hub-rules.ts'
import { RuleBudgets } from './engine/approvals/rule-budgets.ts'
import { RunningSources } from './engine/approvals/running-sources.ts'
import { SavedRules } from './engine/approvals/saved-rules.ts'
import { SessionModes } from './engine/approvals/session-modes.ts'
import { CallOwners } from './engine/call-owners.ts'
import { CallQuotas } from './engine/call-quotas.ts'
import { Calls } from './engine/calls.ts'
import { DiagnosticsFeed } from './engine/diagnostics/diagnostics-feed.ts'
import { Delegations } from './engine/editors/delegations.ts'
import { FrontEndRegistry } from './engine/editors/front-end-registry.ts'
import { UnsavedBuffers } from './engine/editors/unsaved-buffers.ts'
import type { Engine } from './engine/engine.ts'
import { ConfiguredHooks } from './engine/hooks/configured-hooks.ts'
import { isInFlight } from './engine/in-flight.ts'
import { Jobs } from './engine/jobs/jobs.ts'
import { ResultCache } from './engine/result-cache.ts'
import { Scheduler, searchLimit } from './engine/scheduler.ts'
import { Shells } from './engine/shells.ts'
import { StorageQuotas } from './engine/storage-quotas.ts'
import { Streams } from './events/event-streams.ts'
import { MAX_FRAME_BYTES } from './events/frame.ts'
import { publishIndexState } from './events/index-state.ts'
import { Journal } from './events/journal.ts'
import { publishMcpState } from './events/mcp-state.ts'
import { Metrics } from './events/metrics.ts'
import { publishExternalChanges } from './events/publish-external-changes.ts'
import { Sessions } from './events/sessions.ts'
import { publishToolsChange } from './events/tools-change.ts'
import { publishWorkspaceState } from './events/workspace-state.ts'
import { consoleFiles } from './host/console-files.ts'
import { getDiskSpace } from './host/disk-space.ts'
import type { EgressNetwork } from './host/egress/guarded-connect.ts'
import { createFetch } from './host/egress/proxied-fetch.ts'
import { HostServices } from './host/host-services.ts'
import { createServer } from './host/http.ts'
import { ModuleDescriptionCache } from './host/modules/module-description-cache.ts'
import { forwardHttp, forwardUpgrade } from './host/ports/forward-http.ts'
import type { Environment } from './host/processes/environment.ts'
import { NEW_SECRETS } from './host/sandbox/new-secrets.ts'
import { SecretMasker } from './host/secrets/secret-masker.ts'
import { NO_TRUST, type TrustStore } from './host/trust/trust-store.ts'
import { recoverInterruptedWrites } from './host/undo-store/crash-recovery.ts'
import type { DirAccess } from './host/workspace.ts'
import { Notifier } from './notify/notifier.ts'
import { type AuthOptions, httpServerOptions, registerAuth } from './routes/auth.ts'
import { allowLongBody, limitBody } from './routes/http/body-timeouts.ts'
import { installConnectionQuotas } from './routes/http/connection-quotas.ts'
import { registerErrorHandlers } from './routes/http/problem.ts'
import { createRequestIdGenerator } from './routes/http/request-ids.ts'
import { installRequestTurns } from './routes/http/request-turns.ts'
import { registerRoutes } from './routes/index.ts'
import { PortProxy } from './routes/ports/port-proxy.ts'
import { IssuedTokens } from './server/issued-tokens.ts'
import { createLogger } from './server/log.ts'
import { type Login, OneTimeCodes, START_LOGIN_LIFETIME_MS } from './server/one-time-codes.ts'
import { PortLogins } from './server/port-logins.ts'
import { ensureStateFolder } from './server/private-files.ts'
import { digestOfToken, type ProofRequest, proveToken } from './server/token-proof.ts'
import { TokenSeal } from './server/token-seal.ts'
import type { Tokens } from './server/tokens.ts'
import { xdgFolder } from './server/xdg.ts'
import { steadyNow, watchClock } from './steady-time.ts'
import { AuditKey } from './store/audit-key.ts'
import { HistoryAge } from './store/history-age.ts'
import { JournalSize } from './store/journal-size.ts'
import { openStore, type Store } from './store/store.ts'
import { HEADER_VARIABLES, listHeaderSecrets, readCollectorHeaders, toCollector } from './telemetry/collector.ts'
import { Telemetry } from './telemetry/telemetry.ts'
import type { Tool } from './tool/tool.ts'
import { TOOLS, UNLISTED_TOOLS } from './tools/index.ts'
import { mcpCatalogTool } from './tools/mcp/lib/mcp-catalog-tool.ts'
import { HubLink } from './uplink/hub-link.ts'

// Re-exported for the program that starts the server.
export { validateRule } from './engine/policy/rule-validation.ts'
export { listAllowedHosts } from './routes/auth.ts'

/** Version of the wire protocol. */
export const PROTOCOL = 1
const RETENTION_CHECK_MS = 10 * 60_000
/** Number of characters of 256 encoded ones outside of the basic plane: the longest name of a session. */
const MAX_PATH_PARAM_LENGTH = 256 * 12
const FIRST_RETENTION_MS = 10_000
const WARM_AFTER_MS = 200
const MCP_AFTER_MS = 100
const RESERVE_AFTER_MS = 1_000
const WATCH_AFTER_MS = 500
const SANDBOX_TEST_AFTER_MS = 2_000
const INDEX_AFTER_MS = 3_000

export interface App {
  http: FastifyInstance
  instance: string
  calls: Calls
  /** The served tools; an embedding program may add its own. */
  catalog: Catalog
  log: Logger
  /** Creates a console login with all rights, for the person who started the server. */
  makeLogin(): Login
  /** Stops accepting calls, waits `drain_ms` for those in flight, interrupts the rest, and closes everything. */
  close(options: { drain_ms: number }): Promise<void>
}

export interface AppOptions {
  /** The environment of the server process. */
  environment: Environment
  /** Tools in addition to the built-in ones. */
  tools?: readonly Tool[]
  /** Called when the journal can no longer be written: the process should exit. */
  onFatal?: (cause: Error) => void
  /** Receives the log lines instead of standard error. */
  log_to?: { write(line: string): void }
  /** Returns the allowed Host header values, including the port; called per request. */
  hosts?: () => readonly string[]
  log?: Logger
  /** Overrides the method of file access; the default is the best one for this system. */
  dirAccess?: DirAccess
  /** Network behind the egress proxy of commands; the default is that of this machine. */
  network?: EgressNetwork
  /** Live contributions of configuration files; the default is the fixed ones in the settings. */
  contributions?: ContributionSource
  /** Trusted contents; the default is none. */
  trust?: TrustStore
  /** The store of the state folder, if it is already being opened. */
  store?: Promise<Store>
  /** Starts what commands need soon after the server listens, ahead of the first command; default true. */
  warm?: boolean
  /** Milliseconds after the start at which what is too old is dropped for the first time; default 10,000. */
  firstRetentionMs?: number
  /** Rings the bell of the terminal that the server runs at, if it does. */
  ringBell?: () => void
  /** Milliseconds after which a hub that does not answer is away; default 30,000. */
  hubOutageAfterMs?: number
}

export async function createApp(settings: Settings, ownTokens: Tokens, options: AppOptions): Promise<App> {
  const { environment } = options
  ensureStateFolder(settings.state_dir)
  const seal = new TokenSeal(environment)
  const issued = new IssuedTokens(join(settings.state_dir, 'tokens.json'), seal)
  const tokens: Pick<Tokens, 'authenticate' | 'allTexts'> = {
    authenticate: bearer => ownTokens.authenticate(bearer) ?? issued.authenticate(bearer),
    allTexts: () => [...ownTokens.allTexts(), ...issued.knownTexts()]
  }
  const keys = [
    settings.search.embeddings.key_env,
    settings.web.search.key_env,
    ...HEADER_VARIABLES,
    ...listSecretVariables(settings.notifications)
  ]
  const collectorHeaders = readCollectorHeaders(environment)
  const { otlp_url } = settings.telemetry
  const collector = otlp_url === undefined ? undefined : toCollector(otlp_url, collectorHeaders)
  const secrets = withSecretVariables(
    settings.secrets,
    keys.filter(name => name !== undefined)
  )
  let mcpSecrets: () => readonly string[] = () => []
  let channelSecrets: () => readonly string[] = () => []
  const masking = new SecretMasker(secrets, {
    tokens: () => [...tokens.allTexts(), ...mcpSecrets(), ...channelSecrets(), ...listHeaderSecrets(collectorHeaders)],
    environment
  })
  const log = options.log ?? createLogger(settings.log, masking, options.log_to)
  if (issued.rejection !== undefined) log.warn({}, `issued tokens are no longer valid: ${issued.rejection}`)
  const instance = randomUUID()
  const interruptedWrites = recoverInterruptedWrites(settings.state_dir)
  const store = await (options.store ?? openStore(settings.state_dir))
  store.onFailure(cause => {
    log.fatal({ err: cause }, 'the journal cannot be written')
    options.onFatal?.(cause)
  })
  store.room.onChange(hasRoom => {
    if (hasRoom) log.info({ folder: settings.state_dir }, 'the disk of the state folder has space again')
    else
      log.error(
        { folder: settings.state_dir },
        'the disk of the state folder is full: calls are rejected until there is space'
      )
  })
  if (store.epoch !== undefined && store.epoch !== 'created')
    log.info({ journal_id: store.journalId, reason: store.epoch }, 'the journal has a new id')
  const age = new HistoryAge(store)
  const size = new JournalSize(store, settings.journal.max_bytes, log)
  const journal = new Journal(store)
  const hub = new HubLink({
    settings: settings.hub,
    state_dir: settings.state_dir,
    fetch: createFetch(environment),
    journal,
    log,
    outageAfterMs: options.hubOutageAfterMs
  })
  const hubRules = new HubRules(journal)
  const metrics = new Metrics(journal)
  const sessions = new Sessions(journal)
  const contributions = options.contributions ?? staticContributions(settings.brought)
  const catalog = new Catalog(
    [...TOOLS, ...UNLISTED_TOOLS],
    settings.agents,
    ({ traits }) =>
      traits?.listed !== 'never' && (traits?.listed !== 'with_mcp_servers' || hasMcpServers(contributions))
  )
  catalog.setTools('program', options.tools ?? [])
  const machine = new HostServices(settings, masking, options)
  mcpSecrets = () => machine.mcp.secrets
  await machine
    .recoverGitOperations()
    .catch(error => log.warn({ err: error }, 'failed to recover an interrupted git operation'))
  const frontEnds = new FrontEndRegistry()
  const hooks = new ConfiguredHooks(contributions)
  const activeCalls: Engine['activeCalls'] = new Map()
  const budgets = new RuleBudgets(store, steadyNow())
  let digestKey: Buffer | undefined
  const engine: Engine = {
    settings,
    tools: catalog,
    workspaces: machine.workspaces,
    createHost: (workspace, effects, call_id) => machine.createHost(workspace, effects, call_id),
    sandbox: machine.sandbox,
    serverResources: () => ({ paths: machine.ownFiles, pids: machine.serverPids(), ports: machine.ownPorts }),
    store,
    digestKey: () => (digestKey ??= AuditKey.open(settings.state_dir).deriveSecret('digests of calls')),
    journal,
    sessions,
    scheduler: new Scheduler({ ...settings.limits, search: searchLimit(availableParallelism()) }),
    cache: new ResultCache(settings.cache),
    rules: new SavedRules(journal, store, budgets),
    budgets,
    hub: { rules: hubRules, outage: () => hub.outage() },
    modes: new SessionModes(journal, store),
    shells: new Shells(store),
    origins: new FileOrigins(store),
    masking,
    outputs: machine.outputs,
    blobs: machine.undoStorage.blobs,
    jobs: new Jobs(journal, store, machine.outputs, settings.commands, () => machine.ownPorts[0]),
    buffers: machine.buffers,
    front_ends: frontEnds,
    hooks,
    delegations: new Delegations(journal, frontEnds, settings.front_ends),
    languageServers: machine.languages,
    diagnostics: new DiagnosticsFeed(journal, machine.languages),
    log,
    activeCalls,
    owners: new CallOwners({ activeCalls, store }),
    presence: machine.presence,
    quotas: new CallQuotas(activeCalls, { queue: settings.limits.queue, jobs: settings.commands.max_jobs }),
    storage: new StorageQuotas(
      settings.state_dir,
      { journal_bytes: settings.journal.max_bytes, undo_bytes: settings.undo.max_bytes },
      getDiskSpace
    ),
    runningSources: new RunningSources(),
    pendingKeys: new Map(),
    workspaceEpochs: new Map(),
    closed: undefined
  }
  const telemetry = startTelemetry()
  machine.sandbox.guarded.setSource(root => listGuardedGlobs(engine, root))
  engine.rules.onChange(() => machine.sandbox.guarded.refresh())
  hubRules.onChange(() => machine.sandbox.guarded.refresh())
  await hub.loadRules(hubRules)
  const custom = new CustomTools({
    catalog,
    pool: machine.modules,
    known: new ModuleDescriptionCache(join(settings.state_dir, 'modules.json')),
    log,
    settings: settings.custom_tools,
    workspaces: machine.workspaces,
    userFolder: xdgFolder(environment, 'XDG_CONFIG_HOME', '.config'),
    contributions,
    trust: options.trust ?? NO_TRUST
  })
  // Tools with a cached description are available to the first request; others follow once they are loaded.
  await custom.serveKnown()
  void custom.refresh().catch(error => log.error({ err: error }, 'failed to load the custom tools'))
  machine.code.onStateChange((workspace, index) => {
    if (index.state === 'failed') log.warn({ workspace, reason: index.reason }, 'the index for search_code has failed')
    publishIndexState(journal, workspace, index)
  })
  catalog.onChange(change => publishToolsChange(journal, change))
  machine.undoStorage.log.isCallOpen = call => engine.activeCalls.has(call)
  const calls = await Calls.start(engine, interruptedWrites.changes)
  interruptedWrites.forget()
  new EditorPreviews(engine, calls.pending(), settings.front_ends)
  const notifier = new Notifier({
    settings: settings.notifications,
    store,
    journal,
    masking,
    findWaiting: id => findWaitingCall(engine, id),
    decisions: {
      approve: (...given) => calls.approve(...given),
      reject: (...given) => calls.reject(...given)
    },
    state_dir: settings.state_dir,
    seal,
    log,
    services: { fetch: createFetch(environment), environment, ringBell: options.ringBell }
  })
  channelSecrets = () => notifier.secrets
  const streams = new Streams(journal, settings.events, {
    snapshot: owner => ({
      instance,
      head: journal.head,
      ...(calls.snapshotOpen(owner, MAX_FRAME_BYTES) ?? {
        pending: [],
        running: [],
        truncated: true,
        href: '/state'
      }),
      jobs: engine.jobs.running().filter(({ task_id }) => engine.owners.canSee(owner, task_id)),
      delegations: owner === undefined ? engine.delegations.listOpen().map(({ delegation_id }) => delegation_id) : []
    }),
    canFollow: (owner, scope) => engine.owners.canFollow(owner, scope)
  })
  const about = {
    instance,
    version: settings.version,
    protocol: PROTOCOL,
    prove: (host: string, request: ProofRequest) =>
      proveToken([...ownTokens.allTexts().map(digestOfToken), ...issued.digests()], host, request),
    capabilities: async () => ({
      ...(await getCapabilities(settings, instance, machine)),
      ...(hub.state && { hub: hub.state }),
      custom_tools: custom.states(),
      front_ends: frontEnds.list(),
      hooks: hooks.list()
    })
  }
  const codes = new OneTimeCodes()
  const portLogins = new PortLogins()
  const portProxy = new PortProxy({
    find: host => engine.jobs.ports.find(host),
    canSee: (task_id, principal) => calls.canSee(task_id, principal),
    tokens,
    logins: portLogins,
    forwardHttp,
    forwardUpgrade
  })
  const http = await createHttpServer(
    settings,
    { tokens, links: notifier.links },
    { log, masking, portProxy, hosts: options.hosts ?? (() => settings.allowed_hosts) },
    app =>
      registerRoutes(app, {
        about,
        buffers: new UnsavedBuffers(engine),
        calls,
        catalog,
        codes,
        consoleFiles: consoleFiles(),
        delegations: engine.delegations,
        downloads: machine.downloads,
        frontEnds,
        issued,
        jobs: engine.jobs,
        journal,
        masking,
        portLogins,
        mcpServers: machine.mcp,
        metrics,
        notifier,
        streams,
        uploads: machine.uploads,
        workspaces: settings.roots
      })
  )
  let closing = false
  // Delay the warm-up until the first clients have been answered, so that it does not slow the start.
  let warmUpTimer: NodeJS.Timeout | undefined
  let watchTimer: NodeJS.Timeout | undefined
  let sandboxTestTimer: NodeJS.Timeout | undefined
  let indexTimer: NodeJS.Timeout | undefined
  let mcpTimer: NodeJS.Timeout | undefined
  let reserveTimer: NodeJS.Timeout | undefined
  http.addHook('onListen', async () => {
    machine.ownPorts.push(...listListeningPorts(http))
    sandboxTestTimer = setTimeout(() => {
      testSandbox().catch(error => log.error({ err: error }, 'sandbox self-test failed'))
    }, SANDBOX_TEST_AFTER_MS).unref()
    indexTimer = setTimeout(() => machine.code.startEager(), INDEX_AFTER_MS).unref()
    mcpTimer = setTimeout(startMcpServers, MCP_AFTER_MS).unref()
    reserveTimer = setTimeout(() => store.room.makeReserve(), RESERVE_AFTER_MS).unref()
    if (options.warm !== false) warmUpTimer = setTimeout(() => machine.warm(), WARM_AFTER_MS).unref()
    if (settings.watch.external) watchTimer = setTimeout(watchWorkspaces, WATCH_AFTER_MS).unref()
  })
  machine.presence.start((workspace, state) => {
    if (state.available) log.info({ workspace }, 'the folder of the workspace is available again')
    else log.error({ workspace, reason: state.unavailable_reason }, 'the folder of the workspace is missing')
    publishWorkspaceState(journal, workspace, state)
  })
  const stopWatchingClock = watchClock(jump => {
    if (jump.set_ms !== 0) log.warn(jump, 'the system clock was changed; expiry times of approvals are not affected')
    else log.info(jump, 'the machine was suspended; the time of the suspension counts as elapsed')
    age.record().catch(() => {})
  })
  hub.start(calls)
  notifier.start(calls.pending())
  const retentionTimer = setInterval(() => void applyRetention(), RETENTION_CHECK_MS)
  retentionTimer.unref()
  const firstRetentionTimer = setTimeout(() => void applyRetention(), options.firstRetentionMs ?? FIRST_RETENTION_MS)
  firstRetentionTimer.unref()

  function startTelemetry() {
    if (!collector) return undefined
    return new Telemetry({
      collector,
      journal,
      findCall: id => activeCalls.get(id)?.call,
      mask: attributes => masking.maskValue(attributes),
      log,
      version: settings.version,
      instance
    })
  }

  function startMcpServers() {
    machine.mcp.start({
      onUpdate({ state, tools }) {
        const { name, workspace } = state
        const refused = catalog.setTools(`mcp:${name}`, tools.map(mcpCatalogTool), { workspace })
        if (refused.length > 0)
          log.warn(
            { server: name, workspace, refused },
            'tools of an MCP server have the same names as tools of another server'
          )
        publishMcpState(journal, state)
      },
      onFlood: ({ name, workspace }) =>
        log.warn({ server: name, workspace }, 'an MCP server sends too many notifications; further ones are dropped')
    })
  }

  function watchWorkspaces() {
    machine.externalChanges.start({
      onChanges: (workspace, changes) => publishExternalChanges(journal, workspace, changes),
      isInFlight: (workspace, path) => isInFlight(engine, workspace, path),
      onStopped: (workspace, reason) =>
        log.warn({ workspace, reason }, 'file watching stopped: external changes are not reported'),
      onResumed: workspace => log.info({ workspace }, 'file watching resumed: external changes are reported again')
    })
  }

  async function testSandbox() {
    const states = await machine.sandbox.states()
    // The self-test was aborted.
    if (closing) return
    // Levels that fail for the same reason share one warning.
    const failed = states.filter(({ holds }) => !holds)
    for (const [reason, levels] of Map.groupBy(failed, ({ reason }) => reason))
      log.warn({ levels: levels.map(({ level }) => level), reason }, 'sandbox not available')
    for (const { level, holds, lacks } of states)
      if (holds && level === 'container' && lacks)
        log.warn({ level, lacks }, 'the sandbox does not provide all its protection on this machine')
    for (const workspace of machine.workspaces.values()) {
      const { quarantined, folder, unchecked } = await machine.sandbox.recover(workspace)
      if (quarantined.length > 0 || unchecked)
        log.warn(
          { workspace: workspace.name, quarantined, folder, unchecked },
          'cleaned up after commands that were killed'
        )
    }
  }

  /** Drops what is too old or too much. It waits for the next time if the journal cannot be written. */
  async function applyRetention() {
    await dropExpired().catch(error => log.warn({ err: error }, 'failed to delete expired data'))
  }

  async function dropExpired() {
    await age.record()
    const files = age.findFileBorder(settings.undo.max_age_days)
    await machine.undoStorage.blobs
      .collectGarbage(files)
      .catch(error => log.warn({ err: error }, 'undo store garbage collection failed'))
    machine.uploads.sweep(id => engine.activeCalls.has(id))
    await machine.sweepQuarantine(files).catch(error => log.warn({ err: error }, 'failed to clean up the quarantine'))
    machine.code.removeUnused()
    await calls
      .removeExpiredContent()
      .catch(error => log.warn({ err: error }, 'failed to remove the content of calls that used a sensitive file'))
    const border = age.findBorder(settings.journal.max_age_days)
    // What the hub does not have yet is kept until the journal is too large.
    const isKept = border !== undefined && !hub.hasSentBelow(border.seq)
    const dropped = await size.trim(isKept ? undefined : border)
    await age.forget(Math.max(settings.journal.max_age_days, settings.undo.max_age_days))
    const isReferenced = (id: string) =>
      engine.activeCalls.has(id) || engine.jobs.get(id) !== undefined || store.call(id) !== undefined
    if (dropped > 0) machine.outputs.sweep(isReferenced)
    log.debug({ rows: dropped }, 'deleted expired data')
  }

  return {
    http,
    instance,
    calls,
    catalog,
    log,
    makeLogin: () => codes.makeLogin({ rights: new Set(['call', 'approve']) }, START_LOGIN_LIFETIME_MS),
    async close({ drain_ms }) {
      closing = true
      stopWatchingClock()
      size.close()
      clearInterval(retentionTimer)
      clearTimeout(firstRetentionTimer)
      clearTimeout(warmUpTimer)
      clearTimeout(watchTimer)
      clearTimeout(sandboxTestTimer)
      clearTimeout(indexTimer)
      clearTimeout(mcpTimer)
      clearTimeout(reserveTimer)
      notifier.close()
      await hub.stopFollowing()
      store.abandonBlocked()
      await calls.close(drain_ms)
      await store.flushed().catch(() => {})
      await telemetry?.close()
      await hub.close()
      await custom.close()
      engine.diagnostics.close()
      streams.close()
      await http.close()
      issued.close()
      await machine.close()
      await store.close()
    }
  }
}

/** Returns a call if it waits for approval. */
function findWaitingCall({ activeCalls }: Engine, id: string) {
  const call = activeCalls.get(id)?.call
  return call?.status === 'awaiting_approval' ? call : undefined
}

/** Treats the values of these variables as secrets, whatever their names. */
const withSecretVariables = (secrets: Settings['secrets'], names: readonly string[]) => ({
  ...secrets,
  env: [...secrets.env, ...names]
})

/** Returns the port of each listening address; none for a unix socket. */
const listListeningPorts = (http: FastifyInstance) =>
  http.addresses().flatMap(address => (typeof address === 'string' ? [] : [address.port]))

interface HttpServerParts {
  log: Logger
  masking: SecretMasker
  portProxy: PortProxy
  hosts: () => readonly string[]
}

type Scope = FastifyInstance
async function createHttpServer(
  settings: Settings,
  { tokens, links }: Pick<AuthOptions, 'tokens' | 'links'>,
  { log, masking, portProxy, hosts }: HttpServerParts,
  register: (app: Scope) => Promise<void>
): Promise<FastifyInstance> {
  const { http, requestTimeout, keepAliveTimeout } = httpServerOptions
  const base = readBaseAddress(settings.notifications)
  const app = fastify({
    ...httpServerOptions,
    serverFactory: handler => {
      const server = createServer(
        { ...http, requestTimeout, keepAliveTimeout, shouldUpgradeCallback: portProxy.isUpgrade },
        (request, response) => {
          limitBody(request, server)
          if (portProxy.isForPort(request)) {
            allowLongBody(request)
            void portProxy.handle(request, response)
          } else handler(request, response)
        }
      )
      return server
    },
    bodyLimit: settings.limits.body_bytes,
    routerOptions: { maxParamLength: MAX_PATH_PARAM_LENGTH },
    // Suppresses Fastify's listening message, since the server's own is more informative.
    loggerInstance: log.child({}, { level: settings.log.level === 'info' ? 'warn' : settings.log.level }),
    genReqId: createRequestIdGenerator(),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' })
  })
  registerErrorHandlers(app as unknown as FastifyInstance, masking)
  registerAuth(app as unknown as FastifyInstance, {
    tokens,
    links,
    hosts: base ? () => [...hosts(), base.host] : hosts,
    origins: base ? [...settings.allowed_origins, base.origin] : settings.allowed_origins,
    body_bytes: settings.limits.body_bytes,
    onUpgrade: portProxy.upgrade
  })
  app.server.on('upgrade', portProxy.upgrade)
  installConnectionQuotas(app as unknown as FastifyInstance, settings.limits.connections)
  installRequestTurns(app as unknown as FastifyInstance)
  await app.register(fastifySSE, { heartbeatInterval: 0 })
  await register(app as unknown as FastifyInstance)
  return app as unknown as FastifyInstance
}

/** Returns the capabilities of the server on this machine, and its limits. */
async function getCapabilities(
  settings: Settings,
  instance: string,
  { code, languages, mcp, externalChanges, presence, sandbox }: HostServices
) {
  const watching = externalChanges.state()
  const levels = await sandbox.states()
  return {
    instance,
    version: settings.version,
    protocol: PROTOCOL,
    workspaces: settings.roots.map(({ name, path }) => {
      const { workspace: _, ...state } = watching.find(({ workspace }) => workspace === name)!
      return { name, root: path, ...presence.state(name), ...state, index: code.get(name)!.state }
    }),
    read_only: settings.read_only,
    isolation: { default: sandbox.default, levels, new_secrets: NEW_SECRETS },
    language_servers: languages.states(),
    mcp_servers: mcp.states(),
    approval: settings.approval,
    limits: settings.limits
  }
}

const hasMcpServers = (contributions: ContributionSource): boolean =>
  contributions.current().some(({ mcp_servers }) => Object.keys(mcp_servers).length > 0)
