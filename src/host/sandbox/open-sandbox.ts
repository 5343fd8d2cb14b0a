// Opens the sandbox of this platform.

import type { EgressNetwork } from '../egress/guarded-connect.ts'
import { stateTempFolder } from '../temp-folders.ts'
import { Bubblewrap } from './bubblewrap/bubblewrap.ts'
import { detectContainer } from './container.ts'
import { GuardedWorkspaces, type WatcherLookup } from './guard/guarded-workspaces.ts'
import { currentLevel } from './isolation-levels.ts'
import { probe } from './probe.ts'
import type { LevelState } from './sandbox.ts'
import type { SandboxBackend, SandboxBackendOptions, SandboxedLevel } from './sandbox-backend.ts'
import { SandboxManager } from './sandbox-manager.ts'
import { Seatbelt } from './seatbelt.ts'
import { unsandboxedState } from './unsandboxed.ts'

export type { SandboxManager } from './sandbox-manager.ts'

interface SandboxOptions extends SandboxBackendOptions {
  /** Ports that the server listens on, unreachable for commands. */
  ownPorts(): readonly number[]
  watcherOf?: WatcherLookup
  /** The network for outgoing connections of commands, if not this machine's. */
  outside?: EgressNetwork
}

export function openSandbox({ ownPorts, watcherOf, outside, ...options }: SandboxOptions): SandboxManager {
  const workspaces = new GuardedWorkspaces(options, watcherOf)
  const backend = createBackend(options, workspaces)
  return new SandboxManager({
    backend,
    workspaces,
    configuredLevel: currentLevel(options.settings.level),
    unsandboxed: unsandboxedState,
    temporary: stateTempFolder(options.stateDir),
    ownPorts,
    ...(outside && { outside }),
    probe: async (level, signal) =>
      level === 'container' ? detectContainer() : probeOnce(backend, level, options, signal)
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
  const key = JSON.stringify([level, settings, PATH, HOME])
  const state = probedStates.get(key) ?? (await probe(backend, level, signal))
  if (state.holds) probedStates.set(key, state)
  return state
}

function createBackend(options: SandboxBackendOptions, workspaces: GuardedWorkspaces): SandboxBackend {
  if (process.platform === 'linux') return new Bubblewrap(options, workspaces)
  if (process.platform === 'darwin') return new Seatbelt(options, workspaces)
  return {
    missingDependency: `There is no sandbox for ${process.platform}.`,
    lacks: [],
    canGrantHosts: false,
    confine: () => Promise.reject(new Error('There is no sandbox here.'))
  }
}
