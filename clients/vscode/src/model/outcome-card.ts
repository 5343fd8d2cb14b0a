// The card of a call that no longer waits.
import type { Call } from '../../../../src/client/client.ts'
import { formatRejectionMessage } from '../../../../src/text/rejection-message.ts'
import type { Card } from './card.ts'
import { CardWriter } from './card-writer.ts'
import { describeEnd } from './describe-end.ts'
import type { WaitingEntry } from './waiting-calls.ts'

/** Maximum number of lines of the output that are shown. */
const MAX_OUTPUT_LINES = 200

/** Returns the card right after a decision, or after another end of the wait. */
export function writeSettledCard({ call }: WaitingEntry, outcome: string): Card {
  const card = new CardWriter()
  card.line(`${call.tool}: ${call.approval.preview.title}`)
  card.gap()
  card.line(outcome)
  card.gap()
  card.line(call.tool_call_id)
  return card.card
}

/** Returns the card of a call with its result. */
export function writeOutcomeCard(call: Call): Card {
  const card = new CardWriter()
  card.line(`${call.tool}: ${getCallTitle(call)}`)
  card.gap()
  card.line(describeEnd(call))
  const data = 'result' in call ? (call.result as { data?: { exit_code?: unknown } } | undefined)?.data : undefined
  if (typeof data?.exit_code === 'number') card.line(`Exit code ${data.exit_code}`)
  if ('changes' in call && call.changes?.length) {
    card.heading('Changed files')
    for (const { operation, path } of call.changes) card.line(`${operation}  ${path}`)
    if (call.undo && !call.undo.available) card.line(`Undo is not possible: ${call.undo.reason ?? 'not available'}`)
  }
  if (call.status === 'rejected' && call.comments?.length) {
    card.heading('Comments')
    card.quote(formatRejectionMessage({ comments: call.comments })!)
  }
  card.heading('Parameters')
  card.quote(JSON.stringify(call.params, null, 2))
  if (call.status === 'success' && call.result.content.trim() !== '') writeOutput(card, call.result.content)
  card.gap()
  card.line(call.tool_call_id)
  return card.card
}

function writeOutput(card: CardWriter, content: string) {
  const lines = content.trimEnd().split('\n')
  card.heading('Result')
  card.quote(lines.slice(0, MAX_OUTPUT_LINES).join('\n'))
  if (lines.length > MAX_OUTPUT_LINES) card.line(`… ${lines.length - MAX_OUTPUT_LINES} more lines: open the console`)
}

/** Returns the title of a call: that of its preview, or of its result. */
export function getCallTitle(call: Call): string {
  const shown = 'approval' in call ? call.approval?.preview.title : undefined
  return shown ?? (call.status === 'success' ? call.result.title : call.tool)
}
