// The serve command: from flags to a process that listens, is discoverable, and shuts down gracefully.
import { type AddressInfo, createServer } from 'node:net'
import { hostname } from 'node:os'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import type { App } from '../../../app.ts'
import { LiveConfig } from '../../../config/live-config.ts'
import { loadConfig } from '../../../config/load.ts'
import type { Settings } from '../../../config/settings.ts'
import type { ConfigFlags } from '../../../config/text-sources.ts'
import { ConfigError } from '../../../config/validation.ts'
import { messageWithCause } from '../../../errors.ts'
import { terminate, waitForProcessExit } from '../../../host/processes/pids.ts'
import { trustFilePath } from '../../../host/trust/trust-file.ts'
import { LiveTrustStore } from '../../../host/trust/trust-store.ts'
import { isLive } from '../../../node-client/discover.ts'
import type { ConfiguredRule } from '../../../protocol/rules.ts'
import { type DiscoveryRecord, publishDiscovery, readDiscoveries, runFolders } from '../../../server/discovery.ts'
import { readLastPort, rememberPort } from '../../../server/last-port.ts'
import { logFilePath } from '../../../server/log-file.ts'
import { ensureStateFolder } from '../../../server/private-files.ts'
import { loadTokens } from '../../../server/tokens.ts'
import { listenOnSocket, type SocketListener } from '../../../server/unix-socket.ts'
import { DamagedJournalError } from '../../../store/journal-check.ts'
import { acquireStateLock, type StateLock } from '../../../store/state-lock.ts'
import { openStore } from '../../../store/store.ts'
import type { CommandSetup } from '../../command-setup.ts'
import { type CliContext, parseDuration } from '../../context.ts'
import { detach } from '../../detach.ts'
import { CliError, EXIT, parseChoice, usageError } from '../../exit.ts'
import { returnMemoryWhenIdle } from '../../idle-memory.ts'
import { damagedJournalError } from '../../journal-damage.ts'
import { explainStartFailure } from '../../start-failure.ts'
import { announceReady } from '../../ui/report-ready.ts'

interface ServeOptions {
  root?: string[]
  host?: string
  port?: string
  socket?: string | true
  tokenFile?: string
  callTokenFile?: string
  hub?: string
  hubCode?: string
  readOnly?: true
  trust?: string[]
  logLevel?: string
  ready?: string
  detach?: true
  reuse?: true
  replace?: true
  exitWithStdin?: true
  drain: string
}

const serve: CommandSetup = (command, context) => {
  command
    .description(
      'Start a server for editors and agents. It logs JSON lines to stderr. At a terminal, it prints a short form of the ' +
        'log and writes the whole log to server.log.'
    )
    .option('--root <folder>', 'folder to serve, or name=folder; repeatable (default: the current folder)', collect)
    .option('--port <port>', 'TCP port; 0 selects a free port')
    .option('--host <address>', 'address to listen on; an address that is not loopback requires --token-file')
    .option('--socket [path]', 'also listen on a Unix socket')
    .option('--token-file <file>', 'file that contains the token for calls and approvals')
    .option('--call-token-file <file>', 'file that contains the call-only token')
    .option('--hub <url>', 'send the journal to this hub')
    .option('--hub-code <code>', 'enroll this server at the hub, with a code of `toolgate hub enroll`')
    .option('--read-only', 'deny every call that is not a read')
    .option('--trust <file=sha256>', 'trust a configuration file of a workspace if its content has this hash', collect)
    .option('--log-level <level>', 'trace, debug, info, warn, error or silent')
    .option('--ready <form>', 'json: print a JSON line to stdout when the server is ready')
    .option(
      '--detach',
      'when the server is ready, continue in the background and log to server.log in the state folder'
    )
    .option('--reuse', 'if a server is already running for a root, print its address and exit with 0')
    .option('--replace', 'first stop a server that is already running for a root')
    .option('--exit-with-stdin', 'exit when stdin is closed, for programs that start a server for themselves')
    .option('--drain <duration>', 'how long running calls may continue when the server shuts down', '30s')
    .addHelpText(
      'after',
      `
Examples:
  toolgate serve
  toolgate serve --root app=./app --root lib=./lib --port 7777
  toolgate serve --ready json --exit-with-stdin
  toolgate serve --host 0.0.0.0 --token-file /run/secrets/toolgate

SIGTERM, SIGINT and SIGHUP shut down gracefully: no new calls are accepted, running ones have the --drain time to finish, the
rest are interrupted; exit code 0. A second signal exits at once, with 130 or 143. To outlive the terminal, use --detach: nohup
does not help. Exit code 1: the state folder cannot be used, or the journal cannot be written.`
    )
    .action(async (options: ServeOptions) => {
      parseDuration(options.drain)
      if (options.ready !== undefined) parseChoice('--ready', options.ready, ['json'])
      if (options.detach && options.exitWithStdin)
        throw usageError('--detach and --exit-with-stdin cannot be used together.')
      context.exitCode = await startServer(context, options)
    })
}
export default serve

