// What a commit did, as calls: each with the files before it, and as they truly were after it.
import { isAscii, isUtf8 } from 'node:buffer'
import { encodingOf, eolOf } from '../../src/text/encoding.ts'
import { type Edit, editOf, editsOf } from './edits.ts'
import type { Commit, FileChange, Version } from './repository.ts'
import { changed, changesOf, linesOf, textOf } from './text.ts'
import type { Entry, Tree } from './tree.ts'
import * as v4a from './v4a.ts'

export const KINDS = ['edit_file', 'multi_edit', 'unified', 'v4a'] as const
export type Kind = (typeof KINDS)[number]

export interface Case {
  kind: Kind
  /** The commit, and of what in it. */
  about: string
  tool: string
  params: Record<string, unknown>
  before: Tree
  after: Tree
}

/** Told what is no case, and why. */
export type LeaveOut = (why: string) => void

export type Blobs = (id: string) => Buffer

const SUBMODULE = '160000'
const LINK = '120000'
const RUNNABLE = '100755'
const IS_BINARY = /^(Binary files .* differ|GIT binary patch)$/m
/** What `multi_edit` takes at once. */
const MOST_EDITS = 200
const MARK = Buffer.from('\ufeff')

/** A change of text, with both sides at hand. */
interface Known {
  diff: string
  before: Side | undefined
  after: Side | undefined
}

interface Side {
  path: string
  entry: Entry
  /** Undefined of links. */
  text: string | undefined
  marked: boolean
}

export function casesOf(commit: Commit, blobs: Blobs, leaveOut: LeaveOut): Case[] {
  const known = commit.changes.flatMap(change => know(change, blobs, leaveOut) ?? [])
  const name = commit.id.slice(0, 10)
  return [
    ...known.flatMap(one => editCases(name, one, leaveOut)),
    ...unifiedCase(name, known),
    ...v4aCase(name, known, leaveOut)
  ]
}

function know(change: FileChange, blobs: Blobs, leaveOut: LeaveOut): Known | undefined {
  const versions = [change.before, change.after]
  if (versions.some(version => version?.mode === SUBMODULE)) return leaveOut('submodule') as undefined
  if (versions.some(version => version?.mode === LINK)) return leaveOut('symbolic link') as undefined
  const [before, after] = versions.map(version => version && sideOf(version, blobs)) as [Side?, Side?]
  if (IS_BINARY.test(change.diff.toString('latin1'))) return leaveOut('binary file') as undefined
  if (!keepsEncoding(before?.entry, after?.entry))
    return leaveOut('encoding that changes or is not certain') as undefined
  return { diff: textOf(change.diff), before, after }
}

/** What a patch adds to a file is in the encoding that this has: UTF-8, or Latin-1 where that is certain. */
function keepsEncoding(before: Entry | undefined, after: Entry | undefined): boolean {
  const bytes = [before, after].map(entry => (entry && 'bytes' in entry ? entry.bytes : undefined))
  if (bytes.every(side => !side || isUtf8(side))) return true
  const [old, now] = bytes
  return old !== undefined && encodingOf(old) === 'latin1' && (!now || isAscii(now) || encodingOf(now) === 'latin1')
}

function sideOf({ path, mode, blob }: Version, blobs: Blobs): Side {
  const bytes = blobs(blob)
  if (mode === LINK) return { path, entry: { target: bytes.toString('utf8') }, text: undefined, marked: false }
  const entry = { mode: mode === RUNNABLE ? 0o755 : 0o644, bytes }
  return { path, entry, text: textOf(bytes), marked: bytes.subarray(0, MARK.length).equals(MARK) }
}

const treeOf = (sides: readonly (Side | undefined)[]): Map<string, Entry> =>
  new Map(sides.flatMap(side => (side ? [[side.path, side.entry] as const] : [])))

