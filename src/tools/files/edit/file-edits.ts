// Common parts of the editing tools: read the file, compute the edits, and describe how they matched.
import { type Static, Type } from 'typebox'
import { invalidParam, ToolError } from '../../../errors.ts'
import type { FileSnapshot } from '../../../host/files/file-snapshot.ts'
import { parseEncoding } from '../../../host/files/parse-encoding.ts'
import { unifiedDiff } from '../../../text/diff/unified-diff.ts'
import { type Edit, MATCH_KINDS, type MatchKind } from '../../../text/edit/apply-edit.ts'
import { toPercent } from '../../../text/edit/format-similarity.ts'
import type { AppliedEdit, EditPlan } from '../../../text/edit/plan-edits.ts'
import type { DetectedEncoding, Encoding } from '../../../text/encoding.ts'
import type { ReadContext, RunContext } from '../../../tool/contexts.ts'
import type { Plan } from '../../../tool/plan.ts'
import { describeOtherReading, writtenEncodingNotes } from '../diff-notes.ts'
import {
  assertCertainEncoding,
  describeUncertain,
  inexactTextError,
  nonTextError,
  otherEncodingError,
  REENCODE_HINT,
  wrongGuessHint
} from '../text-errors.ts'
import { withUnsaved } from '../unsaved-hint.ts'
import {
  describeChange,
  EDIT_WITHHELD_NOTE,
  type PlannedChange,
  savePlanned,
  snapshotToEdit
} from './planned-change.ts'

/** Time limit for finding the matches. */
const SEARCH_TIMEOUT_MS = 5_000

/** Params of one edit. */
export const EDIT_PARAMS = {
  old: Type.String({
    minLength: 1,
    description: 'Text to replace, with enough context to be unique.'
  }),
  new: Type.String({ description: 'Replacement, taken literally.' }),
  replace_all: Type.Optional(Type.Boolean({ description: 'Replace all occurrences.' }))
}

/** Additional params of both editing tools. */
export const EDITED_FILE_PARAMS = {
  encoding: Type.Optional(
    Type.String({
      description: 'File encoding, such as shift_jis, if detected wrongly.'
    })
  )
}

/** Outcome of one edit. */
export const EDIT_OUTCOME_FIELDS = {
  replacements: Type.Integer({ description: 'Number of replacements.' }),
  match: Type.Enum([...MATCH_KINDS], {
    description: 'How the old text was found: exactly, or with a tolerated difference.'
  }),
  similarity: Type.Number({
    description: 'Similarity of the old text to the found text, from 0 to 1; 1 if the match is not fuzzy.'
  }),
  uncertain: Type.Optional(
    Type.Literal(true, {
      description: 'True if the old text had no indentation, so the indentation of the new text may be wrong.'
    })
  )
}

/** Saves the edited file and reports the change. What was planned blindly is computed now. */
export async function applyEdits(given: EditsOfFile, ctx: RunContext, planned: PlannedEdits | undefined) {
  const { edits, ...change } = planned ?? (await planFileEdits(given, ctx))
  const { path, ...rest } = await savePlanned(given.path, change, ctx)
  return { path, edits, ...rest }
}

type EditParams = Static<ReturnType<typeof Type.Object<typeof EDIT_PARAMS>>>

/** Edits of one file, each with the pointer to its params. */
interface EditsOfFile {
  path: string
  encoding?: string | undefined
  edits: readonly { at: string; edit: EditParams }[]
}

export interface PlannedEdits extends PlannedChange {
  edits: AppliedEdit[]
}

/** Computes the edits without saving them. */
export async function planFileEdits(
  { path, edits: given, encoding }: EditsOfFile,
  ctx: ReadContext
): Promise<PlannedEdits> {
  for (const { at, edit } of given) {
    if (edit.old === edit.new) throw invalidParam(`${at}new`, 'must differ from the old text.')
    if (!edit.new.isWellFormed()) throw invalidParam(`${at}new`, 'is not valid Unicode.')
  }
  const requested = encoding === undefined ? undefined : parseEncoding(encoding)
  const was = await snapshotToEdit(path, ctx)
  const plan = await computePlan(was, given, requested, ctx)
  if (plan.outcome === 'edited') {
    const { encoding, edits, otherReading } = plan
    const detected: DetectedEncoding = { encoding, ...(plan.guessed && { guessed: true }) }
    for (const { edit } of given) assertCertainEncoding(path, detected, { removed: edit.old, added: edit.new })
    const strict = otherReading && { strictReason: describeOtherReading(encoding, otherReading) }
    return { was, ...describeChange(plan), ...strict, edits }
  }
  if (plan.outcome === 'other_encoding') throw otherEncodingError(path, plan.encoding)
  if (plan.outcome === 'not_text') throw nonTextError(path, was.bytes!)
  if (plan.outcome === 'inexact') throw inexactTextError(path, plan.encoding)
  const { at, edit } = given[plan.edit]!
  if (plan.outcome === 'unchanged') throw invalidParam(`${at}new`, 'is already in the file.')
  if (plan.outcome === 'uncertain_bytes') throw invalidParam(`${at}new`, describeUncertain(plan))
  if (plan.outcome === 'no_notebook') throw invalidParam(`${at}new`, brokenNotebook(path))
  if (plan.outcome === 'unwritable')
    throw invalidParam(
      `${at}new`,
      `has ${plan.character}, which the file's encoding, ${plan.encoding}, cannot represent. ${REENCODE_HINT}`
    )
  throw withUnsaved(unmatchedEditError(was.path, at, edit.old, plan), path, was, ctx.host)
}

