// Notices when the folder of a workspace is gone, or another one is in its place: after a rename, a new clone, or a mount. File tools
// would act in the folder that the server has opened, and programs in the one that the path leads to.
import { fstatSync, statSync } from 'node:fs'
import { ToolError } from '../../errors.ts'
import { errnoOf } from '../files/errno.ts'
import type { Workspace } from '../workspace.ts'

/** Milliseconds between two looks at all workspaces; each call looks at its own besides. */
const CHECK_INTERVAL_MS = 5_000

export interface PresenceState {
  available: boolean
  /** Why it is not, and what would help. */
  unavailable_reason?: string
}

type Served = Pick<Workspace, 'name' | 'root' | 'fd' | 'configuredPath'>

export class WorkspacePresence {
  readonly #workspaces: ReadonlyMap<string, Served>
  readonly #reasons = new Map<string, string>()
  #onChange: (workspace: string, state: PresenceState) => void = () => {}
  #timer: NodeJS.Timeout | undefined

  constructor(workspaces: ReadonlyMap<string, Served>) {
    this.#workspaces = workspaces
  }

  /** Looks at the folders from time to time, and reports when one goes or is there again. */
  start(onChange: (workspace: string, state: PresenceState) => void) {
    this.#onChange = onChange
    this.#timer = setInterval(() => {
      for (const name of this.#workspaces.keys()) this.state(name)
    }, CHECK_INTERVAL_MS)
    this.#timer.unref()
  }

  /** Throws WORKSPACE_GONE unless the path of a workspace leads to the folder that the server has opened. */
  assertPresent(name: string) {
    const { unavailable_reason } = this.state(name)
    if (unavailable_reason !== undefined)
      throw new ToolError('WORKSPACE_GONE', unavailable_reason, { workspace: name, root: this.#find(name).root })
  }

  /** Returns how it is now. */
  state(name: string): PresenceState {
    const workspace = this.#find(name)
    const reason = explainAbsence(workspace)
    const known = this.#reasons.get(name)
    const state = reason === undefined ? { available: true } : { available: false, unavailable_reason: reason }
    if (reason === known) return state
    if (reason === undefined) this.#reasons.delete(name)
    else this.#reasons.set(name, reason)
    this.#onChange(name, state)
    return state
  }

  close() {
    clearInterval(this.#timer)
  }

  #find(name: string): Served {
    return this.#workspaces.get(name)!
  }
}

const HELP = 'Restore the folder, or restart the server to serve the folder that is there now. Waiting calls are kept.'

/** Returns why a workspace cannot be used; undefined if it can. */
function explainAbsence({ root, configuredPath, fd }: Served): string | undefined {
  try {
    const opened = fstatSync(fd)
    for (const path of new Set([root, configuredPath])) {
      const named = statSync(path, { throwIfNoEntry: false })
      if (!named) return `The folder ${path} no longer exists. ${HELP}`
      if (named.ino !== opened.ino || named.dev !== opened.dev)
        return (
          `${path} is no longer the folder that the server opened: the folder was replaced, or something was mounted or ` +
          `unmounted. ${HELP}`
        )
    }
    return undefined
  } catch (error) {
    return `The folder ${root} cannot be reached (${errnoOf(error) ?? String(error)}). ${HELP}`
  }
}
