// Headers of a request that is forwarded to a port of a job.

interface OwnCredentials {
  /** Name of the cookie. */
  cookie: string
  /** Returns true for the value of an Authorization header with a token of this server. */
  isOwnToken(value: string): boolean
}

/** Returns the headers without the credentials of this server. Both are flat lists of names and values. */
export function removeOwnCredentials(raw: readonly string[], { cookie, isOwnToken }: OwnCredentials): string[] {
  const pairs = raw.flatMap((name, i) => (i % 2 === 0 ? [{ name, value: raw[i + 1] ?? '' }] : []))
  return pairs.flatMap(({ name, value }) => {
    const key = name.toLowerCase()
    if (key === 'authorization' && isOwnToken(value)) return []
    if (key !== 'cookie') return [name, value]
    const others = value.split(';').filter(pair => pair.trim().split('=', 1)[0] !== cookie)
    return others.length === 0 ? [] : [name, others.join(';').trim()]
  })
}
