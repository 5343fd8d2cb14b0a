// Lists of paths in previews.
import { escapeLine } from '../../text/escape-invisible.ts'

const MAX_SHOWN_PATHS = 200

/** Joins lines, one for each path; a long list ends with the number of those left out. */
export function joinPathLines(lines: readonly string[]): string {
  const more = lines.length - MAX_SHOWN_PATHS
  return [...lines.slice(0, MAX_SHOWN_PATHS).map(escapeLine), ...(more > 0 ? [`… and ${more} more`] : [])].join('\n')
}
