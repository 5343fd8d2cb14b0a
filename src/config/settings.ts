// Settings of a running server: the configuration plus values that only the process knows.
import type { TierRule } from './agents.ts'
import type { Contribution } from './contributions.ts'
import type { Root } from './roots.ts'
import type { Config } from './schema.ts'

/** Rules by tier. Saved rules are in the store instead. */
export interface RuleTiers {
  administrator: TierRule[]
  user: TierRule[]
  /** Each applies in the workspace of its file, identified by its root folder. */
  workspace: (TierRule & { workspace?: string })[]
}

/** Settings of a server: the configuration plus process-specific values. */
export interface Settings extends Omit<Config, 'roots' | 'mcp_servers' | 'command_tools' | 'hooks'> {
  roots: Root[]
  /** Contributions of files, weakest first. */
  brought: readonly Contribution[]
  state_dir: string
  tiers: RuleTiers
  version: string
}
