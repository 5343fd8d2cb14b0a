// Events for the state of a workspace's code index. They belong to no session or call.
import type { IndexState } from '../host/code/code-index.ts'
import type { Journal } from './journal.ts'

/** Publishes the state. The store reports a journal failure once. */
export function publishIndexState(journal: Journal, workspace: string, { state, indexed, reason }: IndexState) {
  const event = { type: 'index.changed', workspace, state, indexed, ...(reason !== undefined && { reason }) } as const
  journal.append([event]).catch(() => {})
}
