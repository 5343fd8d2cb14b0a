// The level `none`: nothing keeps a command, but what it leaves is still to be ended with it.
import { canUseCgroups } from '../processes/spawner/spawner-cgroup.ts'
import type { LevelState } from './sandbox.ts'

export function unsandboxedState(): LevelState {
  const lacks = lacksInProcessCleanup()
  return { level: 'none', holds: true, ...(lacks.length > 0 && { lacks }) }
}

/** Where no namespace of processes ends with a command. */
export const lacksInProcessCleanup = (): string[] =>
  canUseCgroups()
    ? []
    : ['ending what leaves its session and clears its environment: this user may not make control groups']
