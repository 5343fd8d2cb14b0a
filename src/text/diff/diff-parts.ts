// Splits unified diffs into header lines and hunks, by the counts of each hunk: content may look like a header.

interface DiffHunk {
  /** The first line on each side, or the line that would be. */
  oldStart: number
  newStart: number
  /** The rest of the hunk's header, such as the name of a function. */
  section: string
  /** With their signs. */
  lines: string[]
}

/** A part of a diff: a line outside the hunks, or a hunk. */
export type DiffPart = string | DiffHunk

const HUNK_HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/

export function parseDiffParts(diff: string): DiffPart[] {
  const lines = diff.split('\n')
  if (lines.at(-1) === '') lines.pop()
  const parts: DiffPart[] = []
  for (let at = 0; at < lines.length; ) {
    const header = HUNK_HEADER.exec(lines[at]!)
    if (header) {
      const hunk = readHunk(header, lines, at + 1)
      parts.push(hunk)
      at += 1 + hunk.lines.length
    } else {
      parts.push(lines[at]!)
      at += 1
    }
  }
  return parts
}

function readHunk(header: RegExpExecArray, lines: readonly string[], from: number): DiffHunk {
  const [, oldStart, oldLines = '1', newStart, newLines = '1', section = ''] = header
  let [old, now] = [Number(oldLines), Number(newLines)]
  let at = from
  for (; at < lines.length; at++) {
    const sign = lines[at]![0] ?? ' '
    if (sign !== '\\' && old <= 0 && now <= 0) break
    if (sign === '-') old -= 1
    else if (sign === '+') now -= 1
    else if (sign === ' ') [old, now] = [old - 1, now - 1]
    else if (sign !== '\\') break
  }
  const first = (start: string | undefined, count: string) => Number(start) + (count === '0' ? 1 : 0)
  return {
    oldStart: first(oldStart, oldLines),
    newStart: first(newStart, newLines),
    section,
    lines: lines.slice(from, at)
  }
}

export const formatDiffParts = (parts: readonly DiffPart[]): string =>
  parts.map(part => (typeof part === 'string' ? `${part}\n` : formatHunk(part))).join('')

function formatHunk({ oldStart, newStart, section, lines }: DiffHunk): string {
  const count = (other: string) => lines.filter(line => !line.startsWith(other) && !line.startsWith('\\')).length
  const header = `@@ -${formatRange(oldStart, count('+'))} +${formatRange(newStart, count('-'))} @@${section}`
  return `${[header, ...lines].join('\n')}\n`
}

// An empty side is denoted by the line before it.
const formatRange = (start: number, count: number) =>
  count === 0 ? `${start - 1},0` : count === 1 ? `${start}` : `${start},${count}`
