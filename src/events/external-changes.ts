// What others change on the disk, as events. They belong to a workspace, and to no session and no call.
import type { Change } from '../host/change.ts'
import type { Journal } from './journal.ts'

/** Resolves once the changes are durable and told. A journal that fails is told of once, by the store. */
export const publishExternalChanges = (
  journal: Journal,
  workspace: string,
  changes: readonly Change[]
): Promise<void> =>
  journal
    .append(changes.map(change => ({ type: 'file.changed', workspace, ...change, by: 'external' })))
    .catch(() => {})