const brokenNotebook = (path: string) =>
  `would make the notebook invalid: the old text is in the JSON of ${path}, not in a cell. As the old text, use text of a cell as shown by read_file, or use edit_notebook_cell.`

async function computePlan(
  was: FileSnapshot,
  edits: EditsOfFile['edits'],
  encoding: Encoding | undefined,
  ctx: ReadContext
): Promise<EditPlan> {
  const { host, signal } = ctx
  const input = {
    path: was.path,
    bytes: was.bytes!,
    edits: edits.map(({ edit }) => toEdit(edit)),
    encoding
  }
  try {
    return await host.compute.run('edits', input, { signal, deadlineMs: SEARCH_TIMEOUT_MS })
  } catch (error) {
    if (signal.aborted || !(error instanceof ToolError) || error.code !== 'TIMEOUT') throw error
    const text = `The old text does not occur exactly in ${was.path}. The search for similar text took too long: use a shorter old text.`
    const details = { path: was.path, candidates: [], search_complete: false }
    throw withUnsaved(new ToolError('OLD_TEXT_NOT_FOUND', text, details), was.path, was, host)
  }
}

const toEdit = (edit: EditParams): Edit => ({ old: edit.old, new: edit.new, places: edit.replace_all ? 'all' : 'one' })

type UnmatchedEdit = Extract<EditPlan, { candidates: unknown }>

function unmatchedEditError(path: string, at: string, old: string, plan: UnmatchedEdit) {
  const { outcome, match, candidates, places, repeats, detected } = plan
  const where = candidates.map(({ cell, start_line, end_line, similarity }) => {
    const lines = start_line === end_line ? `line ${start_line}` : `lines ${start_line} to ${end_line}`
    return `${cell === undefined ? '' : `cell ${cell}, `}${lines} (${formatPercent(similarity)})`
  })
  const details = {
    path,
    pointer: `/params/${at}old`,
    match,
    places,
    candidates: candidates.map(candidate => ({ path, ...candidate })),
    search_complete: true
  }
  // With several edits, the error must name the one concerned.
  const which = at === '' ? '' : `${details.pointer}: `
  if (outcome === 'ambiguous') {
    const more = places > where.length ? ' …' : ''
    const text = `${which}The old text occurs ${places} times in ${path}: ${where.join(', ')}${more}. Include more context in the old text, or use replace_all.`
    return new ToolError('AMBIGUOUS_MATCH', text, details)
  }
  const nearest = where.length > 0 ? ` Nearest: ${where.join(', ')}.` : ''
  const advice = repeats ? REPEATS_ADVICE : wrongGuessHint(detected, old)
  return new ToolError(
    'OLD_TEXT_NOT_FOUND',
    `${which}The old text does not occur in ${path}.${nearest}${advice}`,
    details
  )
}

const REPEATS_ADVICE =
  ' The new text begins or ends with a line that the file already has next to the old text. To avoid a duplicate, include this line in the old text.'

/** Returns a note on an edit that did not match exactly. */
export function matchNote({ match, similarity, uncertain }: AppliedEdit): string | undefined {
  if (match === 'fuzzy')
    return `The old text does not occur exactly. The most similar text (${formatPercent(similarity)}) is replaced.`
  const notes = [MATCH_NOTES[match] ?? [], uncertain ? UNCERTAIN_NOTE : []].flat()
  return notes.length > 0 ? notes.join(' ') : undefined
}

/** Returns the reason why an edit needs approval, whatever the rules: it replaces, or writes, something other than was quoted. */
export const reviewReason = (edit: AppliedEdit): string | undefined =>
  edit.match === 'fuzzy' || edit.match === 'escapes' || edit.uncertain ? matchNote(edit) : undefined

const UNCERTAIN_NOTE = 'The old text has no indentation, so the indentation of the new text may be wrong.'

const MATCH_NOTES: Record<Exclude<MatchKind, 'fuzzy'>, string | undefined> = {
  exact: undefined,
  line_endings: 'The old text was found with different line endings.',
  whitespace: 'The old text was found with different white space at line ends.',
  indentation:
    'The old text was found with a different indentation. The new text was indented in the same way as the found text.',
  escapes:
    'The old text was found only after its escape sequences were changed. The escape sequences of the new text were changed in the same way.',
  look_alikes: 'The old text was found with look-alike characters. The new text is written exactly as given.'
}

const formatPercent = (similarity: number) => `${toPercent(similarity)} %`

/**
 * Plans edits of a file that the caller may not read, from the params only: the caller sees the preview of its call before permission
 * to read the file is granted.
 */
export function planBlindly({ path, edits, encoding }: EditsOfFile): Plan<undefined> {
  const requested = encoding === undefined ? undefined : parseEncoding(encoding)
  return {
    state: undefined,
    reasons:
      requested === undefined || requested === 'utf-8'
        ? { ask: EDIT_WITHHELD_NOTE }
        : { strict: `${EDIT_WITHHELD_NOTE} The file is written in ${requested}.` },
    preview: () => ({
      title: `Edit ${path}`,
      diff: edits.map(({ edit }) => unifiedDiff(path, edit.old, edit.new).diff).join(''),
      notes: [EDIT_WITHHELD_NOTE, ...(requested === undefined ? [] : writtenEncodingNotes(requested))]
    })
  }
}
