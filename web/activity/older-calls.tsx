// The line below the table of calls: the progress of loading older ones, and the search in them.
import { useSignal } from '@preact/signals'
import { formatTime } from '../text/format-time.ts'
import { canLoadOlder, loadOlderCalls, MAX_OLDER_CALLS, older } from './call-store.ts'
import { calls, isFilteredHere } from './list-state.ts'

/** A search ends after so many pages, or matches. */
const PAGES_PER_SEARCH = 10
const MATCHES_PER_SEARCH = 100

export function OlderCalls() {
  const isSearching = useSignal(false)
  const { rows, isLoading, fault, cursor } = older.value
  const search = async () => {
    isSearching.value = true
    const { query } = older.peek()
    const before = calls.peek().length
    for (let page = 0; page < PAGES_PER_SEARCH && canLoadOlder.peek(); page++) {
      await loadOlderCalls()
      const isOther = older.peek().query !== query || older.peek().fault !== undefined
      if (isOther || calls.peek().length - before >= MATCHES_PER_SEARCH) break
    }
    isSearching.value = false
  }
  if (fault !== undefined)
    return (
      <p class="grid-end row" role="alert">
        <span>{fault}</span>
        <button type="button" class="button" onClick={() => void loadOlderCalls()}>
          Try again
        </button>
      </p>
    )
  if (rows.length >= MAX_OLDER_CALLS)
    return (
      <p class="grid-end muted small">
        Only the newest {MAX_OLDER_CALLS.toLocaleString('en')} calls are listed. Filter by tool, status or session to
        find older ones.
      </p>
    )
  if (isFilteredHere.value && canLoadOlder.value && cursor !== undefined)
    return (
      <p class="grid-end muted small row">
        <span role="status">{rows.length > 0 && `Searched back to ${formatTime(timeOfLast(rows))}`}</span>
        <button type="button" class="button" disabled={isSearching.value} onClick={() => void search()}>
          {isSearching.value ? 'Searching…' : 'Search older calls'}
        </button>
      </p>
    )
  return isLoading && rows.length > 0 ? <p class="grid-end muted small">Loading older calls…</p> : null
}

const timeOfLast = (rows: readonly { createdAt: number }[]) => new Date(rows.at(-1)!.createdAt).toISOString()
