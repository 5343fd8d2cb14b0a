// The card of a call that no longer waits.
import type { Card } from './card.ts'
import { CardWriter } from './card-writer.ts'
import type { WaitingEntry } from './waiting-calls.ts'

/** Returns the card after a decision, or another end of the wait. */
export function writeSettledCard({ call }: WaitingEntry, outcome: string): Card {
  const card = new CardWriter()
  card.line(`${call.tool}: ${call.approval.preview.title}`)
  card.gap()
  card.line(outcome)
  card.gap()
  card.line(call.tool_call_id)
  return card.card
}
