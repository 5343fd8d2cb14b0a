// Events for external changes on disk. They belong to a workspace, and to no session or call.
import type { Change } from '../host/change.ts'
import type { Journal } from './journal.ts'

/** Publishes changes; resolves once they are durable. The store reports a journal failure once. */
export const publishExternalChanges = (
  journal: Journal,
  workspace: string,
  changes: readonly Change[]
): Promise<void> =>
  journal
    .append(changes.map(change => ({ type: 'file.changed', workspace, ...change, by: 'external' })))
    .catch(() => {})
