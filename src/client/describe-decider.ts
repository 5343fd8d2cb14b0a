// Formats who decided on a call.

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
  const names = [...earlier_approvals, last].map(describeOne).filter(name => name !== undefined)
  return names.length > 0 ? names.join(' and ') : undefined
}

function describeOne({ token, channel, client = channel, source }: Decider): string | undefined {
  if (token === undefined) return client ?? source
  return client === undefined || client === token.name ? token.name : `${token.name} (${client})`
}
