// Limits of previews: those in calls and events are cut, so that no caller can make answers for approvers too large to be read, sent or
// stored. The whole is available by reference, and only what was shown whole is approved.
import { ToolError } from '../../errors.ts'
import type { Approval, Call, Preview } from '../../protocol/calls.ts'
import { cutDiff } from '../../text/diff/cut-diff.ts'
import { shortenLongLines } from '../../text/diff/long-lines.ts'
import { formatCutNote } from './whole-preview.ts'

/** Maximum numbers of characters of the parts of a preview, of bytes of its diff as JSON, and of notes. */
export interface PreviewLimits {
  /** The text about the call itself. */
  text: number
  /** One executed file, and all of them. */
  source: number
  sources: number
  diff: number
  notes: number
  note: number
}

/** Limits of previews that are part of calls and events. */
export const CUT_PREVIEW: PreviewLimits = {
  text: 32 * 1024,
  source: 32 * 1024,
  sources: 96 * 1024,
  diff: 32 * 1024,
  notes: 50,
  note: 2_000
}
export const WHOLE_PREVIEW: PreviewLimits = {
  text: Number.POSITIVE_INFINITY,
  source: Number.POSITIVE_INFINITY,
  sources: Number.POSITIVE_INFINITY,
  diff: Number.POSITIVE_INFINITY,
  notes: Number.POSITIVE_INFINITY,
  note: Number.POSITIVE_INFINITY
}
/** Maximum number of characters of a whole preview: more can be shown to no approver. */
const MAX_WHOLE_LENGTH = 32 * 1024 * 1024

type LimitedPreview = Preview & { cut?: true | undefined }

/** Shortens long lines of the diff and cuts what exceeds the limits; sets `cut` if something is missing. */
export function limitPreview<P extends LimitedPreview>(preview: P, limits: PreviewLimits): P {
  const text = preview.text === undefined ? undefined : cutText(preview.text, limits.text)
  const shortened = preview.diff === undefined ? undefined : shortenLongLines(preview.diff)
  const diff = shortened === undefined ? undefined : cutDiff(shortened, limits.diff)
  const notes = cutNotes(preview.notes, limits)
  const information = cutNotes(preview.information, limits)
  const isCut = text?.isCut || (diff?.missing ?? 0) > 0 || notes.isCut || information.isCut
  const allInformation = [
    ...(information.lines ?? []),
    ...(shortened === preview.diff ? [] : [LONG_LINES]),
    ...(diff && diff.missing > 0 ? [formatMissingLines(diff.missing)] : [])
  ]
  return {
    ...preview,
    ...(text && { text: text.shown }),
    ...(diff && { diff: diff.diff }),
    ...(notes.lines && { notes: notes.lines }),
    ...(allInformation.length > 0 && { information: allInformation }),
    ...(isCut && { cut: true as const })
  }
}

const LONG_LINES = 'Long lines of the diff are shortened to the changes and some characters around them.'
const formatMissingLines = (count: number) =>
  count === 1
    ? '1 line of the diff is missing or shortened here.'
    : `${count} lines of the diff are missing or shortened here.`

/** Limits the preview of a call that an earlier version stored without limits. */
export function withLimitedPreview<C extends Call>(call: C): C {
  const { approval } = call as { approval?: Approval }
  const preview = approval && limitStoredPreview(approval.preview, call.tool_call_id)
  return preview === approval?.preview ? call : { ...call, approval: { ...approval, preview } }
}

function limitStoredPreview(preview: Preview, tool_call_id: string): Preview {
  if (countCharacters(preview) <= MAX_STORED_LENGTH) return preview
  const { sections: _, ...plain } = preview
  const limits = { ...CUT_PREVIEW, text: 2 * CUT_PREVIEW.text + CUT_PREVIEW.sources }
  // Sections describe the lines of a text that is not cut.
  const limited = limitPreview(
    preview.text !== undefined && preview.text.length > limits.text ? plain : preview,
    limits
  )
  if (!limited.cut || preview.cut) return limited
  return { ...limited, notes: [formatCutNote(tool_call_id), ...(limited.notes ?? [])] }
}

/** Maximum number of characters of a stored preview that is within the limits for certain. */
const MAX_STORED_LENGTH = 32 * 1024

/** Throws TOO_LARGE if no front end could show all of a preview. */
export function assertShowable(preview: Preview) {
  if (countCharacters(preview) <= MAX_WHOLE_LENGTH) return
  const length = countCharacters(limitPreview(preview, WHOLE_PREVIEW))
  if (length <= MAX_WHOLE_LENGTH) return
  throw new ToolError(
    'TOO_LARGE',
    `The preview has ${length} characters. The maximum is ${MAX_WHOLE_LENGTH}. Split the call into smaller calls.`,
    { limit: MAX_WHOLE_LENGTH, length }
  )
}

const countCharacters = ({ title, text = '', diff = '', notes = [], information = [] }: Preview) =>
  [title, text, diff, ...notes, ...information].reduce((sum, part) => sum + part.length, 0)

function cutText(text: string, limit: number): { shown: string; isCut: boolean } {
  const { shown, rest } = splitAtLine(text, limit)
  if (rest === '') return { shown, isCut: false }
  return { shown: `${shown}\n[${rest.length} more characters are not shown]`, isCut: true }
}

/** Splits a text at the last line end within the limit. */
export function splitAtLine(text: string, limit: number): { shown: string; rest: string } {
  if (text.length <= limit) return { shown: text, rest: '' }
  const end = text.lastIndexOf('\n', limit)
  const at = end > 0 ? end : limit
  return { shown: text.slice(0, at).toWellFormed(), rest: text.slice(at) }
}

function cutNotes(lines: string[] | undefined, { notes, note }: PreviewLimits) {
  if (lines === undefined) return { lines, isCut: false }
  const shown = lines
    .slice(0, notes)
    .map(line => (line.length > note ? `${line.slice(0, note).toWellFormed()} …` : line))
  const missing = lines.length - shown.length
  return {
    lines: missing > 0 ? [...shown, `${missing} more notes of the call are not shown.`] : shown,
    isCut: missing > 0 || lines.some(line => line.length > note)
  }
}
