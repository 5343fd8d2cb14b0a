// Loads the changes of a session page by page, and again when a call of it ends or a file of it changes.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { ChangingCall, Event, SessionChangesPage, SessionFile } from '../../src/client/client.ts'
import { client, toErrorMessage } from '../session/session.ts'
import { onEvent } from '../store/updates.ts'

/** Number of files of one page. */
const PAGE_FILES = 50

export interface SessionName {
  session_id: string
  workspace?: string | undefined
}

/** The pages that are loaded, joined. */
export interface LoadedChanges extends Omit<SessionChangesPage, 'calls'> {
  calls: ReadonlyMap<string, ChangingCall>
}

export function useSessionChanges({ session_id, workspace }: SessionName) {
  const found = useSignal<LoadedChanges | undefined>(undefined)
  const fault = useSignal<string | undefined>(undefined)
  const pages = useRef(1)
  const reload = useRef(() => {})
  useEffect(() => {
    const stop = new AbortController()
    let asking = false
    let again = false
    const ask = async () => {
      again = asking
      if (asking) return
      asking = true
      try {
        found.value = await loadPages({ session_id, workspace }, pages.current, stop.signal)
        fault.value = undefined
      } catch (error) {
        if (!stop.signal.aborted) fault.value = toErrorMessage(error)
      }
      asking = false
      if (again && !stop.signal.aborted) await ask()
    }
    reload.current = () => void ask()
    void ask()
    const end = onEvent(event => {
      if (concerns(event, session_id, found.peek()?.files ?? [])) void ask()
    })
    return () => {
      end()
      stop.abort()
    }
  }, [session_id, workspace])
  const loadMore = () => {
    pages.current += 1
    reload.current()
  }
  return { found: found.value, fault: fault.value, loadMore }
}

function concerns(event: Event, session_id: string, files: readonly SessionFile[]): boolean {
  if (event.type === 'tool.result' || event.type === 'tool.content_removed') return event.session_id === session_id
  return event.type === 'file.changed' && files.some(({ path }) => path === event.path)
}

async function loadPages(
  { session_id, workspace }: SessionName,
  pages: number,
  signal: AbortSignal
): Promise<LoadedChanges> {
  const query = { limit: PAGE_FILES, signal, ...(workspace !== undefined && { workspace }) }
  let page = await client().sessionChanges(session_id, query)
  const all = [page]
  while (all.length < pages && page.cursor !== undefined) {
    page = await client().sessionChanges(session_id, { ...query, cursor: page.cursor })
    all.push(page)
  }
  const { cursor: _, ...first } = all[0]!
  return {
    ...first,
    ...(page.cursor !== undefined && { cursor: page.cursor }),
    files: all.flatMap(({ files }) => files),
    calls: new Map(all.flatMap(({ calls }) => calls.map(call => [call.tool_call_id, call])))
  }
}
