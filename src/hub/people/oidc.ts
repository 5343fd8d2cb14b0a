// Sign-in with an OpenID provider: authorization code with PKCE, state and nonce. The browser keeps what the answer is checked
// against in a cookie, so that any process of the hub can take it, and requests without a session store nothing.
import * as oidc from 'openid-client'
import { messageWithCause, ToolError } from '../../errors.ts'
import type { PersonRole } from '../../protocol/hub.ts'
import { toPersonName } from '../../routes/http/person-name.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { CALLBACK_PATH } from './callback-path.ts'
import { type AllowEntry, type Claims, findEntry } from './roles.ts'
import type { SignedInPerson } from './sessions.ts'

const SCOPE = 'openid profile email'
/** Maximum number of answers that are checked at a time: each causes requests to the provider. */
const MAX_CHECKS = 32
const MAX_NAME_LENGTH = 64
/** Maximum length of the address, or the id, beside a name. */
const MAX_KNOWN_LENGTH = 255

export interface OidcSettings {
  issuer: URL
  clientId: string
  clientSecret: string
  /** Address of the hub as browsers use it. */
  publicUrl: URL
  allow: readonly AllowEntry[]
  fetch: typeof fetch
}

/** A sign-in that waits for the answer of the provider. */
export interface PendingSignIn {
  state: string
  nonce: string
  verifier: string
}

export class OidcSignIn {
  readonly #settings: OidcSettings
  #provider: Promise<oidc.Configuration> | undefined
  #checks = 0

  constructor(settings: OidcSettings) {
    this.#settings = settings
  }

  /** Roles by the grants of the sessions that begin here. */
  get grants(): ReadonlyMap<string, PersonRole> {
    return new Map(this.#settings.allow.map(entry => [this.#grantOf(entry), entry.role]))
  }

  /** Returns the address of the provider for a browser, and what its answer is checked against. Throws OVERLOADED without a provider. */
  async begin(): Promise<{ url: string; pending: PendingSignIn }> {
    const provider = await this.#discover()
    const pending = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier()
    }
    const url = oidc.buildAuthorizationUrl(provider, {
      redirect_uri: new URL(CALLBACK_PATH, this.#settings.publicUrl).href,
      response_type: 'code',
      scope: SCOPE,
      state: pending.state,
      nonce: pending.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: 'S256'
    })
    return { url: url.href, pending }
  }

  /**
   * Checks the answer of the provider, and returns the person. `target`: path and query of the request. Throws UNAUTHORIZED for an
   * answer that is wrong, FORBIDDEN for a person whom no entry lets in.
   */
  async complete(target: string, { state, nonce, verifier }: PendingSignIn): Promise<SignedInPerson> {
    if (this.#checks >= MAX_CHECKS)
      throw new ToolError('OVERLOADED', 'Too many people are signing in. Try again.', { retry_after_s: 1 })
    this.#checks += 1
    try {
      const provider = await this.#discover()
      const tokens = await oidc.authorizationCodeGrant(provider, new URL(target, this.#settings.publicUrl), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true
      })
      const claims = tokens.claims()!
      const hasUserInfo = provider.serverMetadata().userinfo_endpoint !== undefined
      const more = hasUserInfo ? await oidc.fetchUserInfo(provider, tokens.access_token, claims.sub) : {}
      return this.#admit(claims, [claims, more])
    } catch (error) {
      if (error instanceof ToolError) throw error
      throw new ToolError(
        'UNAUTHORIZED',
        `The response of the sign-in provider was rejected: ${messageWithCause(error as Error)}`,
        undefined,
        { cause: error }
      )
    } finally {
      this.#checks -= 1
    }
  }

  #admit({ iss, sub }: oidc.IDToken, sources: readonly object[]): SignedInPerson {
    const claims = readClaims(sources)
    const id = `oidc:${iss}#${sub}`
    const entry = findEntry(this.#settings.allow, claims)
    if (!entry) throw new ToolError('FORBIDDEN', `No entry of --oidc-allow matches ${claims.email ?? id}.`)
    return { id, name: displayName(sources, claims.email ?? sub), grantedBy: this.#grantOf(entry) }
  }

  #grantOf({ text }: AllowEntry) {
    return `oidc:${this.#settings.issuer.href} ${text}`
  }

  /** Reads the provider's metadata, until that has succeeded once. */
  async #discover(): Promise<oidc.Configuration> {
    this.#provider ??= discover(this.#settings)
    try {
      return await this.#provider
    } catch (error) {
      this.#provider = undefined
      throw new ToolError(
        'OVERLOADED',
        `The sign-in provider ${this.#settings.issuer.href} is not available: ${messageWithCause(error as Error)}`,
        { retry_after_s: 5 },
        { cause: error }
      )
    }
  }
}

function discover({ issuer, clientId, clientSecret, fetch }: OidcSettings): Promise<oidc.Configuration> {
  return oidc.discovery(issuer, clientId, clientSecret, undefined, {
    [oidc.customFetch]: (url, init) => fetch(url, init as RequestInit),
    execute: [
      // The signature counts, even though the token comes from the provider itself.
      oidc.enableNonRepudiationChecks,
      ...(issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : [])
    ]
  })
}

/** Reads claims of the identity token and of the provider's information about the person. */
function readClaims(sources: readonly object[]): Claims {
  const all = sources as readonly Record<string, unknown>[]
  const email = all.find(
    ({ email, email_verified: verified }) => typeof email === 'string' && (verified === true || verified === 'true')
  )?.email as string | undefined
  return {
    email: email?.toLowerCase(),
    valuesOf: claim =>
      all.flatMap(source => (Object.hasOwn(source, claim) ? [source[claim]].flat() : [])).filter(isText)
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** Returns a name for records of decisions: the person may choose what the provider calls them, but not what it is known by. */
function displayName(sources: readonly object[], id: string): string {
  const known = escapeInvisible(id.slice(0, MAX_KNOWN_LENGTH))
  const name = (sources as readonly { name?: unknown }[]).map(source => source.name).find(isText) ?? ''
  try {
    const readable = toPersonName(name.slice(0, MAX_NAME_LENGTH).toWellFormed())
    return readable === '' ? known : `${readable} (${known})`
  } catch {
    return known
  }
}
