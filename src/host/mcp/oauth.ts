// Leave to speak with a remote server, by OAuth: the tokens of an earlier login, refreshed where they can be, or a secret of
// the configuration. Nobody is asked to log in here; see `login.ts`.
import type {
  AuthProvider,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthTokens,
  StoredOAuthClientInformation
} from '@modelcontextprotocol/client'
import type { Environment } from '../processes/environment.ts'
import { Hopeless } from './errors.ts'
import { expanded } from './expand-env.ts'
import type { Kept, KeptLogin, Logins } from './token-store.ts'
import type { Entry } from './workspace-mcp-server.ts'

interface Place {
  url: string
  environment: Environment
  logins: Logins
}

export async function providerFor(entry: Entry, place: Place): Promise<AuthProvider | OAuthClientProvider> {
  const { oauth = {} } = entry.config
  if (oauth.grant === 'client_credentials') return withSecret(entry, place)
  const kept = place.logins.to(entry.name, place.url)
  const { auth, UnauthorizedError } = await import('@modelcontextprotocol/client')
  return {
    token: async () => kept.read().tokens?.access_token,
    async onUnauthorized({ serverUrl, fetchFn }) {
      if (kept.read().tokens?.refresh_token === undefined) throw new UnauthorizedError('no login')
      const provider = new LoginProvider(entry, place, kept, undefined)
      const result = await auth(provider, { serverUrl, fetchFn }).catch(() => 'REDIRECT' as const)
      if (result !== 'AUTHORIZED') throw new UnauthorizedError('the login holds no longer')
    }
  }
}

async function withSecret(
  { config: { oauth = {} } }: Entry,
  { environment, logins }: Place
): Promise<OAuthClientProvider> {
  const { client_id, client_secret, scope, issuer } = oauth
  // Without the issuer it would be the server that says who gets the secret.
  if (client_id === undefined || client_secret === undefined || issuer === undefined)
    throw new Hopeless('`oauth` of its entry needs `client_id`, `client_secret` and `issuer` for client_credentials')
  const { ClientCredentialsProvider } = await import('@modelcontextprotocol/client')
  class Hiding extends ClientCredentialsProvider {
    override saveTokens(tokens: OAuthTokens) {
      logins.hide(tokens)
      super.saveTokens(tokens)
    }
  }
  return new Hiding({
    clientId: expanded(client_id, environment),
    clientSecret: expanded(client_secret, environment),
    clientName: 'Toolgate',
    expectedIssuer: issuer,
    ...(scope !== undefined && { scope })
  })
}

/** Somebody who logs in, or did so before. */
export class LoginProvider implements OAuthClientProvider {
  readonly redirectUrl: string
  /** Set once the browser is to be sent there. */
  authorization_url: string | undefined
  readonly #entry: Entry
  readonly #place: Place
  readonly #kept: KeptLogin
  readonly #state: string | undefined

  constructor(entry: Entry, place: Place, kept: KeptLogin, back: { url: string; state: string } | undefined) {
    this.#entry = entry
    this.#place = place
    this.#kept = kept
    this.#state = back?.state
    this.redirectUrl = back?.url ?? 'http://127.0.0.1/callback'
  }

  get clientMetadata(): OAuthClientMetadata {
    const { scope, client_secret } = this.#entry.config.oauth ?? {}
    return {
      client_name: 'Toolgate',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: client_secret === undefined ? 'none' : 'client_secret_basic',
      ...(scope !== undefined && { scope })
    }
  }

  state(): string {
    return this.#state ?? ''
  }

  /** As it is configured, else as we have registered ourselves. */
  clientInformation(): StoredOAuthClientInformation | undefined {
    const { client_id, client_secret, issuer } = this.#entry.config.oauth ?? {}
    if (client_id === undefined) return this.#kept.read().client
    const { environment } = this.#place
    return {
      client_id: expanded(client_id, environment),
      ...(client_secret !== undefined && { client_secret: expanded(client_secret, environment) }),
      ...(issuer !== undefined && { issuer })
    }
  }

  saveClientInformation(client: StoredOAuthClientInformation) {
    this.#kept.keep({ client })
  }

  tokens() {
    return this.#kept.read().tokens
  }

  saveTokens(tokens: NonNullable<Kept['tokens']>) {
    this.#kept.keep({ tokens, verifier: undefined })
  }

  redirectToAuthorization(url: URL) {
    this.authorization_url = url.href
  }

  saveCodeVerifier(verifier: string) {
    this.#kept.keep({ verifier })
  }

  codeVerifier(): string {
    return this.#kept.read().verifier ?? ''
  }

  saveDiscoveryState(discovery: NonNullable<Kept['discovery']>) {
    this.#kept.keep({ discovery })
  }

  discoveryState() {
    return this.#kept.read().discovery
  }

  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery') {
    if (scope === 'all') this.#kept.forget()
    else this.#kept.keep({ [scope]: undefined })
  }
}
