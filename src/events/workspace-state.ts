// Events for workspaces whose folder goes, or is there again. They belong to no session or call.
import type { PresenceState } from '../host/watch/workspace-presence.ts'
import type { Journal } from './journal.ts'

/** Publishes the state. The store reports a journal failure once. */
export function publishWorkspaceState(journal: Journal, workspace: string, state: PresenceState) {
  const { available, unavailable_reason: reason } = state
  journal
    .append([{ type: 'workspace.changed', workspace, available, ...(reason !== undefined && { reason }) }])
    .catch(() => {})
}