/** Changes of one file's text: each by itself, and all of them at once. */
function editCases(name: string, { diff, before, after }: Known, leaveOut: LeaveOut): Case[] {
  if (before?.text === undefined || after?.text === undefined) return []
  if (before.marked !== after.marked) {
    leaveOut('byte order mark that comes or goes, which no edit says')
    return []
  }
  if (losesCr(before.text, after.text)) {
    leaveOut('line endings of a whole file that change, which no edit says')
    return []
  }
  const { path } = before
  const about = `${name} ${path}`
  const lines = linesOf(before.text)
  const changes = changesOf(diff, lines, linesOf(after.text))
  if (changes.length === 0) return []
  const world = treeOf([before])
  const now = (text: string) => new Map([[path, withText(before, text)]])
  const edits = editsOf(lines, changes)
  if (!edits) {
    leaveOut('empty file, in which there is nothing to find')
    return []
  }
  if (edits.length > MOST_EDITS) leaveOut('file with more edits than one call takes')
  const single = changes.map((change, i): Case => {
    const edit = editOf(lines, change) as Edit
    const about = `${name} ${path} ${i + 1}`
    const after = now(changed(lines, change).join(''))
    return { kind: 'edit_file', about, tool: 'edit_file', params: { path, ...edit }, before: world, after }
  })
  const all: Case = {
    kind: 'multi_edit',
    about,
    tool: 'multi_edit',
    params: { path, edits },
    before: world,
    after: now(after.text)
  }
  return edits.length > MOST_EDITS ? single : [...single, all]
}

/** A file that ends its lines with CR LF keeps doing so. */
const losesCr = (before: string, after: string) => eolOf(before) === 'crlf' && eolOf(after) !== 'crlf'

function withText({ entry, marked }: Side, text: string): Entry {
  const { mode, bytes: old } = entry as { mode: number; bytes: Buffer }
  const bytes = Buffer.from(text, isUtf8(old) ? 'utf8' : 'latin1')
  return { mode, bytes: marked ? Buffer.concat([MARK, bytes]) : bytes }
}

/** The commit as git shows it. */
function unifiedCase(name: string, known: readonly Known[]): Case[] {
  if (known.length === 0) return []
  return [
    {
      kind: 'unified',
      about: name,
      tool: 'apply_patch',
      params: { patch: known.map(({ diff }) => diff).join('') },
      before: treeOf(known.map(({ before }) => before)),
      after: treeOf(known.map(({ after }) => after))
    }
  ]
}

/** The same in V4A, which knows nothing of permissions and links. */
function v4aCase(name: string, known: readonly Known[], leaveOut: LeaveOut): Case[] {
  const said = known.flatMap(one => {
    const section = sayable(one) ? sectionOf(one) : undefined
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
      params: { patch: v4a.patchOf(said.map(({ section }) => section)) },
      before: treeOf(said.map(({ before }) => before)),
      after: treeOf(after)
    }
  ]
}

function sayable({ before, after }: Known): boolean {
  const sides = [before, after].filter(side => side !== undefined)
  return (
    sides.every(({ text, path }) => text !== undefined && path.trim() === path && !path.includes('\n')) &&
    (before?.marked ?? false) === (after?.marked ?? false)
  )
}

function sectionOf({ before, after, diff }: Known): string | undefined {
  if (!before) return v4a.added(after!.path, after!.text!)
  if (!after) return v4a.deleted(before.path)
  const to = after.path === before.path ? undefined : after.path
  const changes = changesOf(diff, linesOf(before.text!), linesOf(after.text!))
  if (changes.length === 0 && to === undefined) return ''
  return v4a.updated(before.path, to, [before.text!, after.text!], changes)
}

/** As a file keeps it, or a new one has it. */
function withMode(entry: Entry, before: Side | undefined): Entry {
  if ('target' in entry) return entry
  return { ...entry, mode: before && 'bytes' in before.entry ? before.entry.mode : 0o644 }
}
