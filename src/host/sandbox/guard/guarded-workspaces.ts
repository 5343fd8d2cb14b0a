// Every workspace under guard, from the first command in it on.
import path from 'node:path'
import type { Workspace } from '../../host.ts'
import { ownFolder } from '../bubblewrap/sandbox-files.ts'
import type { KeeperOptions } from '../sandbox-backend.ts'
import { GuardedNames } from './guarded-names.ts'
import { GuardedWorkspace } from './guarded-workspace.ts'
import { Unfinished } from './interrupted-commands.ts'
import { quarantineIn } from './quarantine.ts'

export class GuardedWorkspaces {
  readonly #names: GuardedNames
  readonly #stateDir: string
  readonly #unfinished: Unfinished
  readonly #workspaces = new Map<string, GuardedWorkspace>()

  constructor({ sensitive, stateDir }: KeeperOptions) {
    this.#names = new GuardedNames(sensitive)
    this.#stateDir = stateDir
    this.#unfinished = new Unfinished(path.join(ownFolder(stateDir), 'running'))
  }

  /** Nothing is on the disk for it before a command runs there. */
  of(workspace: Workspace): GuardedWorkspace {
    const known = this.#workspaces.get(workspace.root)
    if (known) return known
    const guarded = new GuardedWorkspace(workspace, this.#names, quarantineIn(this.#stateDir), this.#unfinished)
    this.#workspaces.set(workspace.root, guarded)
    return guarded
  }
}
