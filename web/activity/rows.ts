// The rows of the list and the visible range of them. All rows have one height, so that ten thousand cost no more than those on
// the screen.
import type { Event } from '../../src/client/client.ts'
import { type Entry, isGroup } from './entries.ts'

export interface Row {
  key: string
  /** 1: top level. 2: an event of the call above. */
  level: 1 | 2
  entry: Entry
  /** Undefined if the row is a whole call, or all states of a session. */
  event?: Event
  /** Its position within its level, from 1, and the size of that level. */
  place: number
  of: number
}

/** Returns the rows of entries, with the events of the calls in `open`. */
export function toRows(entries: readonly Entry[], open: ReadonlySet<string>): Row[] {
  const rows: Row[] = []
  for (const [index, entry] of entries.entries()) {
    const { key, events } = entry
    const place = { place: index + 1, of: entries.length }
    if (!isGroup(entry)) {
      rows.push({ key, level: 1, entry, event: events[0]!, ...place })
      continue
    }
    rows.push({ key, level: 1, entry, ...place })
    if (!open.has(key)) continue
    for (const [n, event] of events.entries())
      rows.push({ key: `${key}/${event.seq}`, level: 2, entry, event, place: n + 1, of: events.length })
  }
  return rows
}

export interface RowWindow {
  first: number
  /** Exclusive. */
  end: number
}

/**
 * Rows rendered beyond the visible ones, so that fast scrolling shows no gap. They are added and removed in blocks of this size.
 */
const OVERSCAN_ROWS = 16

export function visibleWindow(scrollTop: number, height: number, rowHeight: number, count: number): RowWindow {
  const first = Math.floor(scrollTop / rowHeight / OVERSCAN_ROWS) * OVERSCAN_ROWS - OVERSCAN_ROWS
  const end = Math.ceil((scrollTop + height) / rowHeight / OVERSCAN_ROWS) * OVERSCAN_ROWS + OVERSCAN_ROWS
  return { first: Math.max(0, Math.min(first, count)), end: Math.max(0, Math.min(end, count)) }
}

/**
 * Returns the scroll position that keeps the visible rows in place when rows are inserted before them. At the top, new rows
 * become visible.
 */
export function anchorScroll(
  scrollTop: number,
  rowHeight: number,
  before: readonly Row[],
  after: readonly Row[]
): number {
  if (scrollTop < rowHeight) return scrollTop
  const index = Math.floor(scrollTop / rowHeight)
  const seen = before[index]
  if (!seen || after[index]?.key === seen.key) return scrollTop
  const now = after.findIndex(({ key }) => key === seen.key)
  return now < 0 ? scrollTop : scrollTop + (now - index) * rowHeight
}
