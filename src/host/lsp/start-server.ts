// Starts a language server: kept by the strict sandbox where that holds, with an environment of its own.

import type { Workspace } from '../host.ts'
import { commandEnvironment, type Environment } from '../processes/environment.ts'
import { pathBeside } from '../processes/search-path.ts'
import type { Spawned } from '../processes/spawned.ts'
import type { Spawner } from '../processes/spawner.ts'
import type { Aftermath, Sandbox } from '../sandbox/sandbox.ts'
import type { Launch } from './launch.ts'

const MARK = 'TOOLGATE_SERVER'

export interface Ground {
  spawner: Spawner
  sandbox: Sandbox
  env_allow: readonly string[]
  environment: Environment
  /** Where all workspaces are. */
  roots: readonly string[]
}

export interface Started {
  spawned: Spawned
  /** To be called once when it has ended. */
  released(): Promise<Aftermath>
}

let last = 0

export async function startServer(
  { file, args, root, environment: set }: Launch,
  workspace: Workspace,
  kept: 'strict' | undefined,
  ground: Ground
): Promise<Started> {
  const { spawner, sandbox, env_allow, environment, roots } = ground
  const mark = `${process.pid}/${++last}`
  const env = {
    ...commandEnvironment(environment, env_allow, { PATH: pathBeside(roots, environment), ...set }),
    [MARK]: mark
  }
  const cwd = root === '.' ? workspace.root : `${workspace.root}/${root}`
  const program = { file, args, cwd, env }
  const { released, ...confined } = await sandbox.confine(program, { level: kept ?? 'none', network: [] }, workspace)
  try {
    const spawned = await spawner.spawn({
      ...confined,
      interactive: true,
      mark: `${MARK}=${mark}`,
      sandbox: kept !== undefined
    })
    return { spawned, released }
  } catch (error) {
    await released()
    throw error
  }
}
