// Converts commits to calls: each with the files before and after it.
import { isAscii, isUtf8 } from 'node:buffer'
import { detectEncoding, detectEol } from '../../src/text/encoding.ts'
import { type Edit, toEdit, toEdits } from './edits.ts'
import type { CommitChanges, CommittedChange, FileVersion } from './repository.ts'
import { applyChanges, joinLines, parseHunks, splitLines } from './text.ts'
import type { FileEntry, FileTree } from './tree.ts'
import * as v4a from './v4a.ts'

export const CASE_KINDS = ['edit_file', 'multi_edit', 'unified', 'v4a'] as const
export type CaseKind = (typeof CASE_KINDS)[number]

export interface ReplayCase {
  kind: CaseKind
  /** The commit, and the part of it. */
  about: string
  tool: string
  params: Record<string, unknown>
  before: FileTree
  after: FileTree
}

/** Receives what is skipped, and why. */
export type ReportLeftOut = (why: string) => void

export type ReadBlob = (id: string) => Buffer

const SUBMODULE = '160000'
const SYMLINK = '120000'
const EXECUTABLE = '100755'
const IS_BINARY = /^(Binary files .* differ|GIT binary patch)$/m
/** The maximum for `multi_edit`. */
const MAX_EDITS = 200
const BYTE_ORDER_MARK = Buffer.from('\ufeff')

/** A change of text, with both sides loaded. */
interface LoadedChange {
  diff: string
  before: FileSide | undefined
  after: FileSide | undefined
}

interface FileSide {
  path: string
  entry: FileEntry
  /** Undefined for links. */
  text: string | undefined
  marked: boolean
}

export function toCases(commit: CommitChanges, blobs: ReadBlob, leaveOut: ReportLeftOut): ReplayCase[] {
  const known = commit.changes.flatMap(change => loadChange(change, blobs, leaveOut) ?? [])
  const name = commit.id.slice(0, 10)
  return [
    ...known.flatMap(one => editCases(name, one, leaveOut)),
    ...unifiedCase(name, known),
    ...v4aCase(name, known, leaveOut)
  ]
}

function loadChange(change: CommittedChange, blobs: ReadBlob, leaveOut: ReportLeftOut): LoadedChange | undefined {
  const versions = [change.before, change.after]
  if (versions.some(version => version?.mode === SUBMODULE)) return leaveOut('submodule') as undefined
  if (versions.some(version => version?.mode === SYMLINK)) return leaveOut('symbolic link') as undefined
  const [before, after] = versions.map(version => version && toFileSide(version, blobs)) as [FileSide?, FileSide?]
  if (IS_BINARY.test(change.diff.toString('latin1'))) return leaveOut('binary file') as undefined
  if (!keepsEncoding(before?.entry, after?.entry))
    return leaveOut('encoding that changes or is not certain') as undefined
  return { diff: joinLines(change.diff), before, after }
}

/** Returns whether a patch can represent the added text in the encoding of the file: UTF-8, or Latin-1 if that is certain. */
function keepsEncoding(before: FileEntry | undefined, after: FileEntry | undefined): boolean {
  const bytes = [before, after].map(entry => (entry && 'bytes' in entry ? entry.bytes : undefined))
  if (bytes.every(side => !side || isUtf8(side))) return true
  const [old, now] = bytes
  return (
    old !== undefined &&
    detectEncoding(old)?.encoding === 'latin1' &&
    (!now || isAscii(now) || detectEncoding(now)?.encoding === 'latin1')
  )
}

function toFileSide({ path, mode, blob }: FileVersion, blobs: ReadBlob): FileSide {
  const bytes = blobs(blob)
  if (mode === SYMLINK) return { path, entry: { target: bytes.toString('utf8') }, text: undefined, marked: false }
  const entry = { mode: mode === EXECUTABLE ? 0o755 : 0o644, bytes }
  return {
    path,
    entry,
    text: joinLines(bytes),
    marked: bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
  }
}

const toTree = (sides: readonly (FileSide | undefined)[]): Map<string, FileEntry> =>
  new Map(sides.flatMap(side => (side ? [[side.path, side.entry] as const] : [])))

