// Which server is asked about a file, as the user has configured them.

import type { Config } from '../../../config/schema.ts'
import { ToolError } from '../../../errors.ts'
import { quote } from '../../files/errno.ts'
import { laidOver } from '../wire/settings.ts'
import { type Ground, isElsewhere, type Launch, launchOf, projectRoot, serversFor } from './launch-config.ts'
import type { LanguageServer } from './servers.ts'

type Overrides = Config['language_servers']['servers']

/** The rows as they hold with what is configured. */
export function configured(servers: readonly LanguageServer[], overrides: Overrides): LanguageServer[] {
  return servers.flatMap(server => {
    const { command, args, settings, disabled } = overrides[server.name] ?? {}
    if (disabled) return []
    return [
      {
        ...server,
        ...(command !== undefined && { programs: [{ name: command }], args: args ?? server.args ?? [] }),
        ...(args && { args }),
        ...(settings && { settings: project => laidOver(server.settings?.(project) ?? {}, settings) })
      } satisfies LanguageServer
    ]
  })
}

/** Where a server is for a file: already running or to be started is all the same. */
export interface Choice {
  server: LanguageServer
  /** Folder of the project, relative to the workspace's root. */
  root: string
}

/** The servers for a file with their projects, the preferred one first. */
export function choicesFor(path: string, servers: readonly LanguageServer[], ground: Ground): Choice[] {
  return serversFor(path, servers).flatMap(({ server }) => {
    const root = projectRoot(path, server, ground.exists)
    return isElsewhere(server, root, ground) ? [] : [{ server, root }]
  })
}

export function launchFor(choices: readonly Choice[], ground: Ground): Launch | undefined {
  for (const { server, root } of choices) {
    const launch = launchOf(server, root, ground)
    if (launch) return launch
  }
  return undefined
}

export function missing(path: string, servers: readonly LanguageServer[]): ToolError {
  const [first] = serversFor(path, servers)
  if (!first) return new ToolError('LSP_UNAVAILABLE', `No language server is known for ${quote(path)}.`, { path })
  const { server, language } = first
  return new ToolError(
    'LSP_UNAVAILABLE',
    `There is no language server for ${language} here. To install one: ${server.install}`,
    { path, language, server: server.name, install: server.install }
  )
}
