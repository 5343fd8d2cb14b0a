// Starts the process of a server: sandboxed, with its own environment.

import path from 'node:path'
import type { McpServer } from '../../config/mcp.ts'
import { ToolError } from '../../errors.ts'
import type { IsolationLevel, RequestableLevel } from '../../protocol/isolation-levels.ts'
import { currentLevel } from '../../protocol/isolation-levels.ts'
import { homeFolder } from '../../server/xdg.ts'
import { commandEnvironment, type Environment } from '../processes/environment.ts'
import {
  type LongLivedProcess,
  type LongLivedProcessStarter,
  startLongLivedProcess
} from '../processes/long-lived-process.ts'
import { searchPathOutside } from '../processes/search-path.ts'
import type { Workspace } from '../workspace.ts'
import { expandEnv, expandEnvValues } from './expand-env.ts'

const PROCESS_MARK = 'MCP_SERVER'

export interface McpProcessStarter extends LongLivedProcessStarter {
  environment: Environment
  /** Names of variables that commands get besides the standard ones. */
  env_allow: readonly string[]
  /** Roots of all workspaces. */
  roots: readonly string[]
  /** The configured isolation level of commands. */
  level: IsolationLevel | 'auto'
}

/** Throws SANDBOX_UNAVAILABLE if the required level is unavailable; never starts with a lower one. */
export async function startMcpProcess(
  { command, args = [], env, cwd, sandbox, network = [], read = [], limits }: McpServer,
  workspace: Workspace,
  starter: McpProcessStarter
): Promise<LongLivedProcess> {
  const { environment, env_allow, roots } = starter
  const given = (text: string) => expandHome(expandEnv(text, environment), environment)
  const program = {
    file: given(command!),
    args: args.map(arg => expandEnv(arg, environment)),
    cwd: path.resolve(workspace.root, given(cwd ?? '.')),
    env: commandEnvironment(environment, env_allow, {
      PATH: searchPathOutside(roots, environment),
      ...expandEnvValues(env, environment)
    }),
    mounts: read.map(given).map(place => ({ from: place, to: place })),
    // It runs for days.
    limits: { cpu_seconds: Number.POSITIVE_INFINITY, ...limits }
  }
  const level = sandbox === undefined ? defaultLevel(starter.level) : currentLevel(sandbox)
  // Without a sandbox the network is unrestricted.
  const isolation = { level, network: level === 'none' ? [] : network }
  try {
    return await startLongLivedProcess({ mark: PROCESS_MARK, program, isolation, workspace }, starter)
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'SANDBOX_UNAVAILABLE') throw error
    throw new ToolError(
      'SANDBOX_UNAVAILABLE',
      `${error.message} To start the server without a sandbox, set \`"sandbox": "none"\` in its entry.`
    )
  }
}

/** A sandbox disabled for commands is disabled for servers too. */
const defaultLevel = (level: IsolationLevel | 'auto'): RequestableLevel | 'container' =>
  level === 'auto' ? 'workspace' : level

const expandHome = (place: string, environment: Environment) =>
  /^~(?:\/|$)/.test(place) ? path.join(homeFolder(environment), place.slice(1)) : place