/** Returns the changes of one file's text: one case each, and one for all of them at once. */
function editCases(name: string, { diff, before, after }: LoadedChange, leaveOut: ReportLeftOut): ReplayCase[] {
  if (before?.text === undefined || after?.text === undefined) return []
  if (before.marked !== after.marked) {
    leaveOut('byte order mark that comes or goes, which no edit says')
    return []
  }
  if (dropsCarriageReturn(before.text, after.text)) {
    leaveOut('line endings of a whole file that change, which no edit says')
    return []
  }
  const { path } = before
  const about = `${name} ${path}`
  const lines = splitLines(before.text)
  const changes = parseHunks(diff, lines, splitLines(after.text))
  if (changes.length === 0) return []
  const world = toTree([before])
  const now = (text: string) => new Map([[path, withText(before, text)]])
  const edits = toEdits(lines, changes)
  if (!edits) {
    leaveOut('empty file, in which there is nothing to find')
    return []
  }
  if (edits.length > MAX_EDITS) leaveOut('file with more edits than one call takes')
  const single = changes.map((change, i): ReplayCase => {
    const edit = toEdit(lines, change) as Edit
    const about = `${name} ${path} ${i + 1}`
    const after = now(applyChanges(lines, change).join(''))
    return { kind: 'edit_file', about, tool: 'edit_file', params: { path, ...edit }, before: world, after }
  })
  const all: ReplayCase = {
    kind: 'multi_edit',
    about,
    tool: 'multi_edit',
    params: { path, edits },
    before: world,
    after: now(after.text)
  }
  return edits.length > MAX_EDITS ? single : [...single, all]
}

/** Returns true if a file with CR LF endings loses them, which edits never do. */
const dropsCarriageReturn = (before: string, after: string) =>
  detectEol(before) === 'crlf' && detectEol(after) !== 'crlf'

function withText({ entry, marked }: FileSide, text: string): FileEntry {
  const { mode, bytes: old } = entry as { mode: number; bytes: Buffer }
  const bytes = Buffer.from(text, isUtf8(old) ? 'utf8' : 'latin1')
  return { mode, bytes: marked ? Buffer.concat([BYTE_ORDER_MARK, bytes]) : bytes }
}

/** Returns the commit as a unified diff. */
function unifiedCase(name: string, known: readonly LoadedChange[]): ReplayCase[] {
  if (known.length === 0) return []
  return [
    {
      kind: 'unified',
      about: name,
      tool: 'apply_patch',
      params: { patch: known.map(({ diff }) => diff).join('') },
      before: toTree(known.map(({ before }) => before)),
      after: toTree(known.map(({ after }) => after))
    }
  ]
}

/** Returns the commit as a V4A patch, which supports neither permissions nor links. */
function v4aCase(name: string, known: readonly LoadedChange[], leaveOut: ReportLeftOut): ReplayCase[] {
  const said = known.flatMap(one => {
    const section = isRepresentable(one) ? toPatchSection(one) : undefined
    if (section === undefined) leaveOut('change that V4A cannot say')
    return section === undefined || section === '' ? [] : [{ ...one, section }]
  })
  if (said.length === 0) return []
  const after = said.map(({ before, after }) => after && { ...after, entry: withMode(after.entry, before) })
  return [
    {
      kind: 'v4a',
      about: name,
      tool: 'apply_patch',
      params: { patch: v4a.toPatch(said.map(({ section }) => section)) },
      before: toTree(said.map(({ before }) => before)),
      after: toTree(after)
    }
  ]
}

function isRepresentable({ before, after }: LoadedChange): boolean {
  const sides = [before, after].filter(side => side !== undefined)
  return (
    sides.every(({ text, path }) => text !== undefined && path.trim() === path && !path.includes('\n')) &&
    (before?.marked ?? false) === (after?.marked ?? false)
  )
}

function toPatchSection({ before, after, diff }: LoadedChange): string | undefined {
  if (!before) return v4a.addSection(after!.path, after!.text!)
  if (!after) return v4a.deleteSection(before.path)
  const to = after.path === before.path ? undefined : after.path
  const changes = parseHunks(diff, splitLines(before.text!), splitLines(after.text!))
  if (changes.length === 0 && to === undefined) return ''
  return v4a.updateSection(before.path, to, [before.text!, after.text!], changes)
}

/** Returns the entry with the mode of the existing file, or that of a new one. */
function withMode(entry: FileEntry, before: FileSide | undefined): FileEntry {
  if ('target' in entry) return entry
  return { ...entry, mode: before && 'bytes' in before.entry ? before.entry.mode : 0o644 }
}
