// Selects the server of a file, as configured by the user.

import type { Config } from '../../../config/schema.ts'
import { ToolError } from '../../../errors.ts'
import { quotePath } from '../../files/errno.ts'
import { mergeSettings } from '../wire/settings.ts'
import {
  findProjectRoot,
  isLeftToOtherServer,
  type LaunchConfig,
  type LaunchEnvironment,
  resolveLaunchConfig,
  serversFor
} from './launch-config.ts'
import type { LanguageServerDefinition } from './server-definition.ts'

type ServerOverrides = Config['language_servers']['servers']

/** Applies the user's configuration to the definitions. */
export function applyOverrides(
  servers: readonly LanguageServerDefinition[],
  overrides: ServerOverrides
): LanguageServerDefinition[] {
  return servers.flatMap(server => {
    const { command, args, settings, disabled } = overrides[server.name] ?? {}
    if (disabled) return []
    return [
      {
        ...server,
        ...(command !== undefined && { programs: [{ name: command }], args: args ?? server.args ?? [] }),
        ...(args && { args }),
        ...(settings && { settings: project => mergeSettings(server.settings?.(project) ?? {}, settings) })
      } satisfies LanguageServerDefinition
    ]
  })
}

/** A server for a file, running or not. */
export interface ServerCandidate {
  server: LanguageServerDefinition
  /** Folder of the project, relative to the workspace's root. */
  root: string
}

/** Returns the servers for a file with their projects, in order of preference. */
export function findCandidates(
  path: string,
  servers: readonly LanguageServerDefinition[],
  environment: LaunchEnvironment
): ServerCandidate[] {
  return serversFor(path, servers).flatMap(({ server }) => {
    const root = findProjectRoot(path, server, environment.exists)
    return isLeftToOtherServer(server, root, environment) ? [] : [{ server, root }]
  })
}

export function firstLaunchConfig(
  choices: readonly ServerCandidate[],
  environment: LaunchEnvironment
): LaunchConfig | undefined {
  for (const { server, root } of choices) {
    const launch = resolveLaunchConfig(server, root, environment)
    if (launch) return launch
  }
  return undefined
}

export function noServerError(path: string, servers: readonly LanguageServerDefinition[]): ToolError {
  const [first] = serversFor(path, servers)
  if (!first)
    return new ToolError(
      'LSP_UNAVAILABLE',
      `Toolgate knows no language server for ${quotePath(path)}.`,
      { path },
      PERMANENT
    )
  const { server, language } = first
  return new ToolError(
    'LSP_UNAVAILABLE',
    `No language server for ${language} is installed. To install one: ${server.install}`,
    { path, language, server: server.name, install: server.install },
    PERMANENT
  )
}

/** A retry does not help: the server is still missing then. */
const PERMANENT = { recoverable: false }
