// Formats who decided on a call.

interface Decider {
  token?: { name: string } | undefined
  client?: string | undefined
  channel?: string | undefined
  source?: string
}

/** Returns the name of the token with the label of the client, or else what is known: `Ada (console)`. */
export function describeDecider({ token, channel, client = channel, source }: Decider): string | undefined {
  if (token === undefined) return client ?? source
  return client === undefined || client === token.name ? token.name : `${token.name} (${client})`
}
