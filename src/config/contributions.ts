// Contributions of configuration files: MCP servers, command tools and hooks. They are grouped by file, since those of a
// repository are started only if a person has trusted exactly that content.

import type { ConfigSource } from './config-source.ts'
import type { Config } from './schema.ts'

/** Settings that name programs to start or servers to connect to. */
const CONTRIBUTION_KEYS = ['mcp_servers', 'command_tools', 'hooks'] as const

/** Returns true for a setting that contributes programs or servers. */
export const isContributionKey = (setting: string): boolean =>
  (CONTRIBUTION_KEYS as readonly string[]).includes(setting)

type ContributedSettings = Pick<Config, (typeof CONTRIBUTION_KEYS)[number]>

/** Settings that are reloaded when a file changes; all others apply from the next start. */
export const RELOADABLE_SETTINGS: readonly string[] = [...CONTRIBUTION_KEYS, 'trust']

export interface Contribution extends ContributedSettings {
  /** The contributing file. */
  file?: string
  /** sha256 of the file's content, in hex. */
  sha256?: string
  /** Root of the workspace of the file: the contribution applies only there. */
  workspace?: string
  /** May be started. */
  trusted: boolean
}

/** The current contributions, weakest file first, and their changes. */
export interface ContributionSource {
  current(): readonly Contribution[]
  /** Subscribes to changes. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void
}

/** Creates a source that never changes. */
export const staticContributions = (brought: readonly Contribution[]): ContributionSource => ({
  current: () => brought,
  onChange: () => () => {}
})

/** Returns the contribution of a source; undefined if it is empty. */
export function readContribution(
  source: ConfigSource,
  about: { workspace?: string; trusted: boolean }
): Contribution | undefined {
  const { mcp_servers = {}, command_tools = {}, hooks = [] } = source.value
  if (Object.keys(mcp_servers).length + Object.keys(command_tools).length + hooks.length === 0) return undefined
  const file = source.file && { file: source.file.path, sha256: source.file.sha256 }
  return { ...file, ...about, mcp_servers, command_tools, hooks }
}

/** Returns all other settings. */
export function omitContributions<T extends object>(value: T): Omit<T, keyof ContributedSettings> {
  const rest = Object.entries(value).filter(([key]) => !isContributionKey(key))
  return Object.fromEntries(rest) as Omit<T, keyof ContributedSettings>
}
