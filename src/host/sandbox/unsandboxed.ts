// The level `none`: commands run without a sandbox, but their processes are still killed with them.
import { canUseCgroups } from '../processes/spawner/spawner-cgroup.ts'
import type { LevelState } from './sandbox.ts'

export async function unsandboxedState(): Promise<LevelState> {
  const lacks = await lacksInProcessCleanup()
  return { level: 'none', holds: true, ...(lacks.length > 0 && { lacks }) }
}

/** Cleanup of processes is incomplete if no pid namespace ends with a command. */
export const lacksInProcessCleanup = async (): Promise<string[]> =>
  (await canUseCgroups())
    ? []
    : [
        'termination of processes that leave their session and clear their environment: this user cannot create control groups'
      ]
