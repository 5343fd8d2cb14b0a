// Pages of lists, each of a bounded number of items and bytes, so that no caller can make a list that cannot be sent.
import { MAX_PAGE_ITEMS } from '../protocol/request-params.ts'

/** Maximum number of bytes of a page, unless its first item alone has more. */
const MAX_PAGE_BYTES = 2 * 1024 * 1024

export interface ListPageQuery {
  cursor?: string | undefined
  limit?: number | undefined
}

/** A page of a list, and what leads to the next one, if there is one. */
export interface Page<T> {
  items: T[]
  cursor?: string
}

/** Returns the JSON of the first values of a list: as many as a page takes, and at least one. */
export function fillPage<T>(values: Iterable<T>, limit: number, toJson: (value: T) => string): string[] {
  const page: string[] = []
  let bytes = 0
  for (const value of values) {
    if (page.length === limit) break
    const json = toJson(value)
    bytes += Buffer.byteLength(json)
    if (page.length > 0 && bytes > MAX_PAGE_BYTES) break
    page.push(json)
  }
  return page
}

/**
 * Returns a page of a list in the order of its keys, of which each item has another. What is added or removed between two pages moves no
 * other item.
 */
export function takePage<T>(items: readonly T[], keyOf: (item: T) => string, query: ListPageQuery): Page<T> {
  const { cursor, limit = MAX_PAGE_ITEMS } = query
  const after = cursor === undefined ? '' : Buffer.from(cursor, 'base64url').toString()
  const left = items.filter(item => keyOf(item) > after).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const page = left.slice(0, fillPage(left, limit, item => JSON.stringify(item)).length)
  const last = page.at(-1)
  if (last === undefined || page.length === left.length) return { items: page }
  return { items: page, cursor: Buffer.from(keyOf(last)).toString('base64url') }
}