const collect = (value: string, before: string[] = []) => [...before, value]

async function startServer(context: CliContext, options: ServeOptions): Promise<number> {
  const config = await loadConfiguration(context, options)
  if (config === undefined) return EXIT.usage
  const { settings } = config
  const running = await findRunningServer(settings, context)
  if (running && options.reuse) {
    await announceReady(context, running.record, running.file, { ...options, state_dir: settings.state_dir })
    return EXIT.ok
  }
  if (running && !options.replace) throw alreadyRunningError(running.record)
  if (running) {
    terminate(running.record.pid)
    await waitForProcessExit(running.record.pid, context.signal)
  }
  let server: Server
  try {
    const lock = lockState(settings)
    if (options.detach) {
      lock.release()
      return await detach(context, settings, options)
    }
    server = await listen(context, config, lock, options)
  } catch (error) {
    if (error instanceof DamagedJournalError) throw damagedJournalError(error.file, error.damage, settings)
    throw explainStartFailure(error)
  }
  return serveUntilStopped(context, server, options)
}

function lockState({ state_dir }: Settings): StateLock {
  ensureStateFolder(state_dir)
  const lock = acquireStateLock(state_dir)
  if (lock) return lock
  throw new CliError(`Another server is using the state folder ${state_dir}.`, {
    exit: EXIT.conflict,
    code: 'CONFLICT'
  })
}

/** Rule validation is part of the engine, which is loaded only if there are rules. */
const checkRule = async (rule: ConfiguredRule) => (await import('../../../app.ts')).validateRule(rule)

interface Configuration {
  settings: Settings
  trust: LiveTrustStore
  live: LiveConfig
}

/** Returns undefined if the configuration has errors, which have been reported. */
async function loadConfiguration(context: CliContext, options: ServeOptions): Promise<Configuration | undefined> {
  const { env, cwd, pid } = context.runtime
  const { root, host, port, tokenFile, callTokenFile, readOnly, logLevel } = options
  const socket = options.socket === true ? path.join(runFolders(env)[0], `${pid}.sock`) : options.socket
  const flags: ConfigFlags = {
    root,
    trust: options.trust,
    host,
    port,
    socket,
    token_file: tokenFile,
    call_token_file: callTokenFile,
    read_only: readOnly,
    'hub.url': options.hub,
    'log.level': logLevel
  }
  const fail = (line: string) => context.terminal.error(`toolgate: ${line}`)
  const trust = new LiveTrustStore(trustFilePath(env), fail)
  const inputs = { flags, env, cwd, version: context.version, checkRule, trust }
  try {
    const loaded = await loadConfig(inputs)
    for (const warning of loaded.warnings) context.terminal.info(`toolgate: ${warning}`)
    return { settings: loaded.settings, trust, live: new LiveConfig(inputs, loaded) }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const line of error.message.split('\n')) fail(line)
    return undefined
  }
}

async function findRunningServer(settings: Settings, { runtime }: CliContext) {
  const ours = settings.roots.map(({ path: root }) => root)
  const candidates = readDiscoveries(runtime.env).filter(
    ({ record }) => record.host === hostname() && record.roots.some(root => ours.includes(root))
  )
  // Servers of other projects are not awaited.
  for (const found of candidates) if (await isLive(found)) return found
  return undefined
}

