// Parses a unified diff into rows: lines with their numbers and changed words.
import { diffWordsWithSpace, parsePatch, type StructuredPatch } from 'diff'

export type DiffRowKind = 'same' | 'added' | 'removed' | 'hunk' | 'note'

export interface DiffRow {
  kind: DiffRowKind
  /** Line numbers in the old and in the new file. */
  old?: number
  new?: number
  text: string
  /** The text in pieces, every second one changed; undefined if the whole line changed. */
  words?: readonly string[]
  /** The numbers of a hunk's header. */
  hunk?: HunkNumbers
  /** The hidden lines before a hunk or after the last one, if they can be shown. */
  gap?: Gap
}

export type HunkNumbers = Record<'oldStart' | 'oldLines' | 'newStart' | 'newLines', number>

/** Unchanged lines that are not shown. */
export interface Gap {
  index: number
  /** Undefined if unknown before the file is loaded. */
  hidden: number | undefined
  /** The old numbers of the shown lines around them. */
  after: number
  before: number
  /** No hunk follows. */
  isLast?: true
}

/** The two sides of one line; either may be missing. */
export interface DiffRowPair {
  left?: DiffRow
  right?: DiffRow
}

export interface DiffFileRows {
  /** The name, or the old and the new one. */
  path: string
  /** The new name, or the old one of a file that would be removed. */
  name: string
  added: number
  removed: number
  rows: readonly DiffRow[]
}

/** Limits of the word diff, in lines and characters per line: each costs time, and long diffs are only skimmed. */
const MAX_COMPARED_LINES = 2_000
const MAX_COMPARED_LENGTH = 500

/** The last diff, which the card and its review both parse. */
let lastParsed: { diff: string; files: readonly DiffFileRows[] | undefined } | undefined

/** Returns undefined if the text is no unified diff, so that it is shown unchanged. */
export function parseDiffRows(diff: string): readonly DiffFileRows[] | undefined {
  if (lastParsed?.diff !== diff) lastParsed = { diff, files: parse(diff) }
  return lastParsed.files
}

function parse(diff: string): readonly DiffFileRows[] | undefined {
  let budget = MAX_COMPARED_LINES
  try {
    const files = parsePatch(diff)
    if (files.length === 0 || files.some(file => file.hunks.length === 0 && listFileNotes(file).length === 0))
      return undefined
    return files.map(file => {
      const { oldFileName = '', newFileName = '', hunks } = file
      const rows: DiffRow[] = [
        ...listFileNotes(file).map(text => ({ kind: 'note' as const, text })),
        ...hunks.flatMap(hunk => [
          { kind: 'hunk' as const, text: formatHunkHeader(hunk), hunk },
          ...numberLines(hunk.lines, hunk.oldStart, hunk.newStart)
        ])
      ]
      for (const [removed, added] of findChangeRuns(rows)) {
        const both = Math.min(removed.length, added.length, budget)
        budget -= both
        for (let i = 0; i < both; i++) markChangedWords(removed[i]!, added[i]!)
      }
      const count = (kind: DiffRowKind) => rows.filter(row => row.kind === kind).length
      return {
        path: formatPath(oldFileName, newFileName),
        name: newFileName === '/dev/null' ? formatPath(oldFileName, newFileName) : formatPath('/dev/null', newFileName),
        added: count('added'),
        removed: count('removed'),
        rows
      }
    })
  } catch {
    return undefined
  }
}

/** Describes what git's header of a file says besides its name. */
function listFileNotes({
  isCreate,
  isDelete,
  isRename,
  isCopy,
  isBinary,
  oldMode,
  newMode,
  oldFileName,
  newFileName
}: StructuredPatch) {
  const notes: string[] = []
  if (isCreate) notes.push(newMode === undefined ? 'new file' : `new file, mode ${newMode}`)
  else if (isDelete) notes.push(oldMode === undefined ? 'deleted' : `deleted, mode ${oldMode}`)
  else if (newMode !== undefined && newMode !== oldMode) notes.push(`mode ${oldMode ?? 'unknown'} → ${newMode}`)
  if (isBinary) notes.push('binary file')
  if (isRename || isCopy)
    notes.push(
      `${isRename ? 'renamed' : 'copied'} from ${formatPath(oldFileName ?? '', '/dev/null')} to ${formatPath('/dev/null', newFileName ?? '')}`
    )
  return notes
}

