// The approval of a call: its preview with all notes, bound to its digest.
import { ToolError } from '../../errors.ts'
import type { Approval, Preview } from '../../protocol/calls.ts'
import { steadyNow } from '../../steady-time.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { redactForDecision } from '../../text/secrets/credentials.ts'
import { joinLines } from '../../text/title-line.ts'
import type { ActiveCall } from '../active-call.ts'
import { CLIENT_EXECUTION_NOTE } from '../client-execution.ts'
import { unsavedNotesBefore } from '../editors/editor-writes.ts'
import type { Engine } from '../engine.ts'
import type { Evaluation } from '../evaluation.ts'
import { hookNotes } from '../hooks/hook-notes.ts'
import { computeGroupKey } from './approval-group.ts'
import { commandNotes } from './command-notes.ts'
import { contentNotes } from './content-notes.ts'
import { computeDigest, isUnchanged } from './digest.ts'
import { evaluateCall } from './evaluate.ts'
import { listFileHrefs } from './preview-files.ts'
import { assertShowable, CUT_PREVIEW, limitPreview, type PreviewLimits } from './preview-limits.ts'
import { joinParts, previewSources, toSections } from './source-previews.ts'
import { formatCutNote } from './whole-preview.ts'

/** Settings of a preview. */
interface PreviewOptions {
  hooks?: ActiveCall['call']['hooks']
  limits?: PreviewLimits
}

interface BuiltPreview {
  preview: Preview
  /** The diff before it was limited, which can be applied. */
  wholeDiff: string | undefined
}

/** A preview for the approver, its digest, and the evaluation that it shows. */
interface BoundPreview extends BuiltPreview {
  digest: string
  evaluation: Evaluation
}

/** Maximum number of attempts while the targets keep changing. */
const MAX_PREVIEW_ATTEMPTS = 20

/** Builds a preview that matches its digest. Evaluates the call again if files change during the build. */
export async function buildStablePreview(
  engine: Engine,
  live: ActiveCall,
  first: Evaluation,
  options: PreviewOptions = {}
): Promise<BoundPreview> {
  let evaluation = first
  for (let attempt = 0; attempt < MAX_PREVIEW_ATTEMPTS; attempt += 1) {
    const digest = await computeDigest(engine, live, evaluation)
    const made = await buildPreview(engine, live, evaluation, options)
    if (isUnchanged(live, evaluation)) return { ...made, digest, evaluation }
    evaluation = await evaluateCall(engine, live, first.params)
    const { decision, code = 'PERMISSION_DENIED', reason } = evaluation.verdict
    if (decision === 'deny') throw new ToolError(code, reason)
  }
  throw new ToolError(
    'CONFLICT',
    'The files of the call keep changing, so no valid preview can be shown. Send the call again when the files no longer change.'
  )
}

/** Builds the approval of a call that a person decides on, whatever its verdict. */
export async function buildApproval(
  engine: Engine,
  live: ActiveCall,
  first: Evaluation,
  { hooks = live.call.hooks, reasonIfAllowed }: { hooks?: ActiveCall['call']['hooks']; reasonIfAllowed?: string } = {}
): Promise<{ approval: Approval; evaluation: Evaluation }> {
  const { ttl_ms } = engine.settings.approval
  const { preview, digest, wholeDiff, evaluation } = await buildStablePreview(engine, live, first, { hooks })
  const { decision, reason, matched_rules, always_options, approver, approvals, expiresAfterMs } = evaluation.verdict
  const files = await listFileHrefs(engine, live, wholeDiff, digest)
  const group = computeGroupKey(engine, live, evaluation, { preview, listsFiles: files !== undefined })
  const approval: Approval = {
    level: decision === 'strict' ? 'strict' : 'ask',
    reason: decision === 'allow' && reasonIfAllowed !== undefined ? reasonIfAllowed : reason,
    ...(approver && { approver }),
    ...(approvals !== undefined && { approvals_needed: approvals }),
    matched_rules,
    preview,
    digest,
    ...(group !== undefined && { group }),
    ...(files && { files }),
    expires_at: findDeadline(ttl_ms, expiresAfterMs),
    available_decisions: ['approve', 'reject'],
    always_options
  }
  return { approval, evaluation }
}

/** Returns when the call expires: after the time of the settings, in which 0 is none, or the shorter one of rules. */
function findDeadline(ttlMs: number, expiresAfterMs = Number.POSITIVE_INFINITY): string | null {
  const ms = Math.min(ttlMs === 0 ? Number.POSITIVE_INFINITY : ttlMs, expiresAfterMs)
  return Number.isFinite(ms) ? new Date(steadyNow() + ms).toISOString() : null
}

/** Builds the preview for the approver. */
async function buildPreview(
  engine: Engine,
  live: ActiveCall,
  evaluation: Evaluation,
  { hooks = live.call.hooks, limits = CUT_PREVIEW }: PreviewOptions
): Promise<BuiltPreview> {
  const whole = await evaluation.toolPreview()
  const own = limitPreview(whole, limits)
  assertShowable(whole)
  const { preview: shown, parts } = evaluation.sources
    ? previewSources(own, evaluation.sources, limits)
    : { preview: own, parts: [] }
  const isCut = 'cut' in own || 'cut' in shown
  const command = commandNotes(evaluation, await findLevelState(engine, evaluation))
  const content = contentNotes(
    parts.length === 0 ? whole : { ...whole, text: joinParts(parts) },
    evaluation.paths.map(({ path }) => path)
  )
  const information = [...content.information, ...(shown.information ?? []), ...command.information]
  const notes = [
    ...(live.call.executor === 'client' ? [CLIENT_EXECUTION_NOTE] : []),
    ...(isCut ? [formatCutNote(live.call.tool_call_id)] : []),
    ...content.notes,
    ...(shown.notes ?? []),
    ...command.notes,
    ...unsavedNotesBefore(engine, evaluation.paths),
    ...hookNotes(hooks)
  ]
  const { title, diff } = shown
  // Escape what a terminal would interpret or hide, including text from the author of the tool.
  const without = (one: string) => escapeInvisible(redactForDecision(engine.masking.maskForDecision(one)))
  const toLine = (one: string) => joinLines(without(one))
  const clean = parts.map(({ text, section }) => ({ text: without(text), section }))
  const text = clean.length > 0 ? joinParts(clean) : shown.text === undefined ? undefined : without(shown.text)
  const preview = {
    title: toLine(title),
    ...(text !== undefined && { text }),
    ...(clean.length > 0 && { sections: toSections(clean) }),
    ...(diff !== undefined && { diff }),
    ...(notes.length > 0 && { notes: notes.map(toLine) }),
    ...(information.length > 0 && { information: information.map(toLine) }),
    ...(command.command_parts && {
      command_parts: command.command_parts.map(part => ({
        ...part,
        text: toLine(part.text),
        reason: toLine(part.reason)
      }))
    }),
    ...(command.alternative && { alternative: command.alternative }),
    ...(isCut && { cut: true as const })
  }
  return { preview, wholeDiff: whole.diff }
}

async function findLevelState({ sandbox }: Engine, { isolation }: Evaluation) {
  const states = isolation ? await sandbox.states() : []
  return states.find(({ level }) => level === isolation?.level)
}