const alreadyRunningError = ({ pid, url, roots }: DiscoveryRecord) =>
  new CliError(`A server is already running for ${roots.join(', ')}: pid ${pid}, ${url}.`, {
    exit: EXIT.conflict,
    code: 'CONFLICT',
    hint: 'Use the running server with --reuse, or stop it with --replace.'
  })

/** A server that listens, with what ends with it. */
interface Server {
  app: App
  live: LiveConfig
  socket: SocketListener | undefined
  published: { remove(): void }
  lock: StateLock
  /** Resolves with the exit code. */
  stopped: Promise<number>
}

async function listen(
  context: CliContext,
  { settings, trust, live }: Configuration,
  lock: StateLock,
  options: ServeOptions
): Promise<Server> {
  const { runtime } = context
  const tokens = loadTokens(settings)
  const { promise: stopped, resolve: stop } = Promise.withResolvers<number>()
  // Open the store in its thread while the rest is being loaded.
  const store = openStore(settings.state_dir)
  store.catch(() => {})
  if (options.hubCode !== undefined) await enroll(context, settings, options.hubCode)
  const { createApp, listAllowedHosts } = await import('../../../app.ts')
  let hosts: readonly string[] = []
  const app = await createApp(settings, tokens, {
    environment: runtime.env,
    onFatal: () => stop(EXIT.failed),
    hosts: () => hosts,
    store,
    contributions: live,
    trust,
    ...(context.terminal.isTty && { ringBell: () => void runtime.stderr.write(BELL) }),
    ...(await createLogOptions(context, settings, options))
  })
  live.watch(app.log)
  const url = await bind(app, settings)
  hosts = listAllowedHosts(app.http.addresses() as AddressInfo[], settings)
  const socket = settings.socket === undefined ? undefined : await bindSocket(app, settings.socket)

  const about = describeServer(context, settings, { instance: app.instance, url, socket: socket?.path ?? null })
  const record = (): DiscoveryRecord => ({ ...tokens.current(), ...about })
  const published = publishDiscovery(runtime.env, record)
  stopOnSignals(context, stop)
  if (options.exitWithStdin) runtime.stdin.once('end', () => stop(EXIT.ok)).resume()
  const { ready } = options
  const { state_dir } = settings
  await announceReady(context, record(), published.file, { ready, state_dir, stop: 'Ctrl+C', makeLogin: app.makeLogin })
  limitHeapGrowth()
  returnMemoryWhenIdle()
  app.log.info({ url, socket: socket?.path, roots: about.roots, state_dir: settings.state_dir }, 'listening')
  return { app, live, socket, published, lock, stopped }
}

/** Exchanges a code of the hub for a token of this server's own. */
async function enroll({ runtime, version, terminal, signal }: CliContext, settings: Settings, code: string) {
  const { url } = settings.hub
  if (url === undefined) throw usageError('--hub-code requires --hub, or the setting hub.url.')
  const { enrollAtHub } = await import('../../../uplink/open-hub.ts')
  const { createFetch } = await import('../../../host/egress/proxied-fetch.ts')
  const facts = { host: hostname(), version, roots: settings.roots.map(({ path: root }) => root) }
  const asked = { hubUrl: url, code, state_dir: settings.state_dir, facts }
  const { server_id } = await enrollAtHub(asked, createFetch(runtime.env), signal).catch((error: Error) => {
    throw new CliError(`This server could not be enrolled at ${url}: ${messageWithCause(error)}`, {
      exit: EXIT.unreachable,
      code: 'UNREACHABLE',
      hint: 'A code is valid for one hour and one server. Request another: toolgate hub enroll'
    })
  })
  terminal.info(`toolgate: this server is now enrolled at ${url} as ${server_id}`)
}

