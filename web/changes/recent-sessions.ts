// The sessions that changed files lately, by their newest calls.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Call } from '../../src/client/client.ts'
import { client, toErrorMessage } from '../session/session.ts'
import { onEvent } from '../store/updates.ts'

/** Number of the newest calls among which sessions are looked for. */
const MAX_CALLS = 200

export interface RecentSession {
  session_id: string
  workspace: string
  agents: string[]
  /** Number of its calls that changed files. */
  calls: number
  /** End of the newest one. */
  finished_at: string
}

export function useRecentSessions() {
  const sessions = useSignal<readonly RecentSession[] | undefined>(undefined)
  const fault = useSignal<string | undefined>(undefined)
  useEffect(() => {
    const stop = new AbortController()
    const ask = async () => {
      try {
        sessions.value = groupBySession((await client().calls({ limit: MAX_CALLS, signal: stop.signal })).calls)
        fault.value = undefined
      } catch (error) {
        if (!stop.signal.aborted) fault.value = toErrorMessage(error)
      }
    }
    void ask()
    const end = onEvent(event => {
      if (event.type === 'file.changed' && event.session_id !== undefined) void ask()
    })
    return () => {
      end()
      stop.abort()
    }
  }, [])
  return { sessions: sessions.value, fault: fault.value }
}

/** Groups calls, newest first, that changed files. */
function groupBySession(calls: readonly Call[]): RecentSession[] {
  const sessions = new Map<string, RecentSession>()
  for (const call of calls) {
    if (!('changes' in call) || !call.changes?.length) continue
    const { session_id, workspace, finished_at, agent = call.client } = call
    const key = JSON.stringify([workspace, session_id])
    const known = sessions.get(key) ?? { session_id, workspace, agents: [], calls: 0, finished_at }
    const agents = known.agents.includes(agent) ? known.agents : [...known.agents, agent]
    sessions.set(key, { ...known, agents, calls: known.calls + 1 })
  }
  return [...sessions.values()]
}
