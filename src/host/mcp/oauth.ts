// OAuth authorization for remote servers: tokens of an earlier login, refreshed if possible, or a configured client secret. Never
// interactive; see `login.ts`.
import type {
  AuthProvider,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthTokens,
  StoredOAuthClientInformation
} from '@modelcontextprotocol/client'
import type { Environment } from '../processes/environment.ts'
import { McpConfigurationError } from './errors.ts'
import { expandEnv } from './expand-env.ts'
import type { McpTokenStore, StoredLogin, StoredOAuthState } from './token-store.ts'
import type { McpServerEntry } from './workspace-mcp-server.ts'

interface AuthContext {
  url: string
  environment: Environment
  tokenStore: McpTokenStore
}

export async function createAuthProvider(
  entry: McpServerEntry,
  place: AuthContext
): Promise<AuthProvider | OAuthClientProvider> {
  const { oauth = {} } = entry.config
  if (oauth.grant === 'client_credentials') return clientCredentialsProvider(entry, place)
  const stored = place.tokenStore.forServer(entry.name, place.url)
  const { auth, UnauthorizedError } = await import('@modelcontextprotocol/client')
  return {
    token: async () => stored.read().tokens?.access_token,
    async onUnauthorized({ serverUrl, fetchFn }) {
      if (stored.read().tokens?.refresh_token === undefined) throw new UnauthorizedError('no one has logged in')
      const provider = new OAuthLoginProvider(entry, place, stored, undefined)
      const { resource_metadata } = stored.read().challenge ?? {}
      const resourceMetadataUrl =
        resource_metadata === undefined ? {} : { resourceMetadataUrl: new URL(resource_metadata) }
      const result = await auth(provider, { serverUrl, fetchFn, ...resourceMetadataUrl }).catch(
        () => 'REDIRECT' as const
      )
      if (result !== 'AUTHORIZED') throw new UnauthorizedError('the login has expired')
    }
  }
}

async function clientCredentialsProvider(
  { config: { oauth = {} } }: McpServerEntry,
  { environment, tokenStore }: AuthContext
): Promise<OAuthClientProvider> {
  const { client_id, client_secret, scope, issuer } = oauth
  // Without a configured issuer the server would determine the recipient of the secret.
  if (client_id === undefined || client_secret === undefined || issuer === undefined)
    throw new McpConfigurationError(
      '`oauth` of its entry needs `client_id`, `client_secret` and `issuer` for client_credentials'
    )
  const { ClientCredentialsProvider } = await import('@modelcontextprotocol/client')
  class Hiding extends ClientCredentialsProvider {
    override saveTokens(tokens: OAuthTokens) {
      tokenStore.addSecrets(tokens)
      super.saveTokens(tokens)
    }
  }
  return new Hiding({
    clientId: expandEnv(client_id, environment),
    clientSecret: expandEnv(client_secret, environment),
    clientName: 'Toolgate',
    expectedIssuer: issuer,
    ...(scope !== undefined && { scope })
  })
}

/** Provider for logins, past and current. */
export class OAuthLoginProvider implements OAuthClientProvider {
  readonly redirectUrl: string
  /** Set once the browser is to be sent there. */
  authorizationUrl: string | undefined
  readonly #entry: McpServerEntry
  readonly #context: AuthContext
  readonly #stored: StoredLogin
  readonly #state: string | undefined

  constructor(
    entry: McpServerEntry,
    place: AuthContext,
    stored: StoredLogin,
    back: { url: string; state: string } | undefined
  ) {
    this.#entry = entry
    this.#context = place
    this.#stored = stored
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

  /** Returns the configured client, else the dynamically registered one. */
  clientInformation(): StoredOAuthClientInformation | undefined {
    const { client_id, client_secret, issuer } = this.#entry.config.oauth ?? {}
    if (client_id === undefined) return this.#stored.read().client
    const { environment } = this.#context
    return {
      client_id: expandEnv(client_id, environment),
      ...(client_secret !== undefined && { client_secret: expandEnv(client_secret, environment) }),
      ...(issuer !== undefined && { issuer })
    }
  }

  saveClientInformation(client: StoredOAuthClientInformation) {
    this.#stored.save({ client })
  }

  tokens() {
    return this.#stored.read().tokens
  }

  saveTokens(tokens: NonNullable<StoredOAuthState['tokens']>) {
    this.#stored.save({ tokens, verifier: undefined })
  }

  redirectToAuthorization(url: URL) {
    this.authorizationUrl = url.href
  }

  saveCodeVerifier(verifier: string) {
    this.#stored.save({ verifier })
  }

  codeVerifier(): string {
    return this.#stored.read().verifier ?? ''
  }

  saveDiscoveryState(discovery: NonNullable<StoredOAuthState['discovery']>) {
    this.#stored.save({ discovery })
  }

  discoveryState() {
    return this.#stored.read().discovery
  }

  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery') {
    if (scope === 'all') this.#stored.remove()
    else this.#stored.save({ [scope]: undefined })
  }
}