async function serveUntilStopped(
  { runtime }: CliContext,
  { app, live, socket, published, lock, stopped }: Server,
  options: ServeOptions
): Promise<number> {
  const exit = await stopped
  const fatal = exit === EXIT.failed
  const calls = app.calls.running().length
  const drain_ms = fatal ? 0 : parseDuration(options.drain)
  app.log.info({ calls, drain_ms }, calls > 0 && drain_ms > 0 ? formatDraining(calls, drain_ms) : 'stopping')
  // Calls that arrive after a journal failure still get an error response.
  if (fatal) setTimeout(() => runtime.exit(exit), FATAL_EXIT_DELAY_MS)
  await app.close({ drain_ms }).catch(error => {
    if (!fatal) throw error
  })
  await live.close()
  socket?.close()
  published.remove()
  lock.release()
  if (options.exitWithStdin) runtime.stdin.destroy()
  return exit
}
const FATAL_EXIT_DELAY_MS = 1_000
const BELL = '\u0007'

/** Creates a readable log at a terminal; elsewhere JSON for programs. */
async function createLogOptions({ terminal }: CliContext, { state_dir }: Settings, { ready }: ServeOptions) {
  if (ready !== undefined || !terminal.isTty) return {}
  const { createTerminalLog } = await import('../../ui/terminal-log.ts')
  return { log_to: createTerminalLog(terminal, logFilePath(state_dir)) }
}
const formatDraining = (calls: number, drain_ms: number) =>
  `stopping: waiting up to ${drain_ms / 1_000} s for ${calls === 1 ? '1 call' : `${calls} calls`}; ` +
  'a second SIGTERM or SIGINT exits at once'

/**
 * Call data lives until the commit, so under load V8 would grow the young generation to 128 MiB and retain it. After startup it
 * grows in smaller steps; startup itself is faster without this flag.
 */
const limitHeapGrowth = () => setFlagsFromString('--semi-space-growth-factor=1')

/** Prefers the port of the previous server to other free ones. */
async function bind(app: App, { host, port, state_dir, limits }: Settings): Promise<string> {
  try {
    const last = port === 0 ? readLastPort(state_dir) : undefined
    const isFree = last !== undefined && (await canListen(host, last))
    const url = await app.http.listen({ host, port: isFree ? last : port, backlog: limits.connections })
    if (port === 0) rememberPort(state_dir, Number(new URL(url).port))
    return url
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    await app.close({ drain_ms: 0 })
    throw new CliError(`Cannot listen on ${host}:${port} (${code}).`, {
      exit: code === 'EADDRINUSE' ? EXIT.conflict : EXIT.failed,
      code: 'CONFLICT',
      hint: 'Use --port 0 to select a free port.'
    })
  }
}

async function canListen(host: string, port: number): Promise<boolean> {
  const server = createServer()
  const { promise, resolve } = Promise.withResolvers<boolean>()
  server.once('error', () => resolve(false))
  server.listen(port, host, () => server.close(() => resolve(true)))
  return promise
}

/** Both listeners share the same HTTP server. */
async function bindSocket(app: App, file: string): Promise<SocketListener> {
  try {
    return await listenOnSocket(file, socket => app.http.server.emit('connection', socket))
  } catch (error) {
    await app.close({ drain_ms: 0 })
    throw error
  }
}

function describeServer(
  { runtime }: CliContext,
  settings: Settings,
  at: Pick<DiscoveryRecord, 'instance' | 'url' | 'socket'>
) {
  return {
    schema: 1 as const,
    ...at,
    pid: runtime.pid,
    host: hostname(),
    roots: settings.roots.map(({ path: root }) => root),
    version: settings.version,
    protocol: 1 as const,
    started_at: new Date().toISOString()
  }
}

/** The first signal shuts down gracefully, the second immediately. */
function stopOnSignals({ runtime }: CliContext, stop: (exit: number) => void) {
  let seen = false
  runtime.onSignal(signal => {
    // When a terminal is closed, both the shell and the kernel send SIGHUP: count it once.
    if (seen && signal === 'SIGHUP') return
    if (seen) runtime.exit(signal === 'SIGINT' ? EXIT.interrupted : 143)
    seen = true
    stop(EXIT.ok)
  })
}
