// Cuts diffs to a size. What is left of each hunk is a hunk, with the counts of its remaining lines.
import { type DiffPart, formatDiffParts, parseDiffParts } from './diff-parts.ts'

interface CutDiff {
  diff: string
  /** Number of lines that are left out, or left out in part. */
  missing: number
}

/** Maximum number of characters of one line of a diff that is cut. */
const MAX_LINE_LENGTH = 2_000
/** Number of bytes that the header of a hunk can take. */
const HUNK_HEADER_BYTES = 64

/** Cuts a diff to a number of bytes as JSON. */
export function cutDiff(diff: string, maxBytes: number): CutDiff {
  if (diff.length * 6 <= maxBytes || countJsonBytes(diff) <= maxBytes) return { diff, missing: 0 }
  let room = maxBytes
  let missing = 0
  const fit = (line: string): string[] => {
    if (room <= 0) {
      missing += 1
      return []
    }
    const shown = cutLine(line)
    room -= countJsonBytes(shown) + 2
    if (room >= 0 && shown === line) return [line]
    missing += 1
    return room >= 0 ? [shown] : []
  }
  const parts = parseDiffParts(diff).flatMap((part): DiffPart[] => {
    if (typeof part === 'string') return fit(part)
    room -= HUNK_HEADER_BYTES + countJsonBytes(part.section)
    const lines = part.lines.flatMap(fit)
    return lines.length > 0 ? [{ ...part, lines }] : []
  })
  return { diff: formatDiffParts(parts), missing }
}

function cutLine(line: string): string {
  if (line.length <= MAX_LINE_LENGTH) return line
  const shown = line.slice(0, MAX_LINE_LENGTH)
  return `${shown.toWellFormed()}[… ${line.length - shown.length} characters …]`
}

const countJsonBytes = (text: string) => Buffer.byteLength(JSON.stringify(text)) - 2