/** Returns rows side by side: removed lines beside their replacement. */
export function toRowPairs(rows: readonly DiffRow[]): readonly DiffRowPair[] {
  const pairs: DiffRowPair[] = []
  const removed: DiffRow[] = []
  const added: DiffRow[] = []
  const flush = () => {
    for (let i = 0; i < Math.max(removed.length, added.length); i++)
      pairs.push({ ...(removed[i] && { left: removed[i] }), ...(added[i] && { right: added[i] }) } as DiffRowPair)
    removed.length = 0
    added.length = 0
  }
  for (const row of rows) {
    if (row.kind === 'removed') removed.push(row)
    else if (row.kind === 'added') added.push(row)
    else {
      flush()
      pairs.push({ left: row, right: row })
    }
  }
  flush()
  return pairs
}

export const formatHunkHeader = ({ oldStart, oldLines, newStart, newLines }: HunkNumbers) =>
  `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`

const KINDS_BY_PREFIX: Record<string, DiffRowKind> = { '+': 'added', '-': 'removed', '\\': 'note' }

function numberLines(lines: readonly string[], oldStart: number, newStart: number): DiffRow[] {
  let left = oldStart
  let right = newStart
  return lines.map(line => {
    const kind = KINDS_BY_PREFIX[line[0]!] ?? 'same'
    const text = kind === 'note' ? line : line.slice(1)
    if (kind === 'added') return { kind, new: right++, text }
    if (kind === 'removed') return { kind, old: left++, text }
    return kind === 'note' ? { kind, text } : { kind, old: left++, new: right++, text }
  })
}

/** Yields each run of removed lines with the added lines that follow it. */
function* findChangeRuns(rows: readonly DiffRow[]): Generator<[removed: DiffRow[], added: DiffRow[]]> {
  for (let i = 0; i < rows.length; ) {
    const removed = take('removed')
    const added = take('added')
    if (removed.length > 0 && added.length > 0) yield [removed, added]
    if (removed.length === 0 && added.length === 0) i++

    function take(kind: DiffRowKind) {
      const from = i
      while (rows[i]?.kind === kind) i++
      return rows.slice(from, i)
    }
  }
}

/** Marks changed words, unless nearly all changed: marks would say nothing then. */
function markChangedWords(removed: DiffRow, added: DiffRow) {
  if (removed.text.length > MAX_COMPARED_LENGTH || added.text.length > MAX_COMPARED_LENGTH) return
  const changes = diffWordsWithSpace(removed.text, added.text)
  const same = changes.reduce(
    (sum, { added, removed, value }) => (added || removed ? sum : sum + value.trim().length),
    0
  )
  if (same * 3 < Math.max(removed.text.trim().length, added.text.trim().length)) return
  removed.words = mergePieces(changes.filter(({ added }) => !added).map(({ value, removed }) => [value, removed]))
  added.words = mergePieces(changes.filter(({ removed }) => !removed).map(({ value, added }) => [value, added]))
}

/** Joins neighbours of one kind, so that every second piece is a changed one. */
function mergePieces(parts: readonly [text: string, changed: boolean][]): string[] {
  const joined = ['']
  for (const [text, changed] of parts) {
    if ((joined.length % 2 === 0) !== changed) joined.push('')
    joined[joined.length - 1] += text
  }
  return joined
}

/** `/dev/null` denotes a missing file; git's `a/` and `b/` are no part of a name. */
function formatPath(before: string, after: string): string {
  const old = before.replace(/^a\//, '')
  const fresh = after.replace(/^b\//, '')
  if (after === '/dev/null') return old
  return before === '/dev/null' || old === fresh ? fresh : `${old} → ${fresh}`
}
