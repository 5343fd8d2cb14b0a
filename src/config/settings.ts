import type { TierRule } from './agents.ts'
import type { Contribution } from './contributions.ts'
import type { Config } from './schema.ts'

/** Rules by the tier they come from. Remembered ones live in the journal's store instead. */
export interface RuleTiers {
  administrator: TierRule[]
  user: TierRule[]
  /** Each holds in the workspace whose file it comes from, named by its root folder. */
  workspace: (TierRule & { workspace?: string })[]
}

/** What the server is started with: configuration plus what only the process knows. */
export interface Settings extends Omit<Config, 'mcp_servers' | 'command_tools' | 'hooks'> {
  /** What files bring to be run, weakest first. */
  brought: readonly Contribution[]
  state_dir: string
  tiers: RuleTiers
  version: string
}
