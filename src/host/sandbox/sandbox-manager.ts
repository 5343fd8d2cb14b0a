// Manages the isolation levels: probes which are available, and confines programs with them.

import { ToolError } from '../../errors.ts'
import type { IsolationLevel } from '../../protocol/isolation-levels.ts'
import { type Egress, openEgress } from '../egress/egress.ts'
import type { EgressNetwork } from '../egress/guarded-connect.ts'
import { UpstreamProxy } from '../egress/upstream-proxy.ts'
import { canFindListeners } from '../ports/own-listeners.ts'
import { openPortTunnel } from '../ports/port-tunnel.ts'
import type { Environment } from '../processes/environment.ts'
import type { Workspace } from '../workspace.ts'
import { GuardedPaths } from './guard/guarded-paths.ts'
import type { GuardedWorkspaces } from './guard/guarded-workspaces.ts'
import { withHostPaths } from './host-paths.ts'
import type {
  ConfinedProgram,
  Isolation,
  LevelState,
  Program,
  Sandbox,
  SandboxLevels,
  SandboxReport
} from './sandbox.ts'
import type { Confinement, SandboxBackend, SandboxedLevel } from './sandbox-backend.ts'

interface SandboxManagerOptions {
  /** Those of this platform, the preferred one first. */
  backends: readonly SandboxBackend[]
  /** Guards of the workspaces: what commands must not touch, and which new entries are attributed to them. */
  workspaces: GuardedWorkspaces
  /** The configured level. */
  configuredLevel: IsolationLevel | 'auto'
  /** Probes a level with a backend, until the signal. */
  probe(backend: SandboxBackend, level: SandboxedLevel, signal: AbortSignal): Promise<LevelState>
  /** State of the level `container`. */
  container(): Promise<LevelState>
  /** State of the level `none`. */
  unsandboxed(): Promise<LevelState>
  /** Delay in milliseconds before an unavailable level is probed again. */
  retryAfterMs?: number
  /** Folder for files with the lifetime of a command, invisible to commands. */
  temporary: string
  /** Ports that the server listens on, unreachable for commands. */
  ownPorts(): readonly number[]
  environment: Environment
  /** The network for outgoing connections of commands, if not this machine's. */
  outside?: EgressNetwork
}

/** A failure may be temporary. */
const RETRY_AFTER_MS = 60_000

export class SandboxManager implements Sandbox, SandboxLevels {
  /** Paths that rules deny or ask about. */
  readonly guarded = new GuardedPaths()
  readonly #options: SandboxManagerOptions
  readonly #closing = new AbortController()
  /** The first backend with which a level holds. */
  readonly #backends = new Map<SandboxedLevel, SandboxBackend>()
  #states: readonly LevelState[] | undefined
  #probing: Promise<readonly LevelState[]> | undefined
  #retryAt = Number.POSITIVE_INFINITY
  #default: IsolationLevel

  constructor(options: SandboxManagerOptions) {
    this.#options = options
    this.#default = options.configuredLevel === 'auto' ? 'workspace' : options.configuredLevel
  }

  get default() {
    return this.#default
  }

