// Starts a language server: in the read-only sandbox if available, with its own environment.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { homeFolder } from '../../../server/xdg.ts'
import { commandEnvironment, type Environment } from '../../processes/environment.ts'
import {
  type LongLivedProcess,
  type LongLivedProcessStarter,
  startLongLivedProcess
} from '../../processes/long-lived-process.ts'
import { searchPathOutside } from '../../processes/search-path.ts'
import type { Mount } from '../../sandbox/sandbox.ts'
import type { Workspace } from '../../workspace.ts'
import type { LaunchConfig } from './launch-config.ts'

const PROCESS_MARK = 'LANGUAGE_SERVER'
/** Factor above the configured limit, so that the server is usually stopped with a reason before the kernel kills it. */
const MEMORY_SLACK = 1.5

/** Dependencies for starting servers. */
export interface LanguageServerStarter extends LongLivedProcessStarter {
  env_allow: readonly string[]
  environment: Environment
  /** Roots of all workspaces. */
  roots: readonly string[]
}

export async function startLanguageServer(
  { file, args, root, environment: set, server }: LaunchConfig,
  workspace: Workspace,
  isolationLevel: 'read-only' | undefined,
  memory_bytes: number,
  { env_allow, environment, roots, ...starter }: LanguageServerStarter
): Promise<LongLivedProcess> {
  const program = {
    file,
    args,
    cwd: join(workspace.root, root),
    env: commandEnvironment(environment, env_allow, { PATH: searchPathOutside(roots, environment), ...set }),
    ...(isolationLevel && { mounts: existingMounts(server.homeFolders ?? [], homeFolder(environment)) }),
    // It runs for days.
    limits: { memory_bytes: Math.round(memory_bytes * MEMORY_SLACK), cpu_seconds: Number.POSITIVE_INFINITY }
  }
  const isolation = { level: isolationLevel ?? 'none', network: [] } as const
  return startLongLivedProcess({ mark: PROCESS_MARK, program, isolation, workspace }, starter)
}

/** Returns mounts of those folders of the home that exist. */
const existingMounts = (folders: readonly string[], home: string): Mount[] =>
  folders
    .map(folder => join(home, folder))
    .filter(folder => existsSync(folder))
    .map(folder => ({ from: folder, to: folder }))
