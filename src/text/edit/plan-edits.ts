// Plans edits of a file, each applied to the result of the previous one, all or none, with the information for a review. Pure:
// may run on another thread.
import { unifiedDiff } from '../diff/unified-diff.ts'
import { type DetectedEncoding, decodeEditable, describeUnencodable, type Encoding, encode } from '../encoding.ts'
import { isLegacyEncoding } from '../legacy-encodings.ts'
import { findOtherReading, type OtherReading } from '../named-encoding.ts'
import { notebookDiff } from '../notebook/cell-diff.ts'
import { isNotebook, parseCells } from '../notebook/notebook-text.ts'
import { applyNotebookEdit } from '../notebook/quoted-edit.ts'
import type { UncertainBytes } from '../replaced-bytes.ts'
import { applyEdit, type Edit, type EditApplied, type EditCandidate, type EditNotApplied } from './apply-edit.ts'
import { type ChangedText, changeText } from './change-text.ts'

/** Input of the plan. Exported because the declarations of the job table name it. */
export interface FileEdits {
  path: string
  bytes: Uint8Array
  edits: readonly Edit[]
  /** The encoding of the bytes, if it is not to be detected. */
  encoding?: Encoding | undefined
}

export type AppliedEdit = Pick<EditApplied, 'replacements' | 'match' | 'similarity' | 'uncertain'>

export interface EditCandidateDiff extends Omit<EditCandidate, 'text'> {
  /** Difference between the quoted and the actual text. */
  diff: string
}

export type EditPlan =
  | (ChangedText & {
      outcome: 'edited'
      /** The text that the bytes have by default, if it is not the one in the named encoding. */
      otherReading?: OtherReading
      edits: AppliedEdit[]
    })
  | { outcome: 'not_text' }
  /** Some bytes are no characters in the encoding, or other characters have other bytes: writing the text would change them. */
  | { outcome: 'inexact'; encoding: Encoding }
  /** The bytes show another encoding than the named one. */
  | { outcome: 'other_encoding'; encoding: Encoding }
  /** The edit's result exists already. */
  | { outcome: 'unchanged'; edit: number }
  /** The file is a notebook, and would be none after this edit. */
  | { outcome: 'no_notebook'; edit: number }
  | (UncertainBytes & { edit: number })
  /** The file's encoding lacks characters of the new text. */
  | { outcome: 'unwritable'; edit: number; encoding: Encoding; character: string }
  | (Omit<EditNotApplied, 'candidates'> & { edit: number; candidates: EditCandidateDiff[]; detected: DetectedEncoding })

const CANDIDATE_LINES = 20

export function planEdits({ path, bytes, edits, encoding }: FileEdits): EditPlan {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const before = decodeEditable(buffer, encoding)
  if (!before) return { outcome: 'not_text' }
  const otherReading = encoding && findOtherReading(buffer, before)
  if (otherReading?.isCertain) return { outcome: 'other_encoding', encoding: otherReading.encoding! }
  if (!before.exact) return { outcome: 'inexact', encoding: before.encoding }
  const hasCells = isNotebook(path) && parseCells(before.text) !== undefined
  const apply = hasCells ? applyNotebookEdit : applyEdit
  let { text } = before
  const applied: AppliedEdit[] = []
  /** The edit after which a notebook is none any more. */
  let breaking: number | undefined
  for (const [at, edit] of edits.entries()) {
    const result = apply(text, before.eol, edit)
    if (result.outcome === 'uncertain_bytes') return { ...result, edit: at }
    if (result.outcome !== 'edited')
      return {
        ...result,
        edit: at,
        candidates: toCandidateDiffs(path, edit.old, result),
        detected: { encoding: before.encoding, ...(before.guessed && { guessed: true }) }
      }
    const last = at === edits.length - 1
    if (result.text === text || (last && result.text === before.text)) return { outcome: 'unchanged', edit: at }
    const { replacements, match, similarity, uncertain } = result
    applied.push({ replacements, match, similarity, ...(uncertain && { uncertain }) })
    text = result.text
    if (hasCells) breaking = parseCells(text) ? undefined : (breaking ?? at)
    if (isLegacyEncoding(before.encoding) && !encode(text, before.encoding))
      return {
        outcome: 'unwritable',
        edit: at,
        encoding: before.encoding,
        character: describeUnencodable(text, before.encoding)
      }
  }
  if (breaking !== undefined) return { outcome: 'no_notebook', edit: breaking }
  const diff = hasCells ? notebookDiff(path, before.text, text) : undefined
  return {
    outcome: 'edited',
    ...changeText({ path, bytes, before, text, diff }),
    ...(otherReading && { otherReading }),
    edits: applied
  }
}

/** Estimates the maximum cost of a plan, in steps of some ten nanoseconds. */
export function estimatePlanSteps({ bytes, edits }: FileEdits): number {
  const looking = edits.reduce((sum, { old }) => sum + (bytes.length * (old.length + 100)) / 100, bytes.length)
  if (looking > MAX_INLINE_STEPS) return looking
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const likening = edits.reduce(
    (sum, { old }) => sum + (text.includes(old) ? 0 : estimateSimilaritySteps(text, old)),
    0
  )
  const lines = edits.reduce((sum, edit) => sum + (edit.places === 'all' ? bytes.length / 5 : countEditLines(edit)), 0)
  return looking + likening + lines * lines * 4
}

/** Exceeds the limit for inline work. */
const MAX_INLINE_STEPS = 1_000_000

/** If every part of a text is somewhat similar, as with repeated lines, each must be compared. A notebook has its lines escaped. */
function estimateSimilaritySteps(text: Buffer, old: string) {
  const chars = text.toString('latin1')
  const stretches = chars.split('\n').length + chars.split('\\n').length
  return stretches * (old.length * 2 + 32) * (old.length / 32 + 1)
}

const countEditLines = (edit: Edit) => edit.old.split('\n').length + edit.new.split('\n').length

const toCandidateDiffs = (path: string, old: string, { candidates }: EditNotApplied): EditCandidateDiff[] =>
  candidates.map(({ text, ...candidate }) => ({ ...candidate, diff: candidateDiff(path, old, text) }))

/** Truncated: a candidate only has to be recognizable. */
function candidateDiff(path: string, old: string, text: string) {
  const wanted = old.endsWith('\n') || !text.endsWith('\n') ? old : `${old}\n`
  const lines = unifiedDiff(path, wanted, text).diff.split('\n').slice(2)
  return lines.length > CANDIDATE_LINES ? [...lines.slice(0, CANDIDATE_LINES), '…'].join('\n') : lines.join('\n')
}
