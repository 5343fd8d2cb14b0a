// The tools that users write: where they come from, and how all of them stand. What a repository brings is served to its
// own workspace, and only as a person has trusted it.
import { join } from 'node:path'
import type { ContributionSource } from '../../config/contributions.ts'
import type { Config } from '../../config/schema.ts'
import { realPath } from '../../host/sandbox/path-within.ts'
import type { TrustStore } from '../../host/trust/trust-store.ts'
import type { Workspace } from '../../host/workspace.ts'
import { type CustomTool, CustomToolSource, type CustomToolSourceOptions } from './custom-tool-source.ts'

/** Where modules are in a workspace, and in the folder of the user's configuration. */
const WORKSPACE_TOOLS_FOLDER = '.toolgate/tools'
const USER_TOOLS_FOLDER = 'toolgate/tools'

interface CustomToolsOptions extends Pick<CustomToolSourceOptions, 'catalog' | 'pool' | 'known' | 'log'> {
  settings: Config['custom_tools']
  workspaces: ReadonlyMap<string, Workspace>
  /** Folder of the user's configurations. */
  userFolder: string
  contributions: ContributionSource
  trust: TrustStore
}

export class CustomTools {
  readonly #sources: readonly CustomToolSource[]
  readonly #disposers: readonly (() => void)[]

  /** Commands are served at once, modules once they were looked at. */
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

  /** Looks what is there now, and follows that from then on. */
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
