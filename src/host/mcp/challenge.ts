// Remembers what a server asks for when it refuses a request (`WWW-Authenticate`), for the next login: where its metadata are, and
// the scope. https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
import type { FetchLike } from '@modelcontextprotocol/client'
import type { AuthChallenge, StoredLogin } from './token-store.ts'

const REFUSALS: ReadonlySet<number> = new Set([401, 403])

/** Wraps a fetch: what the server at this address asks for is stored with its login. */
export function rememberChallenges(fetch: FetchLike, serverUrl: string, login: StoredLogin): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init)
    if (REFUSALS.has(response.status) && new URL(url).href === new URL(serverUrl).href) {
      const challenge = await readChallenge(response, login)
      if (challenge && JSON.stringify(challenge) !== JSON.stringify(login.read().challenge)) login.save({ challenge })
    }
    return response
  }
}

/** Asks a server without credentials, so that it says what it wants. */
export async function provokeChallenge(fetch: FetchLike, serverUrl: string): Promise<void> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const response = await fetch(serverUrl, { method: 'POST', headers, body }).catch(() => undefined)
  await response?.body?.cancel()
}

async function readChallenge(response: Response, login: StoredLogin): Promise<AuthChallenge | undefined> {
  const { extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client')
  const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(response)
  const widened = response.status === 403 && error === 'insufficient_scope'
  if ((response.status === 403 && !widened) || (!resourceMetadataUrl && scope === undefined)) return undefined
  const { tokens, requested_scope, challenge } = login.read()
  return {
    resource_metadata: resourceMetadataUrl?.href ?? challenge?.resource_metadata,
    scope: widened ? unite(tokens?.scope ?? requested_scope, scope) : scope,
    ...(widened && { widened })
  }
}

/** Unites lists of scopes, separated by blanks. */
function unite(...scopes: (string | undefined)[]): string | undefined {
  const all = new Set(scopes.flatMap(scope => scope?.split(' ').filter(Boolean) ?? []))
  return all.size === 0 ? undefined : [...all].join(' ')
}
