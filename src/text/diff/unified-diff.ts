// Unified diffs for `git apply`.
import { structuredPatch } from 'diff'
import { quoteName } from '../patch/quoted-names.ts'

export interface Diff {
  /** Empty if nothing differs. */
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
const DIFF_TIMEOUT_MS = 300
/** Comparing blocks of this size is much faster than comparing characters. */
const STRIDE = 1024

/** A file before or after a change. */
export interface Side {
  path: string
  /** Includes the byte order mark, if any. Undefined for binary content, which stays unchanged. */
  text: string | undefined
  executable?: boolean
}

/** Returns a diff of two texts. Undefined stands for a missing file. */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): Diff {
  const side = (text: string | undefined): Side | undefined => (text === undefined ? undefined : { path, text })
  const [old, now] = [side(before), side(after)]
  return old && now ? contentDiff(old, now, []) : fileDiff(old, now)
}

/**
 * Returns a diff of two files: content, name, execute permission. Undefined stands for a missing file. Such diffs can be
 * concatenated to one patch.
 */
export function fileDiff(before: Side | undefined, after: Side | undefined): Diff {
  const [both, ...facts] = diffHeader(before, after)
  if (before && after ? before.text !== undefined : (before ?? after)!.text !== undefined) {
    const changed = facts.length > 0 || before?.text !== after?.text
    return contentDiff(before, after, changed ? [both, ...facts] : [])
  }
  const binary = `Binary files ${pathWithPrefix('a', before)} and ${pathWithPrefix('b', after)} differ`
  const lines = before && after ? facts : [...facts, binary]
  return { diff: lines.length === 0 ? '' : [both, ...lines, ''].join('\n'), added: 0, removed: 0 }
}

function contentDiff(before: Side | undefined, after: Side | undefined, header: readonly string[]): Diff {
  const hunks = computeHunks(before?.text ?? '', after?.text ?? '')
  const lines = hunks.flatMap(hunk => hunk.lines)
  const count = (sign: string) => lines.filter(line => line.startsWith(sign)).length
  const names =
    hunks.length === 0
      ? []
      : [`--- ${terminateName(pathWithPrefix('a', before))}`, `+++ ${terminateName(pathWithPrefix('b', after))}`]
  const all = [...header, ...names, ...hunks.flatMap(print)]
  return { diff: all.length === 0 ? '' : [...all, ''].join('\n'), added: count('+'), removed: count('-') }
}

/** Returns the lines that a diff shows as added, without the sign. */
export const addedLines = (before: string, after: string): string[] =>
  computeHunks(before, after)
    .flatMap(hunk => hunk.lines)
    .filter(line => line.startsWith('+'))
    .map(line => line.slice(1))

/** Returns the header: both names, and git's extended header lines. */
export function diffHeader(before: FileFacts | undefined, after: FileFacts | undefined): [string, ...string[]] {
  const name = (prefix: string, { path }: FileFacts) => quoteName(`${prefix}/${path}`)
  const both = `diff --git ${name('a', (before ?? after)!)} ${name('b', (after ?? before)!)}`
  return [both, ...extendedHeaderLines(before, after)]
}

type FileFacts = Omit<Side, 'text'>

function extendedHeaderLines(before: FileFacts | undefined, after: FileFacts | undefined): string[] {
  if (!before) return [`new file mode ${gitMode(after!)}`]
  if (!after) return [`deleted file mode ${gitMode(before)}`]
  return [
    ...(gitMode(before) === gitMode(after) ? [] : [`old mode ${gitMode(before)}`, `new mode ${gitMode(after)}`]),
    ...(before.path === after.path
      ? []
      : [`rename from ${quoteName(before.path)}`, `rename to ${quoteName(after.path)}`])
  ]
}

const gitMode = ({ executable }: FileFacts) => (executable ? '100755' : '100644')

const pathWithPrefix = (prefix: string, side: Side | undefined) =>
  side ? quoteName(`${prefix}/${side.path}`) : '/dev/null'

// As in git, a name with spaces ends with a tab, which marks its end.
const terminateName = (name: string) => (name.includes(' ') && !name.startsWith('"') ? `${name}\t` : name)

/** Compares only the part between the first and the last difference: one edit in a large file costs next to nothing. */
function computeHunks(before: string, after: string): Hunk[] {
  if (before === after) return []
  const head = commonHead(before, after)
  const tail = commonTail(before, after, head)
  const skipped = countLinesBefore(before, head)
  const old = before.slice(head, before.length - tail)
  const now = after.slice(head, after.length - tail)
  const patch = haveCommonLine(old, now)
    ? structuredPatch('', '', old, now, '', '', { context: CONTEXT, timeout: DIFF_TIMEOUT_MS })
    : undefined
  const hunks = patch ? patch.hunks : [wholeHunk(old, now)]
  const last = hunks.pop()
  if (last) hunks.push(addTrailingContext(last, before.slice(before.length - tail)))
  return hunks.map(hunk => ({ ...hunk, oldStart: hunk.oldStart + skipped, newStart: hunk.newStart + skipped }))
}

/**
 * Among repeated lines, the last change may be placed at the very end of the compared part, with its context beyond. Git takes a
 * hunk without trailing context for one at the end of the file.
 */
function addTrailingContext(hunk: Hunk, below: string): Hunk {
  const change = hunk.lines.findLastIndex(line => !line.startsWith(' '))
  const missing = CONTEXT - (hunk.lines.length - 1 - change)
  const lines = missing > 0 ? prefixLines(' ', firstLines(below, missing)) : []
  const count = lines.filter(line => line.startsWith(' ')).length
  return {
    ...hunk,
    oldLines: hunk.oldLines + count,
    newLines: hunk.newLines + count,
    lines: [...hunk.lines, ...lines]
  }
}

function firstLines(text: string, count: number) {
  let end = 0
  for (let line = 0; line < count && end < text.length; line++) {
    const newline = text.indexOf('\n', end)
    end = newline < 0 ? text.length : newline + 1
  }
  return text.slice(0, end)
}

/** The minimal diff of texts without common lines would be the most expensive of all. */
function haveCommonLine(old: string, now: string) {
  const lines = new Set(old.split('\n'))
  return now.split('\n').some((line, i, all) => lines.has(line) && !(line === '' && i === all.length - 1))
}

/** Returns the end of the common beginning, some context lines before the first difference. */
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

/** Returns the number of trailing characters left out: whole lines after the context that follows the last difference. */
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

function countLinesBefore(text: string, end: number) {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count++
  return count
}

/** Replaces everything, for texts so different that a minimal diff takes too long. */
function wholeHunk(old: string, now: string): Hunk {
  const [removed, added] = [prefixLines('-', old), prefixLines('+', now)]
  const count = (lines: string[], sign: string) => lines.filter(line => line.startsWith(sign)).length
  const [oldLines, newLines] = [count(removed, '-'), count(added, '+')]
  return { oldStart: 1, oldLines, newStart: 1, newLines, lines: [...removed, ...added] }
}

function prefixLines(sign: string, text: string) {
  if (text === '') return []
  const lines = text.split('\n')
  const last = lines.pop()!
  const all = lines.map(line => sign + line)
  return last === '' ? all : [...all, sign + last, '\\ No newline at end of file']
}

function print({ oldStart, oldLines, newStart, newLines, lines }: Hunk) {
  return [`@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`, ...lines]
}

// An empty side is denoted by the line before it.
const range = (start: number, count: number) =>
  count === 0 ? `${start - 1},0` : count === 1 ? `${start}` : `${start},${count}`
