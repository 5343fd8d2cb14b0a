// The card of a waiting call: its effect, its reason, its warnings and its parameters.
import type { Approval, PreviewFile, PreviewSection } from '../../../../src/client/client.ts'
import { describeApprovals } from '../../../../src/protocol/format-approval-count.ts'
import { escapeInvisible } from '../../../../src/text/escape-invisible.ts'
import type { Card } from './card.ts'
import { CardWriter } from './card-writer.ts'
import { readDiffLines } from './diff-lines.ts'
import { formatDeadline } from './format-time.ts'
import type { WaitingEntry } from './waiting-calls.ts'

const HAS_INVISIBLE = 'Contains invisible characters, shown as \\u{…}.'

/** Returns the card of a waiting call, with its edited params if there are any. */
export function writeCallCard(entry: WaitingEntry, now: Date): Card {
  const { call, edited, whole, overtakenBy } = entry
  const { level, reason, matched_rules } = edited?.approval ?? call.approval
  const preview = edited?.approval.preview ?? whole?.preview ?? call.approval.preview
  const params = edited?.params ?? call.params
  const card = new CardWriter()
  card.line(`${call.tool}: ${preview.title}`)
  card.line(`Reason: ${reason}${level === 'strict' ? ' (strict: confirmation required)' : ''}`)
  card.line(describeOrigin(entry, now))
  if (call.context !== undefined) card.quote(call.context)
  if (overtakenBy !== undefined)
    card.line(`! ${overtakenBy} has changed: if the effect differs, approving only shows the new preview.`)
  for (const note of preview.notes ?? []) card.line(`! ${note}`, { isRequired: true })
  if (hasInvisible([preview, params, call.context])) card.line(`! ${HAS_INVISIBLE}`, { isRequired: true })
  for (const fact of preview.information ?? []) card.line(`· ${fact}`, { isRequired: true })
  if (preview.text !== undefined) writeEffect(card, preview.text, preview.sections ?? [])
  // The texts of the files belong to the call as it was requested.
  if (preview.diff) writeDiff(card, preview.diff, edited ? [] : (whole?.files ?? []))
  card.heading(edited ? 'Parameters, edited by you' : 'Parameters')
  card.quote(JSON.stringify(params, null, 2), {
    isRequired: preview.text === undefined && !preview.diff && hasEntries(params)
  })
  card.gap()
  card.line(call.tool_call_id)
  for (const { tier, effect, reason: why } of matched_rules) card.line(`rule: ${tier}, ${effect}: ${why}`)
  return card.card
}

/** Adds the text of a preview: the command, then each file that it executes under a heading. */
function writeEffect(card: CardWriter, text: string, sections: readonly PreviewSection[]) {
  const lines = text.split('\n')
  const [first] = sections
  card.heading('Effect')
  card.quote(joinLines(lines.splice(0, first?.lines ?? lines.length)), REQUIRED)
  for (const { lines: count } of sections.slice(1)) {
    const [heading = '', ...content] = lines.splice(0, count)
    card.heading(heading.replace(/:$/, ''), REQUIRED)
    // In the plain text the content is indented; here the bar distinguishes it from headings.
    const shown = joinLines(content.map(line => line.replace(/^ {4}/, '')))
    if (shown !== '') card.quote(shown, REQUIRED)
  }
  const rest = joinLines(lines)
  if (rest !== '') card.quote(rest, REQUIRED)
}

const REQUIRED = { isRequired: true }

/** Joins lines, without empty ones at the end. */
const joinLines = (lines: readonly string[]) => lines.join('\n').replace(/\n+$/, '')

/** Adds a diff. Its changes are required, wherever they are displayed. */
export function writeDiff(card: CardWriter, diff: string, files: readonly PreviewFile[]) {
  card.heading('Changes')
  for (const { text, kind, shownAt } of readDiffLines(diff, files))
    card.line(text, { isRequired: kind !== 'header' && kind !== 'context', shownAt })
}

/** Returns the preview that the card of a call shows. */
export const getShownPreview = ({ call, edited, whole }: WaitingEntry): Approval['preview'] =>
  edited?.approval.preview ?? whole?.preview ?? call.approval.preview

function describeOrigin({ call }: WaitingEntry, now: Date): string {
  const { agent, session_id, client, approval } = call
  const deadline = formatDeadline(approval.expires_at, now)
  const approvals = describeApprovals(approval)
  return [
    ...(agent === undefined ? [] : [`agent ${agent}`]),
    `session ${session_id}`,
    `client ${client}`,
    ...(approvals === undefined ? [] : [approvals]),
    ...(deadline === undefined ? [] : [deadline])
  ].join(' · ')
}

const hasEntries = (params: unknown) => typeof params === 'object' && params !== null && Object.keys(params).length > 0

/** Returns true if a text in the value has invisible characters. */
function hasInvisible(value: unknown): boolean {
  if (typeof value === 'string') return escapeInvisible(value) !== value
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, each]) => hasInvisible(name) || hasInvisible(each))
}
