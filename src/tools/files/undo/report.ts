// Reports an undo, path by path.
import type { LineChange } from '../../../host/files/content-source.ts'
import type { UndoFile } from '../../../protocol/undo.ts'
import { decodeForDiff, hidesAsciiInDiff } from '../../../text/diff/diff-text.ts'
import type { Diff, Side } from '../../../text/diff/unified-diff.ts'
import type { ReadContext } from '../../../tool/contexts.ts'
import { isChanged, type PathOutcome } from './steps.ts'
import type { EntryState, FileState, WorkspaceOverlay } from './workspace-overlay.ts'

const DIFF_TIMEOUT_MS = 5_000

export const UNDO_WITHHELD_NOTE = 'Reading requires approval: the content is not shown.'

/** Changes concern entries: a link itself has no content to read. */
export const canRevealEntry = (path: string, ctx: ReadContext) => ctx.canReveal({ path, literal: true })

/** Report of a path; undefined for a path that is only the source of a move. */
interface Report {
  file?: UndoFile
  diff?: Diff
}

export async function reportPath(outcome: PathOutcome, draft: WorkspaceOverlay, ctx: ReadContext): Promise<Report> {
  const { path, from, before, after, leaves } = outcome
  if (leaves && after.kind === 'missing') return {}
  const shown = [path, ...(from === undefined ? [] : [from])].every(each => canRevealEntry(each, ctx))
  const diff = isChanged(outcome) ? await diffOutcome(outcome, draft, ctx) : undefined
  const kind = [after, before].find(thing => thing.kind === 'directory' || thing.kind === 'symlink')?.kind
  const note = shown ? outcomeNote(outcome) : UNDO_WITHHELD_NOTE
  const file: UndoFile = {
    path,
    action: undoAction(outcome),
    ...((kind === 'directory' || kind === 'symlink') && { kind }),
    ...(from !== undefined && { from }),
    ...(diff?.diff && shown && { diff: diff.diff }),
    ...(note !== undefined && { note })
  }
  return { file, ...(diff && { diff }) }
}

export const countedLines = ({ diff }: Report): LineChange | undefined =>
  diff && { added: diff.added, removed: diff.removed }

function undoAction(outcome: PathOutcome): UndoFile['action'] {
  const { before, after, from } = outcome
  if (!isChanged(outcome)) return 'nothing'
  if (from !== undefined) return 'move_back'
  if (after.kind === 'missing') return 'delete'
  if (before.kind === 'missing') return 'recreate'
  return after.kind === 'file' && after.merged ? 'merge' : 'restore'
}

function outcomeNote(outcome: PathOutcome) {
  const { before, after } = outcome
  if (before.kind === 'directory' && after.kind === 'directory')
    return isChanged(outcome) ? 'The permissions of the folder are restored.' : 'The folder is kept.'
  if (after.kind === 'file' && after.merged) return 'Later changes in the file are kept.'
  return undefined
}

/** Reports changes of a file's content and of its execute permission. */
async function diffOutcome(
  { path, from = path, before, after }: PathOutcome,
  draft: WorkspaceOverlay,
  { host, signal }: ReadContext
) {
  const was = from === path ? before : await draft.onDisk(from)
  const [old, now] = hidesAscii(was, after)
    ? [toBinarySide(from, was), toBinarySide(path, after)]
    : [toDiffSide(from, was), toDiffSide(path, after)]
  if (!old && !now) return undefined
  const changes = lineCount(old) + lineCount(now)
  return host.compute.run('fileDiff', { before: old, after: now, changes }, { signal, deadlineMs: DIFF_TIMEOUT_MS })
}

const hidesAscii = (was: EntryState, now: EntryState): boolean => hidesAsciiInDiff(bytesOf(was), bytesOf(now))

const bytesOf = (thing: EntryState) => (thing.kind === 'file' ? thing.bytes : undefined)

const toDiffSide = (path: string, thing: EntryState): Side | undefined =>
  thing.kind === 'file'
    ? { path, text: thing.bytes && decodeForDiff(thing.bytes), executable: isExecutable(thing) }
    : undefined

const toBinarySide = (path: string, thing: EntryState): Side | undefined =>
  thing.kind === 'file' ? { path, text: undefined, executable: isExecutable(thing) } : undefined

const isExecutable = ({ mode = 0 }: FileState) => (mode & 0o100) !== 0

const lineCount = (side: Side | undefined) => side?.text?.split('\n').length ?? 0
