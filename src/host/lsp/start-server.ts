// Starts a language server: kept by the strict sandbox where that holds, with an environment of its own.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Workspace } from '../host.ts'
import { commandEnvironment, type Environment } from '../processes/environment.ts'
import { pathBeside } from '../processes/search-path.ts'
import type { Spawned } from '../processes/spawned.ts'
import type { Spawner } from '../processes/spawner.ts'
import type { Aftermath, Mount, Sandbox } from '../sandbox/sandbox.ts'
import { homeOf } from '../server/home.ts'
import type { Launch } from './launch.ts'

const MARK = 'LANGUAGE_SERVER'
/** Over what we allow, so that it is us who end it, and say why, unless it grows too fast for that. */
const MEMORY_SLACK = 1.5

/** What servers are started with. */
export interface Starter {
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
  { file, args, root, environment: set, server }: Launch,
  workspace: Workspace,
  kept: 'strict' | undefined,
  memory_bytes: number,
  { spawner, sandbox, env_allow, environment, roots }: Starter
): Promise<Started> {
  const mark = `${process.pid}/${++last}`
  const program = {
    file,
    args,
    cwd: join(workspace.root, root),
    env: {
      ...commandEnvironment(environment, env_allow, { PATH: pathBeside(roots, environment), ...set }),
      [MARK]: mark
    },
    ...(kept && { mounts: readable(server.reads ?? [], homeOf(environment)) }),
    // It runs for days.
    limits: { memory_bytes: Math.round(memory_bytes * MEMORY_SLACK), cpu_seconds: Number.POSITIVE_INFINITY }
  }
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

/** Folders of the home, where they are. */
const readable = (folders: readonly string[], home: string): Mount[] =>
  folders
    .map(folder => join(home, folder))
    .filter(folder => existsSync(folder))
    .map(folder => ({ from: folder, to: folder }))
