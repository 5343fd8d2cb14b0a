// The language servers of all workspaces, as the services of one workspace use them.
import type { Config } from '../../config/schema.ts'
import type { Workspace } from '../workspace.ts'
import type { ProjectServer } from './project-server.ts'
import type { LaunchEnvironment } from './servers/launch-config.ts'
import type { LanguageServerDefinition } from './servers/server-definition.ts'

export interface ProjectServers {
  readonly settings: Config['language_servers']
  /** The known language servers, with the overrides of the configuration applied. */
  readonly definitions: readonly LanguageServerDefinition[]
  /** Returns the level that language servers are sandboxed by, or undefined where no sandbox works. */
  isolationLevel(): Promise<'read-only' | undefined>
  launchEnvironment(workspace: Workspace): LaunchEnvironment
  /** Throws LSP_UNAVAILABLE if no server for a file is installed. */
  assertInstalled(workspace: Workspace, path: string): Promise<void>
  /** Returns the server for a file and starts it if needed. Throws LSP_UNAVAILABLE if there is none. */
  serverFor(workspace: Workspace, path: string, environment?: LaunchEnvironment): Promise<ProjectServer>
  /** Returns the server for a file if it runs already. */
  findRunning(workspace: Workspace, path: string): ProjectServer | undefined
  serversIn(workspace: Workspace): ProjectServer[]
}
