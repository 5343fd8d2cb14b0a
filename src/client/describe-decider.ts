// Formats who decided on a call.
import { formatDecider } from '../protocol/format-decider.ts'

interface Decider {
  token?: { name: string } | undefined
  client?: string | undefined
  channel?: string | undefined
  source?: string
}

/** The last decider, and those who approved before. */
interface Deciders extends Decider {
  earlier_approvals?: readonly Decider[] | undefined
}

/** Returns the name of the token with the label of the client, or else what is known: `Ada (console)`, `Ada (emacs) and Bob`. */
export function describeDecider({ earlier_approvals = [], ...last }: Deciders): string | undefined {
  const names = [...earlier_approvals, last].map(decider => formatDecider({ source: '', ...decider }))
  const known = names.filter(name => name !== '')
  return known.length > 0 ? known.join(' and ') : undefined
}