  /** While a level is probed again, the previous result counts. */
  async states(): Promise<readonly LevelState[]> {
    const isDue = performance.now() >= this.#retryAt && !this.#closing.signal.aborted
    if (!this.#states || isDue) this.#probing ??= this.#probeLevels()
    return this.#states ?? this.#probing!
  }

  /** Stops running probes. */
  async close() {
    this.#closing.abort()
    await this.#probing
  }

  /** Records that an approved call has created an entry in a workspace itself: it is not attributed to a command. */
  noteOwnWrite(workspace: Workspace, path: string) {
    this.#options.workspaces.of(workspace).noteOwnWrite(path)
  }

  /** Checks if a `.git` appeared while a program runs that may still change what is in it. */
  mayStillChange(workspace: Workspace, file: string): boolean {
    return this.#options.workspaces.of(workspace).mayStillChange(file)
  }

  /** Quarantines the files left in a workspace by commands of a killed server. */
  recover(workspace: Workspace): Promise<SandboxReport> {
    return this.#options.workspaces.of(workspace).recover()
  }

  /** As `Host.findGitStores`. */
  findGitStores(workspace: Workspace): Promise<string[]> {
    return this.#options.workspaces.of(workspace).findGitStores()
  }

  async confine(
    program: Program,
    { level, network, ports, guardedGlobs, showsGuarded, ...isolation }: Isolation,
    workspace: Workspace
  ): Promise<ConfinedProgram> {
    const state = (await this.states()).find(each => each.level === level)
    if (!state?.holds)
      throw new ToolError('SANDBOX_UNAVAILABLE', `Isolation ${level} is not available: ${state?.reason ?? 'unknown.'}`)
    if (level === 'none') return this.#runUnsandboxed(program, workspace)
    const backend = this.#backends.get(level)
    if (!backend) return passThrough(program)
    if (level === 'container') return backend.confine(program, { ...isolation, level }, workspace)
    const guarded =
      showsGuarded || backend.exposesWorkspace?.(level)
        ? undefined
        : await this.guarded.find(workspace.root, guardedGlobs ?? [])
    const hides = [...new Set([...(isolation.hides ?? []), ...(guarded?.hides ?? [])])]
    const how = { ...isolation, level, ...(hides.length > 0 && { hides }) }
    const confine = (inner: Program) => this.#confineNetwork(backend, inner, how, network, workspace)
    const confined = await (ports ? this.#withPorts(ports, backend, program, confine) : confine(program))
    return { ...confined, guardedView: guarded?.view }
  }

  async #withPorts(
    ports: readonly number[],
    { canGrantHosts }: SandboxBackend,
    program: Program,
    confine: (program: Program) => Promise<ConfinedProgram>
  ): Promise<ConfinedProgram> {
    if (!canGrantHosts)
      throw new ToolError(
        'SANDBOX_UNAVAILABLE',
        'The ports of a sandboxed command cannot be made reachable on this system.'
      )
    const tunnel = await openPortTunnel(this.#options.temporary, ports)
    try {
      const confined = await confine(throughBridge(tunnel, program))
      const released = () => tunnel.close().then(confined.released, confined.released)
      return { ...confined, connectPort: tunnel.connect, released }
    } catch (error) {
      await tunnel.close()
      throw error
    }
  }

  async #confineNetwork(
    backend: SandboxBackend,
    program: Program,
    how: Confinement,
    network: readonly string[],
    workspace: Workspace
  ): Promise<ConfinedProgram> {
    if (network.length === 0)
      return backend.confine(withoutNetworkRetries(program), { ...how, hidesCredentials: true }, workspace)
    const { temporary, ownPorts, outside, environment } = this.#options
    if (!backend.canGrantHosts)
      throw new ToolError('SANDBOX_UNAVAILABLE', 'Hosts cannot be allowed for a sandboxed command on this system.')
    const egress = await openEgress({
      folder: temporary,
      allow: network,
      ownPorts: ownPorts(),
      ...(outside ? { network: outside } : { proxy: UpstreamProxy.fromEnvironment(environment) })
    })
    try {
      const bridged = throughBridge(egress, { ...program, env: { ...program.env, ...egress.env } })
      return withEgress(egress, await backend.confine(bridged, how, workspace))
    } catch (error) {
      await egress.close()
      throw error
    }
  }

  canGrantHosts(level: IsolationLevel): boolean {
    return this.#backendOf(level)?.canGrantHosts ?? false
  }

  canForwardPorts(level: IsolationLevel): boolean {
    return level === 'none' || level === 'container' ? canFindListeners() : this.canGrantHosts(level)
  }

  /** As `Host.findReadableSecrets`. */
  async findReadableSecrets(level: IsolationLevel, workspace: Workspace): Promise<string[]> {
    return (await this.#backendOf(level)?.findReadableSecrets?.(level as SandboxedLevel, workspace)) ?? []
  }

  #backendOf = (level: IsolationLevel) => (level === 'none' ? undefined : this.#backends.get(level))

  async #runUnsandboxed(program: Program, workspace: Workspace): Promise<ConfinedProgram> {
    const ended = await this.#options.workspaces.of(workspace).trackUnsandboxed()
    const released = async () => {
      await ended()
      return { quarantined: [] }
    }
    return { ...passThrough(program), released }
  }

  async #probeLevel(level: SandboxedLevel): Promise<LevelState> {
    const { backends, probe } = this.#options
    const failed: { name: string; state: LevelState }[] = []
    for (const backend of backends) {
      const state = await probe(backend, level, this.#closing.signal)
      if (state.holds) this.#backends.set(level, backend)
      if (state.holds) return state
      failed.push({ name: backend.name, state })
    }
    return joinReasons(level, failed)
  }

  /** A container holds by itself; a backend adds what a container does not do: it protects the server in it. */
  async #probeContainer(): Promise<LevelState> {
    const state = await this.#options.container()
    if (!state.holds) return state
    const { holds, backend, reason, lacks = [] } = await this.#probeLevel('container')
    if (holds) return { ...state, ...(backend && { backend }), lacks: [...lacks, ...(state.lacks ?? [])] }
    const unprotected = `isolation of commands from each other, from the server and from its files (${reason})`
    return { ...state, lacks: [unprotected, ...(state.lacks ?? [])] }
  }

