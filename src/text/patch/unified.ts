// Parses unified diffs, as written by diff, git and others.

import { type Header, plainHeader, readGitHeader } from './header.ts'
import { type PatchLines, PatchSyntaxError } from './patch-lines.ts'
import type { Hunk, HunkLine, PatchSection } from './patch-model.ts'
import { sectionPaths } from './paths.ts'

const RANGES = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/
/** Irrelevant lines between the diffs of files. */
const IGNORED_LINE = /^(diff -|diff \S+ \S+$|Index: |=+$|Only in |Common subdirectories: )/
/** From here on anything may follow, such as the mail with the next diff. */
const SIGNATURE = /^(-- $|From [0-9a-f]{7,64} )/
const COMBINED = /^(diff --(cc|combined) |@@@)/

export function isUnified(lines: PatchLines): boolean {
  return lines.some(line => /^(diff --(git|cc|combined) |--- |\+\+\+ |@@ -|Index: )/.test(line))
}

export function parseUnified(lines: PatchLines, strip: number | undefined): PatchSection[] {
  const sections: PatchSection[] = []
  skipProse(lines)
  while (!lines.done) {
    const line = lines.number
    const header = readHeader(lines)
    const hunks: Hunk[] = []
    while (lines.peek()?.startsWith('@@ ')) hunks.push(readHunk(lines))
    sections.push(toSection(header, hunks, line, strip))
    skipBetween(lines)
  }
  if (sections.length === 0) throw lines.syntaxError('the diff of a file: "--- " and "+++ " lines, or "diff --git "')
  return sections
}

function readHeader(lines: PatchLines): Header {
  if (lines.peek()!.startsWith('diff --git ')) return readGitHeader(lines)
  const names = plainHeader(lines)
  if (!lines.peek()?.startsWith('@@ ')) throw lines.syntaxError('a hunk, such as "@@ -1,3 +1,4 @@"')
  return names
}

const isHeader = (lines: PatchLines) =>
  lines.peek()!.startsWith('diff --git ') ||
  (lines.peek()!.startsWith('--- ') && lines.peek(1)?.startsWith('+++ ') === true)

/** Skips text above the first diff, such as a mail or a commit. */
function skipProse(lines: PatchLines) {
  while (!lines.done && !isHeader(lines)) {
    if (/^@@ -/.test(lines.peek()!)) throw lines.syntaxError('the file names before the first hunk: "--- " and "+++ "')
    if (COMBINED.test(lines.peek()!)) throw combinedDiffError(lines)
    lines.take()
  }
}

function skipBetween(lines: PatchLines) {
  while (!lines.done && !isHeader(lines)) {
    const line = lines.peek()!
    if (SIGNATURE.test(line)) skipProse(lines)
    else if (COMBINED.test(line)) throw combinedDiffError(lines)
    else if (line.trim() === '' || IGNORED_LINE.test(line)) lines.take()
    else throw lines.syntaxError('a hunk ("@@ "), the next file ("diff --git ", or "--- " and "+++ ") or the end')
  }
}

const combinedDiffError = (lines: PatchLines) => lines.syntaxError('a diff of two versions, not of a merge')

function readHunk(lines: PatchLines): Hunk {
  const line = lines.number
  const ranges = RANGES.exec(lines.peek()!)
  if (!ranges) throw lines.syntaxError('the ranges of a hunk, such as "@@ -1,3 +1,4 @@"')
  lines.take()
  const [oldStart, oldCount, newCount] = [Number(ranges[1]), Number(ranges[2] ?? 1), Number(ranges[4] ?? 1)]
  const body: HunkLine[] = []
  const left = { old: oldCount, new: newCount }
  while (left.old > 0 || left.new > 0) {
    const next = bodyLine(lines, left)
    if (next.sign !== '+') left.old--
    if (next.sign !== '-') left.new--
    body.push(next)
  }
  if (/^[ +-]/.test(lines.peek() ?? '') && !isHeader(lines) && !SIGNATURE.test(lines.peek()!)) {
    throw lines.syntaxError(
      `the end of the hunk: its first line (${line}) declares ${describeCounts(oldCount, newCount)}`
    )
  }
  if (body.every(({ sign }) => sign === ' '))
    throw new PatchSyntaxError(line, 'expected a hunk with at least one line to add or remove.')
  // An empty range is denoted by the line before it.
  const at = oldCount === 0 ? oldStart : Math.max(0, oldStart - 1)
  return { line, lines: body, at, anchors: [], at_end: false }
}

const describeCounts = (old: number, now: number) => `${old} old and ${now} new lines`

function bodyLine(lines: PatchLines, left: { old: number; new: number }): HunkLine {
  const line = lines.peek()
  // Some programs omit the space of an empty line.
  const sign = line === '' || line === '\r' ? ' ' : line?.[0]
  const expected = `a line of the hunk, which still lacks ${describeCounts(left.old, left.new)}`
  if (sign !== ' ' && sign !== '-' && sign !== '+') throw lines.syntaxError(expected)
  if ((sign !== '+' && left.old === 0) || (sign !== '-' && left.new === 0)) throw lines.syntaxError(expected)
  lines.take()
  const text = line === '\r' ? '\r' : line!.slice(1)
  if (!lines.peek()?.startsWith('\\ ')) return { sign, text }
  lines.take()
  return { sign, text, open: true }
}

function toSection(header: Header, hunks: Hunk[], line: number, strip: number | undefined): PatchSection {
  const { executable } = header
  const paths = sectionPaths(header, line, strip)
  const one = (sign: '+' | '-', what: string) => {
    const wrong = hunks.flatMap(hunk => hunk.lines.filter(each => each.sign !== sign).map(() => hunk))[0]
    if (wrong || hunks.length > 1)
      throw new PatchSyntaxError((wrong ?? hunks[1]!).line, `expected one hunk with only ${what} lines.`)
  }
  if (paths.does === 'add') one('+', 'added')
  if (paths.does === 'delete') one('-', 'removed')
  const nothing = hunks.length === 0 && paths.does === 'update' && paths.to === undefined && executable === undefined
  if (nothing) throw new PatchSyntaxError(line, 'expected a change: a hunk, another name or another mode.')
  return { ...paths, line, hunks, ...(executable !== undefined && { executable }) }
}
