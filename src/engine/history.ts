// History: changes that earlier calls made to files, read from the journal.

import { type Call, isSettled } from '../protocol/calls.ts'
import type { History, PastCall } from '../tool/contexts.ts'
import type { ActiveCall } from './active-call.ts'
import type { Engine } from './engine.ts'

/**
 * Creates a call's view of the history of its workspace: without calls of other tokens, unless its own may approve. Lookups are
 * memoized: a call acts on exactly what it was evaluated on.
 */
export function createHistory(
  { store, activeCalls, jobs, owners }: Pick<Engine, 'store' | 'activeCalls' | 'jobs' | 'owners'>,
  workspace: string,
  asking?: Pick<ActiveCall, 'owner' | 'call'>
): Omit<History, 'formerFile'> {
  const stored = (tool_call_id: string) => {
    const row = store.call(tool_call_id)
    return row && (JSON.parse(row.head) as Call)
  }
  const canSee = (tool_call_id: string) => owners.canSee(asking?.owner, tool_call_id)
  const find = memoize((tool_call_id: string) => {
    if (!canSee(tool_call_id)) return undefined
    const known = activeCalls.get(tool_call_id)?.publishedCall ?? stored(tool_call_id)
    return known && toPastCall(known, workspace)
  })
  const since = memoize((tool_call_id: string) => {
    const first = find(tool_call_id)
    if (!first) return []
    const heads = [...store.changingCalls(workspace, first.session_id, tool_call_id)]
    const later = heads
      .flatMap(head => toPastCall(JSON.parse(head) as Call, workspace) ?? [])
      .filter(past => canSee(past.tool_call_id))
    return later.some(past => past.tool_call_id === tool_call_id) ? later : [...later, first]
  })
  const isOwn = (tool_call_id: string) => {
    if (!asking || !canSee(tool_call_id)) return false
    const known = activeCalls.get(tool_call_id)?.publishedCall ?? jobs.get(tool_call_id) ?? stored(tool_call_id)
    return known?.session_id === asking.call.session_id && known.client === asking.call.client
  }
  const movesAfter = memoize((tool_call_id: string) =>
    store.movingCalls(workspace, tool_call_id).flatMap(head => toPastCall(JSON.parse(head) as Call, workspace) ?? [])
  )
  return { find, since, movesAfter, isOwn }
}

/** Memoizes a function by its key. */
function memoize<T>(ask: (key: string) => T): (key: string) => T {
  const answers = new Map<string, T>()
  return key => {
    if (!answers.has(key)) answers.set(key, ask(key))
    return answers.get(key) as T
  }
}

function toPastCall(call: Call, workspace: string): PastCall | undefined {
  if (!isSettled(call) || call.workspace !== workspace) return undefined
  const { tool_call_id, tool, session_id, finished_at, changes = [] } = call
  return { tool_call_id, tool, session_id, finished_at, changes }
}
