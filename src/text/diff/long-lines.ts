// Long lines in diffs: of a changed line only the changed stretch is shown, with some characters around it; of one that stays, its ends.
import { formatDiffParts, parseDiffParts } from './diff-parts.ts'

/** Maximum number of characters of a line that is shown whole. */
const MAX_LINE_LENGTH = 1_000
/** Number of unchanged characters on each side of a change. */
const CONTEXT = 100
/** Comparing blocks of this size is much faster than comparing characters. */
const STRIDE = 1_024

/**
 * Leaves out the parts of long lines that do not change, and says how many characters each has. The lines stay as many as they were, but
 * the diff can no longer be applied if this changes it.
 */
export function shortenLongLines(diff: string): string {
  if (!hasLongLine(diff)) return diff
  const parts = parseDiffParts(diff).map(part =>
    typeof part === 'string' ? part : { ...part, lines: shortenHunkLines(part.lines) }
  )
  return formatDiffParts(parts)
}

function hasLongLine(text: string): boolean {
  for (let at = 0; at + MAX_LINE_LENGTH < text.length; ) {
    const end = text.indexOf('\n', at)
    if (end < 0 || end - at > MAX_LINE_LENGTH + 1) return true
    at = end + 1
  }
  return false
}

function shortenHunkLines(lines: readonly string[]): string[] {
  const shown = lines.map(line => (line.startsWith(' ') && isLong(line) ? shortenUnchanged(line) : line))
  for (let at = 0; at < lines.length; ) {
    const removed = takeRun(lines, at, '-')
    const added = takeRun(lines, removed.end, '+')
    for (const [i, old] of removed.places.entries()) {
      const now = added.places[i]
      if (now === undefined || !(isLong(lines[old]!) || isLong(lines[now]!))) continue
      ;[shown[old], shown[now]] = shortenPair(lines[old]!.slice(1), lines[now]!.slice(1))
    }
    at = Math.max(added.end, at + 1)
  }
  return shown
}

const isLong = (line: string) => line.length > MAX_LINE_LENGTH + 1

/** Finds the lines with a sign that follow each other, apart from markers of a missing line end. */
function takeRun(lines: readonly string[], from: number, sign: string) {
  const places: number[] = []
  let end = from
  for (; end < lines.length; end++) {
    if (lines[end]!.startsWith(sign)) places.push(end)
    else if (!(lines[end]!.startsWith('\\') && places.length > 0)) break
  }
  return { places, end }
}

function shortenUnchanged(line: string): string {
  const [head, tail] = [boundary(line, CONTEXT + 1), boundary(line, line.length - CONTEXT)]
  return `${line.slice(0, head)}${leftOut(tail - head)}${line.slice(tail)}`
}

function shortenPair(old: string, now: string): [string, string] {
  const same = countSameStart(old, now)
  const sameEnd = countSameEnd(old, now, Math.min(old.length, now.length) - same)
  const start = boundary(old, Math.max(0, same - CONTEXT))
  const end = Math.max(0, sameEnd - CONTEXT)
  const shorten = (text: string) => {
    const until = boundary(text, text.length - end)
    return `${leftOut(start)}${text.slice(start, until)}${leftOut(text.length - until)}`
  }
  return [`-${shorten(old)}`, `+${shorten(now)}`]
}

const leftOut = (count: number) => (count === 0 ? '' : `[… ${count} characters …]`)

/** Returns a place that is not between the halves of a surrogate pair. */
const boundary = (text: string, at: number) => (isLowSurrogate(text.charCodeAt(at)) ? at - 1 : at)
const isLowSurrogate = (code: number) => code >= 0xdc00 && code <= 0xdfff

function countSameStart(a: string, b: string): number {
  const end = Math.min(a.length, b.length)
  let at = 0
  while (at + STRIDE <= end && a.slice(at, at + STRIDE) === b.slice(at, at + STRIDE)) at += STRIDE
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at++
  return at
}

function countSameEnd(a: string, b: string, most: number): number {
  let count = 0
  const block = (text: string) => text.slice(text.length - count - STRIDE, text.length - count)
  while (count + STRIDE <= most && block(a) === block(b)) count += STRIDE
  while (count < most && a.charCodeAt(a.length - 1 - count) === b.charCodeAt(b.length - 1 - count)) count++
  return count
}
