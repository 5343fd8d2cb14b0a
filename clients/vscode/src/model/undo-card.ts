// The card of an undo: its effect on each file.
import type { Call, UndoPreview } from '../../../../src/client/client.ts'
import { writeDiff } from './call-card.ts'
import type { Card } from './card.ts'
import { CardWriter } from './card-writer.ts'
import { getCallTitle } from './outcome-card.ts'

const ACTIONS: Readonly<Record<UndoPreview['files'][number]['action'], string>> = {
  restore: 'is restored',
  merge: 'is restored, and later changes are kept',
  delete: 'is deleted',
  recreate: 'is created again',
  move_back: 'is moved back',
  nothing: 'is already restored',
  conflict: 'is not changed',
  not_kept: 'cannot be restored'
}

/** Returns the card of the undo of a call. All of it must be displayed before the undo. */
export function writeUndoCard(call: Call, { available, reason, files }: UndoPreview): Card {
  const card = new CardWriter()
  card.line(`Undo ${call.tool}: ${getCallTitle(call)}`)
  if (!available) card.line(`! This call cannot be undone: ${reason ?? 'its changes were not stored'}`)
  for (const { path, action, from, note, conflicts = [], diff, diff_truncated } of files) {
    card.heading(from === undefined ? path : `${from} → ${path}`)
    card.line(`${path} ${ACTIONS[action]}`, { isRequired: true })
    if (note !== undefined) card.line(`! ${note}`, { isRequired: true })
    for (const { message } of conflicts) card.line(`! ${message}`, { isRequired: true })
    if (diff !== undefined) writeDiff(card, diff, [])
    if (diff_truncated) card.line('! The rest of the diff is not shown.', { isRequired: true })
  }
  card.gap()
  card.line(call.tool_call_id)
  return card.card
}
