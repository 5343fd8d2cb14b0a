// Changes from outside, for all workspaces that are served. One may lie within another: what a call changes in the one
// is known in the other too.

import type { Guard } from '../files/policy/path-policy.ts'
import type { Change, Workspace } from '../host.ts'
import { type Hearer, Outside } from './external-change-tracker.ts'
import type { Watcher } from './watcher.ts'

/** Whether changes by others are told of a workspace. */
interface Watching {
  workspace: string
  watching: boolean
  /** Why not. */
  reason?: string
}

interface Watched extends Workspace {
  watcher: Watcher
}

const LATER = 'The server has only just started.'

export class OutsideChanges {
  readonly #workspaces: ReadonlyMap<string, Watched>
  readonly #guard: Guard
  readonly #outside = new Map<string, Outside>()
  readonly #reason: string

  constructor(workspaces: ReadonlyMap<string, Watched>, guard: Guard, reason = LATER) {
    this.#workspaces = workspaces
    this.#guard = guard
    this.#reason = reason
  }

  /** Begins to tell of changes. */
  start(hearer: Hearer) {
    for (const workspace of this.#workspaces.values()) {
      const outside = new Outside(workspace, this.#guard, workspace.watcher, hearer)
      this.#outside.set(workspace.name, outside)
      void outside.start()
    }
  }

  /** Notes what a call has changed in a workspace as ours. `since`: when it began to change things. */
  note(workspace: Workspace, change: Change, since: number) {
    for (const [name, outside] of this.#outside) {
      const there = this.#workspaces.get(name)!
      const path = within(there, workspace, change.path)
      const from = change.from === undefined ? undefined : within(there, workspace, change.from)
      if (path !== undefined)
        outside.own(from === undefined ? withoutFrom({ ...change, path }) : { ...change, path, from }, since)
      // Moved out of it.
      else if (from !== undefined) outside.own({ path: from, operation: 'deleted' }, since)
    }
  }

  /** Lets nothing of a workspace be told until the returned function is called. */
  async hold({ name }: Workspace): Promise<() => void> {
    return (await this.#outside.get(name)?.hold()) ?? (() => {})
  }

  state(): Watching[] {
    return [...this.#workspaces.keys()].map(workspace => {
      const outside = this.#outside.get(workspace)
      if (outside?.watching) return { workspace, watching: true }
      return { workspace, watching: false, reason: outside?.why ?? this.#reason }
    })
  }

  close() {
    for (const outside of this.#outside.values()) outside.close()
  }
}

/** A path of one workspace as the other names it, if it lies in that. */
function within(there: Workspace, here: Workspace, path: string): string | undefined {
  if (there.name === here.name) return path
  const absolute = `${here.root}/${path}`
  return absolute.startsWith(`${there.root}/`) ? absolute.slice(there.root.length + 1) : undefined
}

/** What was moved in from elsewhere is new here. */
const withoutFrom = ({ from: _, ...change }: Change): Change =>
  change.operation === 'moved' ? { ...change, operation: 'created' } : change
