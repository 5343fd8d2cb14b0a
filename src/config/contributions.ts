// What configuration files bring to be run: MCP servers, commands that are tools, hooks. It is kept by file, since what a
// repository brings is started only where a person has trusted that very content.

import type { ConfigSource } from './config-source.ts'
import type { Config } from './schema.ts'

/** The settings that name programs to start or servers to reach. */
const CONTRIBUTION_KEYS = ['mcp_servers', 'command_tools', 'hooks'] as const

/** Whether it names what is run. */
export const isContributionKey = (setting: string): boolean =>
  (CONTRIBUTION_KEYS as readonly string[]).includes(setting)

type ContributedSettings = Pick<Config, (typeof CONTRIBUTION_KEYS)[number]>

/** Settings that a running server takes as soon as a file changes; all others hold from the next start. */
export const RELOADABLE_SETTINGS: readonly string[] = [...CONTRIBUTION_KEYS, 'trust']

export interface Contribution extends ContributedSettings {
  /** The file that brings it. */
  file?: string
  /** sha256 of the file's content, in hex. */
  sha256?: string
  /** Root of the workspace whose file it is: it is for calls there alone. */
  workspace?: string
  /** Whether it may be started. */
  trusted: boolean
}

/** What is brought now, weakest file first, and when it is other than before. */
export interface ContributionSource {
  current(): readonly Contribution[]
  /** Hears of each change from now on. Answers how to stop that. */
  onChange(listener: () => void): () => void
}

/** What never changes. */
export const staticContributions = (brought: readonly Contribution[]): ContributionSource => ({
  current: () => brought,
  onChange: () => () => {}
})

/** What a source brings; undefined where that is nothing. */
export function readContribution(
  source: ConfigSource,
  about: { workspace?: string; trusted: boolean }
): Contribution | undefined {
  const { mcp_servers = {}, command_tools = {}, hooks = [] } = source.value
  if (Object.keys(mcp_servers).length + Object.keys(command_tools).length + hooks.length === 0) return undefined
  const file = source.file && { file: source.file.path, sha256: source.file.sha256 }
  return { ...file, ...about, mcp_servers, command_tools, hooks }
}

/** All else. */
export function omitContributions<T extends object>(value: T): Omit<T, keyof ContributedSettings> {
  const rest = Object.entries(value).filter(([key]) => !isContributionKey(key))
  return Object.fromEntries(rest) as Omit<T, keyof ContributedSettings>
}
