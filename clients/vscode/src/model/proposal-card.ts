// The card of a text that an agent proposes for a file.
import type { EffectParams } from '../../../../src/client/client.ts'
import { writeDiff } from './call-card.ts'
import type { Card } from './card.ts'
import { CardWriter } from './card-writer.ts'

export type Proposal = EffectParams<'editor.show_diff'>

export function writeProposalCard({ path, before, after, diff }: Proposal): Card {
  const card = new CardWriter()
  card.line(`Proposed for ${path}${before === undefined ? ', a new file' : ''}`)
  card.line('Accepting does not save the file: the accepted text is sent to the agent.')
  writeDiff(card, diff, [{ path, ...(before !== undefined && { before }), after }])
  return card.card
}
