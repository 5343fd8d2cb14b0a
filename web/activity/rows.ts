// The visible range of a list. All rows have one height, so that a hundred thousand cost no more than those on the screen.

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
 * Returns how many rows were inserted before the first visible one, so that the list can be scrolled by as many. At the top,
 * new rows become visible: then it is 0.
 */
export function countInserted(
  scrollTop: number,
  rowHeight: number,
  before: readonly string[],
  after: readonly string[]
): number {
  if (scrollTop < rowHeight) return 0
  const index = Math.floor(scrollTop / rowHeight)
  const seen = before[index]
  if (seen === undefined || after[index] === seen) return 0
  const now = after.indexOf(seen)
  return now < 0 ? 0 : now - index
}
