// Starts the process of a server: in the sandbox, with an environment of its own.
import path from 'node:path'
import type { McpServer } from '../../config/mcp.ts'
import { ToolError } from '../../errors.ts'
import { homeOf } from '../../server/xdg.ts'
import type { Workspace } from '../host.ts'
import { commandEnvironment, type Environment } from '../processes/environment.ts'
import { type Resident, type ResidentStarter, startResident } from '../processes/long-lived-process.ts'
import { pathBeside } from '../processes/search-path.ts'
import type { AskedLevel, Level } from '../sandbox/isolation-levels.ts'
import { allExpanded, expanded } from './expand-env.ts'

const MARK = 'MCP_SERVER'

export interface ProcessStarter extends ResidentStarter {
  environment: Environment
  /** Names of variables that commands get besides the standard ones. */
  env_allow: readonly string[]
  /** Where all workspaces are. */
  roots: readonly string[]
  /** What keeps commands, as it is configured. */
  level: Level | 'auto'
}

/** Throws SANDBOX_UNAVAILABLE where it would not be kept as it is to be; it is never started with less. */
export async function startProcess(
  { command, args = [], env, cwd, sandbox, network = [], read = [] }: McpServer,
  workspace: Workspace,
  starter: ProcessStarter
): Promise<Resident> {
  const { environment, env_allow, roots } = starter
  const given = (text: string) => inHome(expanded(text, environment), environment)
  const program = {
    file: given(command!),
    args: args.map(arg => expanded(arg, environment)),
    cwd: path.resolve(workspace.root, given(cwd ?? '.')),
    env: commandEnvironment(environment, env_allow, {
      PATH: pathBeside(roots, environment),
      ...allExpanded(env, environment)
    }),
    mounts: read.map(given).map(place => ({ from: place, to: place })),
    // It runs for days.
    limits: { cpu_seconds: Number.POSITIVE_INFINITY }
  }
  const level = sandbox ?? usual(starter.level)
  // Without a sandbox the network is all there.
  const isolation = { level, network: level === 'none' ? [] : network }
  try {
    return await startResident({ mark: MARK, program, isolation, workspace }, starter)
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'SANDBOX_UNAVAILABLE') throw error
    throw new ToolError(
      'SANDBOX_UNAVAILABLE',
      `${error.message} To start it with all rights of yours, say \`"sandbox": "none"\` in its entry.`
    )
  }
}

/** Whoever has switched the sandbox off for commands has done so for these. */
const usual = (level: Level | 'auto'): AskedLevel | 'container' => (level === 'auto' ? 'workspace' : level)

const inHome = (place: string, environment: Environment) =>
  /^~(?:\/|$)/.test(place) ? path.join(homeOf(environment), place.slice(1)) : place
