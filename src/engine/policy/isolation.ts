// Isolation of a command: resolves the requested level against the server's settings and the sandboxes that work on this machine.

import type { Settings } from '../../config/settings.ts'
import { ToolError } from '../../errors.ts'
import type { Isolation, LevelState, SandboxLevels } from '../../host/sandbox/sandbox.ts'
import type { AcceptedLevel, IsolationLevel } from '../../protocol/isolation-levels.ts'
import type { IsolationRequest } from '../../tool/request.ts'
import { patternsCoverHost } from './match-hosts.ts'
import type { ResolvedIsolation } from './policy-input.ts'

/** Ranks by restriction. A container protects the machine, not the workspace, which counts as much as `workspace`. */
const RANK: Record<AcceptedLevel, number> = { none: 0, container: 1, workspace: 1, 'read-only': 2, strict: 2 }

export const isLooser = (level: AcceptedLevel, than: AcceptedLevel) => RANK[level] < RANK[than]

/** The configured isolation, and the levels that this machine supports. */
interface IsolationSource {
  settings: Pick<Settings, 'sandbox'>
  sandbox: SandboxLevels
}

/** Resolves the isolation. Fails with SANDBOX_UNAVAILABLE if the level does not work here, unless the call allows a fallback. */
export async function resolveIsolation(
  { settings, sandbox }: IsolationSource,
  request: IsolationRequest = {}
): Promise<ResolvedIsolation> {
  if (request.atClient) return { level: 'none', default: sandbox.default, network: [], atClient: true }
  const states = await sandbox.states()
  const level = request.level === 'none' && protectsServer(states) ? 'container' : (request.level ?? sandbox.default)
  const isolation = {
    level,
    default: sandbox.default,
    network: listUngrantedHosts(request.network, settings.sandbox.network),
    ...(request.network && request.network.length > 0 && { requested: request.network }),
    ...(request.ports && request.ports.length > 0 && { ports: request.ports }),
    ...(states.some(state => state.level === level && state.exposes_workspace) && { exposesWorkspace: true as const })
  }
  const reason = unavailableReason(level, states)
  if (reason && request.allowFallback && sandbox.default === 'container' && !unavailableReason('container', states))
    return { ...isolation, level: 'container', isFallback: true }
  if (reason && request.allowFallback && settings.sandbox.run_code === 'ask')
    return {
      ...isolation,
      level: 'none',
      isFallback: true,
      unsandboxedReason: `The code is not sandboxed: ${reason}`
    }
  if (reason) throw new ToolError('SANDBOX_UNAVAILABLE', `Isolation ${level} is not available: ${reason}`)
  if (isolation.network.length > 0 && isSandboxed(level) && !sandbox.canGrantHosts(level))
    throw new ToolError(
      'SANDBOX_UNAVAILABLE',
      `The sandbox ${level} cannot limit network access to single hosts on this machine. For network access, request isolation none.`
    )
  if (isolation.ports && !sandbox.canForwardPorts(level))
    throw new ToolError(
      'SANDBOX_UNAVAILABLE',
      isSandboxed(level)
        ? `The sandbox ${level} cannot make ports of a command reachable on this machine. To run a server, request isolation none.`
        : 'Toolgate cannot detect the ports of a command on this system. Omit `ports`: without a sandbox, the ports are ' +
            'reachable directly.'
    )
  if (level === 'none' && settings.sandbox.level === 'auto' && sandbox.default === 'none')
    return {
      ...isolation,
      unsandboxedReason: `The command is not sandboxed: ${unavailableReason('workspace', states) ?? NO_SANDBOX}`,
      ...(request.level === undefined && !unavailableReason('read-only', states) && { autoRunLevel: 'read-only' })
    }
  if (level === 'none' || isLooser(level, sandbox.default) || isolation.network.length > 0 || isolation.ports)
    return isolation
  return unavailableReason('read-only', states) ? isolation : { ...isolation, autoRunLevel: 'read-only' }
}

interface LevelChoice {
  /** Requested hosts. */
  network?: readonly string[] | undefined
  /** Without approval by a person or a rule: it needs none, or the mode of its session allows it. */
  unasked?: 'by itself' | 'by mode' | undefined
  /** Globs of paths that rules for its tool deny or ask about; undefined if a person has approved it. */
  guarded: readonly string[] | undefined
  /** It runs git commands that leave out files of the history that may hold credentials. */
  readsHistory: boolean
}

/** Selects the final isolation after the policy: an auto-approved call gets the least privileges. */
export function selectIsolation(
  { settings }: Pick<IsolationSource, 'settings'>,
  { level, autoRunLevel, ports }: ResolvedIsolation,
  { network = [], unasked, guarded, readsHistory }: LevelChoice
): Isolation {
  const view = guarded === undefined ? { showsGuarded: true as const } : guarded.length > 0 && { guardedGlobs: guarded }
  const history = readsHistory ? { neutralizesGit: true as const } : { hidesHistory: true as const }
  if (unasked === 'by itself' && autoRunLevel) return { level: autoRunLevel, network: [], ...view, ...history }
  if (unasked === 'by mode') return { level, network: [], ...view, ...history }
  const served = ports && { ports }
  if (level === 'none' || level === 'container') return { level, network: [], ...served }
  const hosts = new Set([...network, ...(level === 'workspace' ? settings.sandbox.network : [])])
  return { level, network: [...hosts], ...view, ...served }
}

const NO_SANDBOX = 'no sandbox is available.'

const isSandboxed = (level: IsolationLevel) => level === 'workspace' || level === 'read-only'

/** The level `container`, with a backend, keeps the server from every command: none runs without it. */
const protectsServer = (states: readonly LevelState[]) =>
  states.some(({ level, holds, backend }) => level === 'container' && holds && backend !== undefined)

function unavailableReason(level: IsolationLevel, states: readonly LevelState[]): string | undefined {
  if (level === 'none') return undefined
  const state = states.find(each => each.level === level)
  return state?.holds ? undefined : (state?.reason ?? NO_SANDBOX)
}

const listUngrantedHosts = (requested: readonly string[] = [], granted: readonly string[]) =>
  requested.filter(host => !patternsCoverHost(granted, host))
