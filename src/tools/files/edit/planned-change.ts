// Changes of a file that is read first: the snapshot, what is written, and what a review shows of it.
import { Type } from 'typebox'
import { ToolError } from '../../../errors.ts'
import { type FileSnapshot, MAX_HASHED_FILE_BYTES } from '../../../host/files/file-snapshot.ts'
import { DIFF_TRUNCATED } from '../../../protocol/truncated-diff.ts'
import { limitOutputDiff } from '../../../text/diff/output-diff.ts'
import type { ChangedText } from '../../../text/edit/change-text.ts'
import type { Encoding } from '../../../text/encoding.ts'
import { describeHiddenAscii } from '../../../text/hidden-ascii.ts'
import type { ReadContext, RunContext } from '../../../tool/contexts.ts'
import type { Request, ReviewReasons } from '../../../tool/request.ts'
import { guessNote, writtenEncodingNotes } from '../diff-notes.ts'
import { GIT_PATCH } from '../patch/git-patch.ts'
import { withUnsaved } from '../unsaved-hint.ts'

/** Output fields of the editing tools. */
export const EDITED_FILE_FIELDS = {
  diff: Type.String({
    description: 'Changes as a unified diff. If only cell sources of a notebook changed, a diff of these sources.'
  }),
  diff_truncated: DIFF_TRUNCATED,
  git_patch: GIT_PATCH,
  encoding: Type.Optional(Type.String({ description: 'Encoding of the file, if not UTF-8.' })),
  notes: Type.Optional(
    Type.Array(Type.String({ description: 'A sentence.' }), { description: 'Notes on a guessed encoding.' })
  ),
  hash: Type.String({ description: 'sha256 of the new content.' })
}

/** The file is read as well as written: answers, errors too, reveal parts of it. */
export const editRequest = ({ path, if_match }: { path: string; if_match?: string }): Request => ({
  paths: [
    { path, access: 'write', if_match },
    { path, access: 'read' }
  ]
})

/** A file and its planned content. */
export interface PlannedChange {
  was: FileSnapshot
  bytes: Buffer
  diff: { diff: string; added: number; removed: number }
  patch: { git_patch?: string }
  encoding: Encoding
  notes: string[]
  /** Reason for which it needs strict approval. */
  strictReason?: string
}

/** Returns the file to edit. */
export async function snapshotToEdit(path: string, { host }: ReadContext): Promise<FileSnapshot & { bytes: Buffer }> {
  const was = await host.files.snapshot(path)
  if (!was) throw withUnsaved(new ToolError('FILE_NOT_FOUND', `${path} does not exist.`, { path }), path, was, host)
  if (was.bytes) return was as FileSnapshot & { bytes: Buffer }
  const text = `${path} has ${was.size} bytes; files over ${MAX_HASHED_FILE_BYTES} cannot be edited.`
  throw new ToolError('TOO_LARGE', text, { path })
}

/** Returns the parts of a plan that follow from the new text. */
export function describeChange({
  bytes,
  diff,
  encoding,
  guessed,
  hiddenAscii,
  git_patch
}: ChangedText): Omit<PlannedChange, 'was'> {
  return {
    bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    diff,
    patch: git_patch === undefined ? {} : { git_patch },
    encoding,
    notes: guessed ? [guessNote(encoding)] : [],
    // The diff may not show what other programs read in the file.
    ...(hiddenAscii !== undefined && { strictReason: describeHiddenAscii(encoding, hiddenAscii) })
  }
}

/** Saves the planned content and reports the change. */
export async function savePlanned(path: string, planned: PlannedChange, { host }: RunContext) {
  const { was, bytes, diff, patch, encoding, notes } = planned
  const { added, removed } = diff
  const written = await host.files.replace(path, was, bytes, () => ({ added, removed }))
  return {
    path: written.path,
    ...limitOutputDiff({ diff: diff.diff, ...patch }),
    ...(encoding !== 'utf-8' && { encoding }),
    ...(notes.length > 0 && { notes }),
    hash: written.hash
  }
}

/** Returns what the preview of edits says of the file's encoding. */
export const previewEncoding = ({ encoding, notes, strictReason }: PlannedChange): string[] => [
  ...(notes.length > 0 ? notes : writtenEncodingNotes(encoding)),
  ...(strictReason === undefined ? [] : [strictReason])
]

/** Returns why edits need approval whatever the rules: by their encoding, or by these reasons of single edits. */
export function reviewEdits({ strictReason }: PlannedChange, reasons: readonly string[]): { reasons?: ReviewReasons } {
  if (strictReason !== undefined) return { reasons: { strict: strictReason } }
  return reasons.length > 0 ? { reasons: { ask: reasons.join(' ') } } : {}
}

export const EDIT_WITHHELD_NOTE =
  'Reading the file requires approval: the result shows if the old text occurs, and at which lines, after approval.'
