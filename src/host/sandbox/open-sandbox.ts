// The sandbox that this system has.

import type { Outside } from '../egress/guarded-connect.ts'
import { ownTemporary } from '../temp-folders.ts'
import { Bubblewrap } from './bubblewrap/bubblewrap.ts'
import { containerState } from './container.ts'
import { GuardedWorkspaces } from './guard/guarded-workspaces.ts'
import { probe } from './probe.ts'
import type { LevelState } from './sandbox.ts'
import type { Keeper, KeeperOptions, KeptLevel } from './sandbox-backend.ts'
import { Levels } from './sandbox-manager.ts'
import { Seatbelt } from './seatbelt.ts'
import { unkeptState } from './unsandboxed.ts'

export type { Levels } from './sandbox-manager.ts'

interface SandboxOptions extends KeeperOptions {
  /** Ports that the server listens on, which no command reaches. */
  ownPorts(): readonly number[]
  /** The network that commands are let out to, where that is not this machine's. */
  outside?: Outside
}

export function openSandbox({ ownPorts, outside, ...options }: SandboxOptions): Levels {
  const workspaces = new GuardedWorkspaces(options)
  const keeper = keeperHere(options, workspaces)
  return new Levels({
    keeper,
    workspaces,
    wanted: options.settings.level,
    unkept: unkeptState,
    temporary: ownTemporary(options.stateDir),
    ownPorts,
    ...(outside && { outside }),
    probe: async (level, signal) =>
      level === 'container' ? containerState() : triedOut(keeper, level, options, signal)
  })
}

const holding = new Map<string, LevelState>()

/** A level that holds is tried out once in a process: the machine does not become another, but what is
 * mounted depends on where the server's programs are. */
async function triedOut(keeper: Keeper, level: KeptLevel, options: KeeperOptions, signal: AbortSignal) {
  const {
    settings,
    environment: { PATH, HOME }
  } = options
  const key = JSON.stringify([level, settings, PATH, HOME])
  const state = holding.get(key) ?? (await probe(keeper, level, signal))
  if (state.holds) holding.set(key, state)
  return state
}

function keeperHere(options: KeeperOptions, workspaces: GuardedWorkspaces): Keeper {
  if (process.platform === 'linux') return new Bubblewrap(options, workspaces)
  if (process.platform === 'darwin') return new Seatbelt(options, workspaces)
  return {
    missing: `There is no sandbox for ${process.platform}.`,
    lacks: [],
    grantsHosts: false,
    confine: () => Promise.reject(new Error('There is no sandbox here.'))
  }
}
