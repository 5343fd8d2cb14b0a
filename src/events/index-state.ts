// How the index of a workspace stands, as events. They belong to no session and no call.
import type { IndexState } from '../host/code/code-index.ts'
import type { Journal } from './journal.ts'

/** A journal that fails is told of once, by the store. */
export function publishIndexState(journal: Journal, workspace: string, { state, indexed, reason }: IndexState) {
  const told = { type: 'index.changed', workspace, state, indexed, ...(reason !== undefined && { reason }) } as const
  journal.append([told]).catch(() => {})
}
