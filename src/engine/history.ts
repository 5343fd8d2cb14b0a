// History: changes that earlier calls made to files, read from the journal.
import type { History, PastCall } from '../tool/tool.ts'
import { type Call, isSettled } from './call.ts'
import type { Engine } from './engine.ts'

/**
 * Creates a call's view of the history of its workspace. Lookups are memoized: a call acts on exactly what it was evaluated on.
 */
export function createHistory(
  { store, activeCalls, jobs }: Pick<Engine, 'store' | 'activeCalls' | 'jobs'>,
  workspace: string,
  asking?: Pick<Call, 'session_id' | 'client'>
): History {
  const stored = (tool_call_id: string) => {
    const row = store.call(tool_call_id)
    return row && (JSON.parse(row.head) as Call)
  }
  const find = memoize((tool_call_id: string) => {
    const known = activeCalls.get(tool_call_id)?.publishedCall ?? stored(tool_call_id)
    return known && toPastCall(known, workspace)
  })
  const since = memoize((tool_call_id: string) => {
    const first = find(tool_call_id)
    if (!first) return []
    const heads = store.changingCalls(workspace, first.session_id, tool_call_id)
    const later = heads.flatMap(head => toPastCall(JSON.parse(head) as Call, workspace) ?? [])
    return later.some(past => past.tool_call_id === tool_call_id) ? later : [...later, first]
  })
  const isOwn = (tool_call_id: string) => {
    const known = activeCalls.get(tool_call_id)?.publishedCall ?? jobs.get(tool_call_id) ?? stored(tool_call_id)
    return asking !== undefined && known?.session_id === asking.session_id && known.client === asking.client
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
