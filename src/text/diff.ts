// Unified diffs that `git apply` takes.
import { structuredPatch } from 'diff'

export interface Diff {
  /** Empty where nothing differs. */
  diff: string
  added: number
  removed: number
}

interface Hunk {
  oldStart: number
  oldLines: number
  newStart: number
  newLines: number
  lines: string[]
}

const CONTEXT = 3
const TIME_LIMIT_MS = 300
/** Comparing pieces of this size is much quicker than comparing characters. */
const STRIDE = 1024

/** What turns one text into the other. Undefined stands for a file that is not there. */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): Diff {
  const hunks = hunksOf(before ?? '', after ?? '')
  const lines = hunks.flatMap(hunk => hunk.lines)
  const count = (sign: string) => lines.filter(line => line.startsWith(sign)).length
  return {
    diff: hunks.length === 0 ? '' : [...headerOf(path, before, after), ...hunks.flatMap(print), ''].join('\n'),
    added: count('+'),
    removed: count('-')
  }
}

function headerOf(path: string, before: string | undefined, after: string | undefined) {
  return [
    `--- ${before === undefined ? '/dev/null' : named(`a/${path}`)}`,
    `+++ ${after === undefined ? '/dev/null' : named(`b/${path}`)}`
  ]
}

// As git does: a name with special characters is quoted, one with spaces ends with a tab.
function named(path: string) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be quoted.
  if (!/["\\\u0000-\u001f\u007f]/.test(path)) return path.includes(' ') ? `${path}\t` : path
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
  const quoted = path.replace(/["\\]/g, '\\$&').replace(/[\u0000-\u001f\u007f]/g, char => {
    return `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`
  })
  return `"${quoted}"`
}

/** Only what lies between the first and the last difference is compared: one edit in a large file costs next to nothing. */
function hunksOf(before: string, after: string): Hunk[] {
  if (before === after) return []
  const head = commonHead(before, after)
  const tail = commonTail(before, after, head)
  const skipped = linesIn(before, head)
  const old = before.slice(head, before.length - tail)
  const now = after.slice(head, after.length - tail)
  const patch = shareALine(old, now)
    ? structuredPatch('', '', old, now, '', '', { context: CONTEXT, timeout: TIME_LIMIT_MS })
    : undefined
  const hunks = patch ? patch.hunks : [wholeHunk(old, now)]
  return hunks.map(hunk => ({ ...hunk, oldStart: hunk.oldStart + skipped, newStart: hunk.newStart + skipped }))
}

/** Looking for the least change between texts with nothing in common would be the longest search of all. */
function shareALine(old: string, now: string) {
  const lines = new Set(old.split('\n'))
  return now.split('\n').some((line, i, all) => lines.has(line) && !(line === '' && i === all.length - 1))
}

/** Where the shared beginning ends, some lines of context before the first difference. */
function commonHead(before: string, after: string) {
  const end = Math.min(before.length, after.length)
  let at = 0
  while (at + STRIDE <= end && before.slice(at, at + STRIDE) === after.slice(at, at + STRIDE)) at += STRIDE
  while (at < end && before.charCodeAt(at) === after.charCodeAt(at)) at++
  at = startOfLine(before, at)
  for (let lines = 0; lines < CONTEXT && at > 0; lines++) at = startOfLine(before, at - 1)
  return at
}

const startOfLine = (text: string, at: number) => (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1)

/** How many characters at the end are left out: whole lines after the context that follows the last difference. */
function commonTail(before: string, after: string, head: number) {
  const room = Math.min(before.length, after.length) - head
  let length = 0
  const stride = (text: string) => text.slice(text.length - length - STRIDE, text.length - length)
  while (length + STRIDE <= room && stride(before) === stride(after)) length += STRIDE
  while (
    length < room &&
    before.charCodeAt(before.length - 1 - length) === after.charCodeAt(after.length - 1 - length)
  ) {
    length++
  }
  let start = before.length - length
  for (let lines = 0; lines <= CONTEXT; lines++) {
    const newline = before.indexOf('\n', start)
    if (newline < 0) return 0
    start = newline + 1
  }
  return before.length - start
}

function linesIn(text: string, end: number) {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** For texts so different that finding the least change takes too long: all of one out, all of the other in. */
function wholeHunk(old: string, now: string): Hunk {
  const [removed, added] = [signed('-', old), signed('+', now)]
  const count = (lines: string[], sign: string) => lines.filter(line => line.startsWith(sign)).length
  const [oldLines, newLines] = [count(removed, '-'), count(added, '+')]
  return { oldStart: 1, oldLines, newStart: 1, newLines, lines: [...removed, ...added] }
}

function signed(sign: string, text: string) {
  if (text === '') return []
  const lines = text.split('\n')
  const last = lines.pop()!
  const all = lines.map(line => sign + line)
  return last === '' ? all : [...all, sign + last, '\\ No newline at end of file']
}

function print({ oldStart, oldLines, newStart, newLines, lines }: Hunk) {
  return [`@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`, ...lines]
}

// An empty side is named by the line before it.
const range = (start: number, count: number) =>
  count === 0 ? `${start - 1},0` : count === 1 ? `${start}` : `${start},${count}`