  async #probeLevels(): Promise<readonly LevelState[]> {
    const { unsandboxed, configuredLevel, retryAfterMs = RETRY_AFTER_MS } = this.#options
    const sandboxed = await Promise.all([this.#probeLevel('workspace'), this.#probeLevel('read-only')])
    const container = configuredLevel === 'container' ? [await this.#probeContainer()] : []
    if (configuredLevel === 'auto') this.#default = sandboxed[0].holds ? 'workspace' : 'none'
    this.#states = [await unsandboxed(), ...sandboxed, ...container]
    this.#retryAt = this.#states.every(isComplete) ? Number.POSITIVE_INFINITY : performance.now() + retryAfterMs
    this.#probing = undefined
    return this.#states
  }
}

/** A container that holds without a backend does not protect the server. */
const isComplete = ({ level, holds, backend }: LevelState) => holds && (level !== 'container' || backend !== undefined)

/** Returns the state of a level that holds with no backend, with the reasons of all. */
function joinReasons(level: SandboxedLevel, failed: readonly { name: string; state: LevelState }[]): LevelState {
  if (failed.length === 0) return { level, holds: false, reason: `There is no sandbox for ${process.platform}.` }
  const [first, ...others] = failed
  const reasons = [first?.state.reason ?? '', ...others.map(({ name, state }) => `With ${name}: ${state.reason}`)]
  return { level, holds: false, reason: reasons.join(' ') }
}

function passThrough(program: Program): ConfinedProgram {
  const { file, args, cwd, env } = withHostPaths(program)
  return { file, args, cwd, env, inherit: [], isSandbox: false, released: async () => ({ quarantined: [] }) }
}

/** There is no network to wait for: retries would take a minute. */
const withoutNetworkRetries = (program: Program): Program => ({
  ...program,
  env: { ...NO_NETWORK_RETRIES, ...program.env }
})
const NO_NETWORK_RETRIES = { npm_config_fetch_retries: '0', PIP_RETRIES: '0', PIP_DEFAULT_TIMEOUT: '5' }

/** Wraps a program with a bridge. Two of them mount the same Node. */
function throughBridge(bridge: Pick<Egress, 'argv' | 'mounts'>, program: Program): Program {
  const [file, ...args] = bridge.argv(program)
  const mounts = new Map([...(program.mounts ?? []), ...bridge.mounts].map(mount => [mount.to, mount]))
  return { ...program, file, args, mounts: [...mounts.values()] }
}

function withEgress(egress: Egress, confined: ConfinedProgram): ConfinedProgram {
  const released = async (): Promise<SandboxReport> => {
    const network = egress.close()
    // The guard is released even if the network setup fails.
    network.catch(() => {})
    const aftermath = await confined.released()
    return { ...aftermath, network: await network }
  }
  return { ...confined, released }
}
