// Custom tools written by users: their sources and states. Those from a repository are served only to its workspace, and only
// after a person has trusted them.
import { join } from 'node:path'
import type { ContributionSource } from '../../config/contributions.ts'
import type { Config } from '../../config/schema.ts'
import { realPath } from '../../host/sandbox/path-within.ts'
import type { TrustStore } from '../../host/trust/trust-store.ts'
import type { Workspace } from '../../host/workspace.ts'
import { type CustomTool, CustomToolSource, type CustomToolSourceOptions } from './custom-tool-source.ts'

/** Folders of modules in a workspace and in the user's configuration folder. */
const WORKSPACE_TOOLS_FOLDER = '.toolgate/tools'
const USER_TOOLS_FOLDER = 'toolgate/tools'

interface CustomToolsOptions extends Pick<CustomToolSourceOptions, 'catalog' | 'pool' | 'known' | 'log'> {
  settings: Config['custom_tools']
  workspaces: ReadonlyMap<string, Workspace>
  /** The user's configuration folder. */
  userFolder: string
  contributions: ContributionSource
  trust: TrustStore
}

export class CustomTools {
  readonly #sources: readonly CustomToolSource[]
  readonly #disposers: readonly (() => void)[]

  /** Serves commands immediately, modules after they have been loaded. */
  constructor({ settings, workspaces, userFolder, contributions, trust, ...common }: CustomToolsOptions) {
    const [first] = workspaces.values()
    const shared = { ...common, env: settings.env, contributions: () => contributions.current() }
    const user = new CustomToolSource({
      ...shared,
      source: 'custom',
      folder: settings.enabled ? join(realPath(userFolder), USER_TOOLS_FOLDER) : undefined,
      describeIn: first!,
      isTrusted: () => true,
      isContributed: ({ workspace }) => workspace === undefined
    })
    const others = [...workspaces.values()].map(
      workspace =>
        new CustomToolSource({
          ...shared,
          source: `custom:${workspace.name}`,
          folder: settings.enabled ? join(workspace.root, WORKSPACE_TOOLS_FOLDER) : undefined,
          workspace: workspace.name,
          describeIn: workspace,
          isTrusted: ({ path, sha256 }) => trust.isTrusted(path, sha256),
          isContributed: ({ workspace: root }) => root === workspace.root
        })
    )
    this.#sources = [user, ...others]
    const look = () => void this.refresh()
    this.#disposers = [contributions.onChange(look), trust.onChange(look)]
  }

  /** Serves the modules whose descriptions are cached, which takes no process. */
  async serveKnown(): Promise<void> {
    await Promise.all(this.#sources.map(place => place.serveKnown()))
  }

  /** Loads the tools, and watches them from then on. */
  async refresh(): Promise<void> {
    await Promise.all(this.#sources.map(place => place.refresh()))
  }

  states(): CustomTool[] {
    return this.#sources.flatMap(place => place.states())
  }

  async close(): Promise<void> {
    for (const end of this.#disposers) end()
    await Promise.all(this.#sources.map(place => place.close()))
  }
}
