// External changes of all served workspaces. One may contain another: a call's change in one is recorded in the other too.

import type { Change } from '../change.ts'
import type { PathGuard } from '../files/policy/path-policy.ts'
import type { Workspace } from '../workspace.ts'
import { type ExternalChangeListener, ExternalChangeTracker } from './external-change-tracker.ts'
import { translateChange } from './nested-workspaces.ts'
import type { StatSnapshot } from './stat-snapshot.ts'
import type { Watcher } from './watcher.ts'

/** Reporting state of a workspace. */
interface WatchState {
  workspace: string
  watching: boolean
  /** Reason why external changes are not reported. */
  reason?: string
}

/** The entries of a workspace, as its watcher knows them. */
export interface WatchedEntries {
  /** Pauses reporting until the returned function is called. */
  pauseReporting(): Promise<() => void>
  /** Visits all entries as they are now; returns false, without a visit, where that takes a walk. Reporting has to be paused. */
  visit(visit: (path: string, seen: StatSnapshot) => void): Promise<boolean>
}

interface WatchedWorkspace extends Workspace {
  watcher: Watcher
}

const NOT_STARTED = 'The server has just started.'

export class ExternalChanges {
  readonly #workspaces: ReadonlyMap<string, WatchedWorkspace>
  readonly #guard: PathGuard
  readonly #trackers = new Map<string, ExternalChangeTracker>()
  readonly #reason: string

  constructor(workspaces: ReadonlyMap<string, WatchedWorkspace>, guard: PathGuard, reason = NOT_STARTED) {
    this.#workspaces = workspaces
    this.#guard = guard
    this.#reason = reason
  }

  /** Starts reporting changes. */
  start(hearer: ExternalChangeListener) {
    for (const workspace of this.#workspaces.values()) {
      const outside = new ExternalChangeTracker(workspace, this.#guard, workspace.watcher, hearer)
      this.#trackers.set(workspace.name, outside)
      void outside.start()
    }
  }

  /** Records a call's change in a workspace as own. `since`: the time at which it began to change things. */
  noteOwnChange(workspace: Workspace, change: Change, since: number) {
    for (const [name, outside] of this.#trackers) {
      const translated = translateChange(this.#workspaces.get(name)!, workspace, change)
      if (translated) outside.noteOwnChange(translated, since)
    }
  }

  /** Returns the view of a workspace for those who compare its entries themselves. */
  forWorkspace({ name }: Workspace): WatchedEntries {
    return {
      pauseReporting: async () => (await this.#trackers.get(name)?.pauseReporting()) ?? (() => {}),
      visit: async visit => (await this.#trackers.get(name)?.visitEntries(visit)) ?? false
    }
  }

  state(): WatchState[] {
    return [...this.#workspaces.keys()].map(workspace => {
      const outside = this.#trackers.get(workspace)
      if (outside?.isReporting) return { workspace, watching: true }
      return { workspace, watching: false, reason: outside?.stopReason ?? this.#reason }
    })
  }

  close() {
    for (const outside of this.#trackers.values()) outside.close()
  }
}
