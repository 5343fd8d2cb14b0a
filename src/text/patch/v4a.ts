// Parses patches that begin with `*** Begin Patch`. White space around a marker is ignored where no line of a file can stand: around
// the first and the last line of the patch, and the header of a file. In a hunk, a line that begins with a space is one of the file.

import { type PatchLines, PatchSyntaxError } from './patch-lines.ts'
import type { Hunk, HunkLine, PatchSection } from './patch-model.ts'

const BEGIN = '*** Begin Patch'
const END = '*** End Patch'
const END_OF_FILE = '*** End of File'
const SECTION = /^\*\*\* (Add|Update|Delete) File:(.*)$/
const MOVE = /^\*\*\* Move to:(.*)$/
/** Line ranges as in unified diffs after `@@`, which are ignored here. */
const RANGES = /^-\d+(,\d+)? \+\d+(,\d+)? @@/

export function isV4a(lines: PatchLines): boolean {
  const first = lines.peek()?.trim() ?? ''
  return first === BEGIN || SECTION.test(first)
}

export function parseV4a(lines: PatchLines): { sections: PatchSection[]; notes: string[] } {
  const notes: string[] = []
  if (lines.peek()!.trim() === BEGIN) lines.take()
  else notes.push(`The patch does not begin with "${BEGIN}".`)
  const sections: PatchSection[] = []
  for (;;) {
    lines.skipBlank()
    const line = lines.peek()?.trim()
    if (line === undefined || line === END) break
    const header = SECTION.exec(line)
    if (!header) throw lines.syntaxError(`"*** Add File: ", "*** Update File: ", "*** Delete File: " or "${END}"`)
    const path = header[2]!.trim()
    if (path === '') throw lines.syntaxError('a file path')
    sections.push(READERS[header[1] as keyof typeof READERS](lines, path))
  }
  if (sections.length === 0) throw lines.syntaxError('an operation on a file, such as "*** Update File: "')
  if (lines.done) notes.push(`The patch does not end with "${END}": it may be incomplete.`)
  else lines.take()
  lines.skipBlank()
  if (!lines.done) throw lines.syntaxError('nothing after the end of the patch')
  return { sections, notes }
}

const READERS = { Add: readAddedFile, Update: readUpdatedFile, Delete: readDeletedFile }

function readDeletedFile(lines: PatchLines, path: string): PatchSection {
  const line = lines.number
  lines.take()
  return { does: 'delete', path, line, hunks: [] }
}

function readAddedFile(lines: PatchLines, path: string): PatchSection {
  const line = lines.number
  lines.take()
  const content: HunkLine[] = []
  for (; !atMark(lines) && !isGap(lines) && !isIndentedMark(lines.peek()!); lines.take()) {
    const next = lines.peek()!
    if (!next.startsWith('+')) throw lines.syntaxError('a line of the new file, beginning with "+"')
    content.push({ sign: '+', text: next.slice(1) })
  }
  const hunk = { line: line + 1, lines: content, anchors: [], at_end: false }
  return { does: 'add', path, line, hunks: content.length === 0 ? [] : [hunk] }
}

function readUpdatedFile(lines: PatchLines, path: string): PatchSection {
  const line = lines.number
  lines.take()
  const move = MOVE.exec(lines.peek()?.trimEnd() ?? '')
  const to = move ? move[1]!.trim() : undefined
  if (to === '') throw lines.syntaxError('the new path of the file')
  if (move) lines.take()
  skipGap(lines)
  const hunks: Hunk[] = []
  while (!atMark(lines)) {
    if (hunks.length > 0 && !isAnchor(lines.peek()!)) throw lines.syntaxError('"@@" or the next file')
    hunks.push(hunk(lines))
  }
  if (hunks.length === 0 && to === undefined) throw lines.syntaxError('"@@" and the changes of the file')
  return { does: 'update', path, ...(to !== undefined && { to }), line, hunks }
}

/** Maximum nesting depth of anchors. */
const MAX_ANCHORS = 64

function hunk(lines: PatchLines): Hunk {
  const line = lines.number
  const anchors: string[] = []
  while (!lines.done && isAnchor(lines.peek()!)) {
    if (anchors.length === MAX_ANCHORS) throw lines.syntaxError(`at most ${MAX_ANCHORS} lines of "@@" above a hunk`)
    const anchor = lines.take().slice(2).replace(/^ /, '').trimEnd()
    if (anchor !== '' && !RANGES.test(anchor)) anchors.push(anchor)
  }
  const body: HunkLine[] = []
  while (!atMark(lines) && !isAnchor(lines.peek()!) && !isGap(lines)) body.push(bodyLine(lines))
  skipGap(lines)
  const at_end = lines.peek()?.trimEnd() === END_OF_FILE
  if (at_end) lines.take()
  skipGap(lines)
  if (body.every(({ sign }) => sign === ' '))
    throw new PatchSyntaxError(line, 'expected a hunk with at least one line to add or remove.')
  return { line, lines: body, anchors, at_end }
}

function bodyLine(lines: PatchLines): HunkLine {
  const line = lines.peek()!
  const sign = line === '' ? ' ' : line[0]!
  if (sign !== ' ' && sign !== '-' && sign !== '+') {
    throw lines.syntaxError('a line that begins with " ", "-", "+" or "@@"')
  }
  lines.take()
  return { sign, text: line.slice(1) }
}

const isAnchor = (line: string) => line === '@@' || line.startsWith('@@ ')

const atMark = (lines: PatchLines) =>
  lines.done || lines.peek()!.startsWith('*** ') || (lines.isLast && lines.peek()!.trim() === END)

/** Every line of a new file begins with `+`. */
const isIndentedMark = (line: string) => line.trim() === END || SECTION.test(line.trim())

/** Empty lines before the next mark or the end are ignored. */
function skipGap(lines: PatchLines) {
  if (isGap(lines)) lines.skipBlank()
}

function isGap(lines: PatchLines): boolean {
  if (lines.peek() !== '') return false
  const next = lines.peekFilled()
  return next === undefined || next.startsWith('*** ') || isAnchor(next)
}
