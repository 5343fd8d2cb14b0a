// Formats who decided on a call, as the server and the hub record it.

interface Decider {
  source: string
  token?: { name: string } | undefined
  client?: string | undefined
  channel?: string | undefined
}

/** Formats who decided: the name of the token, with the label of the client, or the channel of the notification. */
export const formatDecider = ({ token, channel, client = channel, source }: Decider): string =>
  token === undefined
    ? (client ?? source)
    : client === undefined || client === token.name
      ? token.name
      : `${token.name} (${client})`
