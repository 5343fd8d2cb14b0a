// Registry of guarded workspaces, each from its first command on.
import path from 'node:path'
import { ServerEntries } from '../../files/policy/server-entries.ts'
import type { Watcher } from '../../watch/watcher.ts'
import type { Workspace } from '../../workspace.ts'
import { sandboxFolder } from '../bubblewrap/sandbox-files.ts'
import { realPath } from '../path-within.ts'
import type { SandboxBackendOptions } from '../sandbox-backend.ts'
import { GuardedNames } from './guarded-names.ts'
import { GuardedWorkspace } from './guarded-workspace.ts'
import { InterruptedCommands } from './interrupted-commands.ts'
import { quarantineFolder } from './quarantine.ts'

/** Returns the watcher of a workspace, if it has one. */
export type WatcherLookup = (workspace: Workspace) => Watcher | undefined

type GuardOptions = Pick<SandboxBackendOptions, 'sensitive' | 'stateDir'> &
  Partial<Pick<SandboxBackendOptions, 'hidden'>>

export class GuardedWorkspaces {
  readonly #names: GuardedNames
  readonly #servers: ServerEntries
  readonly #stateDir: string
  readonly #interrupted: InterruptedCommands
  readonly #watcherOf: WatcherLookup
  readonly #workspaces = new Map<string, GuardedWorkspace>()

  constructor({ sensitive, stateDir, hidden = [] }: GuardOptions, watcherOf: WatcherLookup = () => undefined) {
    this.#watcherOf = watcherOf
    this.#names = new GuardedNames(sensitive)
    this.#servers = new ServerEntries([stateDir, ...hidden].map(realPath))
    this.#stateDir = stateDir
    this.#interrupted = new InterruptedCommands(path.join(sandboxFolder(stateDir), 'running'))
  }

  /** Returns the guard of a workspace. Nothing is written to disk before a command runs there. */
  of(workspace: Workspace): GuardedWorkspace {
    const known = this.#workspaces.get(workspace.root)
    if (known) return known
    const guarded = new GuardedWorkspace(workspace, {
      names: this.#names,
      servers: this.#servers,
      quarantine: quarantineFolder(this.#stateDir),
      interrupted: this.#interrupted,
      watcher: this.#watcherOf(workspace)
    })
    this.#workspaces.set(workspace.root, guarded)
    return guarded
  }
}
