// The tools that users write: where they come from, and how all of them stand. What a repository brings is served to its
// own workspace, and only as a person has trusted it.
import { join } from 'node:path'
import type { BroughtSource } from '../../config/contributions.ts'
import type { Config } from '../../config/schema.ts'
import type { Workspace } from '../../host/host.ts'
import { real } from '../../host/sandbox/path-within.ts'
import type { Trust } from '../../host/trust/trust-store.ts'
import { type CustomTool, Place, type PlaceOptions } from './custom-tool-source.ts'

/** Where modules are in a workspace, and in the folder of the user's configuration. */
const IN_WORKSPACE = '.toolgate/tools'
const OF_USER = 'toolgate/tools'

interface CustomToolsOptions extends Pick<PlaceOptions, 'catalog' | 'pool' | 'known' | 'log'> {
  settings: Config['custom_tools']
  workspaces: ReadonlyMap<string, Workspace>
  /** Folder of the user's configurations. */
  user_folder: string
  brought: BroughtSource
  trust: Trust
}

export class CustomTools {
  readonly #places: readonly Place[]
  readonly #ends: readonly (() => void)[]

  /** Commands are served at once, modules once they were looked at. */
  constructor({ settings, workspaces, user_folder, brought, trust, ...common }: CustomToolsOptions) {
    const [first] = workspaces.values()
    const shared = { ...common, env: settings.env, brought: () => brought.current() }
    const user = new Place({
      ...shared,
      source: 'custom',
      folder: settings.enabled ? join(real(user_folder), OF_USER) : undefined,
      in: first!,
      isTrusted: () => true,
      brings: ({ workspace }) => workspace === undefined
    })
    const others = [...workspaces.values()].map(
      workspace =>
        new Place({
          ...shared,
          source: `custom:${workspace.name}`,
          folder: settings.enabled ? join(workspace.root, IN_WORKSPACE) : undefined,
          workspace: workspace.name,
          in: workspace,
          isTrusted: ({ path, sha256 }) => trust.isTrusted(path, sha256),
          brings: ({ workspace: root }) => root === workspace.root
        })
    )
    this.#places = [user, ...others]
    const look = () => void this.look()
    this.#ends = [brought.onChange(look), trust.onChange(look)]
  }

  /** Looks what is there now, and follows that from then on. */
  async look(): Promise<void> {
    await Promise.all(this.#places.map(place => place.look()))
  }

  states(): CustomTool[] {
    return this.#places.flatMap(place => place.states())
  }

  async close(): Promise<void> {
    for (const end of this.#ends) end()
    await Promise.all(this.#places.map(place => place.close()))
  }
}
