// The levels of isolation: which of them hold here, and having a program kept by one that does.

import { ToolError } from '../../errors.ts'
import { type Egress, openEgress } from '../egress/egress.ts'
import type { Outside } from '../egress/guarded-connect.ts'
import type { Workspace } from '../host.ts'
import type { GuardedWorkspaces } from './guard/guarded-workspaces.ts'
import { unmounted } from './host-paths.ts'
import type { Aftermath, Confined, Isolation, Level, LevelState, Program, Sandbox } from './sandbox.ts'
import type { Keeper, KeptLevel } from './sandbox-backend.ts'

interface LevelsOptions {
  keeper: Keeper
  /** What commands must not touch, and what is theirs of what comes to be. */
  workspaces: GuardedWorkspaces
  /** The setting. */
  wanted: Level | 'auto'
  /** Tries a level out, until the signal. */
  probe(level: KeptLevel | 'container', signal: AbortSignal): Promise<LevelState>
  /** What the level `none` is here. */
  unkept(): LevelState
  /** When a level that did not hold is tried again. */
  again_ms?: number
  /** For what lives as long as a command, where none finds it. */
  temporary: string
  /** Ports that the server listens on, which no command reaches. */
  ownPorts(): readonly number[]
  /** The network that commands are let out to, where that is not this machine's. */
  outside?: Outside
}

/** What failed may have failed for the moment's sake. */
const AGAIN_MS = 60_000

export class Levels implements Sandbox {
  readonly #options: LevelsOptions
  readonly #closing = new AbortController()
  #states: readonly LevelState[] | undefined
  #trial: Promise<readonly LevelState[]> | undefined
  #again = Number.POSITIVE_INFINITY
  #default: Level

  constructor(options: LevelsOptions) {
    this.#options = options
    this.#default = options.wanted === 'auto' ? 'workspace' : options.wanted
  }

  get default() {
    return this.#default
  }

  /** While a level is tried again, what was found before counts. */
  async states(): Promise<readonly LevelState[]> {
    const isDue = performance.now() >= this.#again && !this.#closing.signal.aborted
    if (!this.#states || isDue) this.#trial ??= this.#tryOut()
    return this.#states ?? this.#trial!
  }

  /** Ends what is being tried out. */
  async close() {
    this.#closing.abort()
    await this.#trial
  }

  /** A call has put something into a workspace itself, with leave: it is not taken for the work of a command. */
  made(workspace: Workspace, path: string) {
    this.#options.workspaces.of(workspace).made(path)
  }

  /** Takes away what commands of a server left in a workspace that was killed while they ran. */
  recover(workspace: Workspace): Promise<Aftermath> {
    return this.#options.workspaces.of(workspace).recover()
  }

  async confine(program: Program, { level, network }: Isolation, workspace: Workspace): Promise<Confined> {
    const state = (await this.states()).find(each => each.level === level)
    if (!state?.holds)
      throw new ToolError(
        'SANDBOX_UNAVAILABLE',
        `Isolation ${level} does not hold here: ${state?.reason ?? 'unknown.'}`
      )
    if (level === 'none') return this.#besideKept(program, workspace)
    if (level === 'container') return asItIs(program)
    if (network.length === 0) return this.#options.keeper.confine(withoutPatience(program), level, workspace)
    const { temporary, ownPorts, outside } = this.#options
    if (!this.#options.keeper.grantsHosts)
      throw new ToolError('SANDBOX_UNAVAILABLE', 'No hosts can be granted to a sandboxed command on this system.')
    const egress = await openEgress({
      folder: temporary,
      allow: network,
      own_ports: ownPorts(),
      ...(outside && { outside })
    })
    try {
      return withEgress(egress, await this.#options.keeper.confine(through(egress, program), level, workspace))
    } catch (error) {
      await egress.close()
      throw error
    }
  }

  async #besideKept(program: Program, workspace: Workspace): Promise<Confined> {
    const ended = await this.#options.workspaces.of(workspace).beside()
    const released = async () => {
      await ended()
      return { quarantined: [] }
    }
    return { ...asItIs(program), released }
  }

  async #tryOut(): Promise<readonly LevelState[]> {
    const { probe, unkept, wanted, again_ms = AGAIN_MS } = this.#options
    const { signal } = this.#closing
    const kept = await Promise.all([probe('workspace', signal), probe('strict', signal)])
    const container = wanted === 'container' ? [await probe('container', signal)] : []
    if (wanted === 'auto') this.#default = kept[0].holds ? 'workspace' : 'none'
    this.#states = [unkept(), ...kept, ...container]
    this.#again = this.#states.every(({ holds }) => holds) ? Number.POSITIVE_INFINITY : performance.now() + again_ms
    this.#trial = undefined
    return this.#states
  }
}

function asItIs(program: Program): Confined {
  const { file, args, cwd, env } = unmounted(program)
  return { file, args, cwd, env, inherit: [], released: async () => ({ quarantined: [] }) }
}

/** There is no network to wait for: whoever asks again and again would do so for a minute. */
const withoutPatience = (program: Program): Program => ({ ...program, env: { ...NO_PATIENCE, ...program.env } })
const NO_PATIENCE = { npm_config_fetch_retries: '0', PIP_RETRIES: '0', PIP_DEFAULT_TIMEOUT: '5' }

function through(egress: Egress, program: Program): Program {
  const [file, ...args] = egress.argv(program)
  return {
    ...program,
    file,
    args,
    env: { ...program.env, ...egress.env },
    mounts: [...(program.mounts ?? []), ...egress.mounts]
  }
}

function withEgress(egress: Egress, confined: Confined): Confined {
  const released = async (): Promise<Aftermath> => {
    const network = egress.close()
    // Whatever becomes of the way out, the guard is let go.
    network.catch(() => {})
    const aftermath = await confined.released()
    return { ...aftermath, network: await network }
  }
  return { ...confined, released }
}
