// Errors of decisions, shown on the cards.
import { signal } from '@preact/signals'

/** Error of a decision, by call. */
export const decisionErrors = signal<ReadonlyMap<string, string>>(new Map())

export function setDecisionError(id: string, failure: string | undefined) {
  const next = new Map(decisionErrors.peek())
  if (failure === undefined) next.delete(id)
  else next.set(id, failure)
  decisionErrors.value = next
}
