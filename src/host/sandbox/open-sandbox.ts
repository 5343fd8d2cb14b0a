// Opens the sandbox of this platform.

import { currentLevel } from '../../protocol/isolation-levels.ts'
import type { EgressNetwork } from '../egress/guarded-connect.ts'
import { stateTempFolder } from '../temp-folders.ts'
import { Bubblewrap } from './bubblewrap/bubblewrap.ts'
import { detectContainer } from './container.ts'
import { GuardedWorkspaces, type WatcherLookup } from './guard/guarded-workspaces.ts'
import { Landlock } from './landlock/landlock.ts'
import { probe } from './probe.ts'
import type { LevelState } from './sandbox.ts'
import type { SandboxBackend, SandboxBackendOptions, SandboxedLevel } from './sandbox-backend.ts'
import { SandboxManager } from './sandbox-manager.ts'
import { Seatbelt } from './seatbelt.ts'
import { unsandboxedState } from './unsandboxed.ts'

interface SandboxOptions extends SandboxBackendOptions {
  /** Ports that the server listens on, unreachable for commands. */
  ownPorts(): readonly number[]
  watcherOf?: WatcherLookup
  /** Creates the backends to choose from, if not those of this platform. */
  backends?: (options: SandboxBackendOptions, workspaces: GuardedWorkspaces) => SandboxBackend[]
  /** The network for outgoing connections of commands, if not this machine's. */
  outside?: EgressNetwork
}

export function openSandbox({
  ownPorts,
  watcherOf,
  outside,
  backends = createBackends,
  ...options
}: SandboxOptions): SandboxManager {
  const workspaces = new GuardedWorkspaces(options, watcherOf)
  return new SandboxManager({
    backends: backends(options, workspaces),
    workspaces,
    configuredLevel: currentLevel(options.settings.level),
    unsandboxed: unsandboxedState,
    temporary: stateTempFolder(options.stateDir),
    ownPorts,
    environment: options.environment,
    ...(outside && { outside }),
    container: () => detectContainer(options.environment),
    probe: (backend, level, signal) => probeOnce(backend, level, options, signal)
  })
}

const probedStates = new Map<string, LevelState>()

/**
 * A successful probe is valid for the process: the machine does not change, but the mounts depend on the location of the server's
 * programs.
 */
async function probeOnce(
  backend: SandboxBackend,
  level: SandboxedLevel,
  options: SandboxBackendOptions,
  signal: AbortSignal
) {
  const {
    settings,
    environment: { PATH, HOME }
  } = options
  const key = JSON.stringify([backend.name, level, settings, PATH, HOME, level === 'container' && options.stateDir])
  const state = probedStates.get(key) ?? (await probe(backend, level, options, signal))
  if (state.holds) probedStates.set(key, state)
  return state
}

function createBackends(options: SandboxBackendOptions, workspaces: GuardedWorkspaces): SandboxBackend[] {
  if (process.platform === 'linux') return [new Bubblewrap(options, workspaces), new Landlock(options, workspaces)]
  return process.platform === 'darwin' ? [new Seatbelt(options, workspaces)] : []
}
