// Options of the hub for sign-in with an OpenID provider.
import { readFileSync } from 'node:fs'
import { createFetch } from '../../../host/egress/proxied-fetch.ts'
import type { OidcSignIn } from '../../../hub/people/oidc.ts'
import { parseAllowEntry } from '../../../hub/people/roles.ts'
import type { CliContext } from '../../context.ts'
import { usageError } from '../../exit.ts'

interface OidcOptions {
  publicUrl?: string
  oidcIssuer?: string
  oidcClientId?: string
  oidcClientSecretFile?: string
  oidcAllow?: string[]
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Creates the sign-in that options ask for; undefined without a provider. Loads its client only then. */
export async function createOidcSignIn(
  env: CliContext['runtime']['env'],
  { publicUrl, oidcIssuer, oidcClientId, oidcClientSecretFile, oidcAllow = [] }: OidcOptions
): Promise<OidcSignIn | undefined> {
  if (oidcIssuer === undefined) {
    if (oidcClientId !== undefined || oidcClientSecretFile !== undefined || oidcAllow.length > 0)
      throw usageError('Options that begin with --oidc require --oidc-issuer.')
    return undefined
  }
  if (publicUrl === undefined || oidcClientId === undefined || oidcClientSecretFile === undefined)
    throw usageError('--oidc-issuer requires --public-url, --oidc-client-id and --oidc-client-secret-file.')
  if (oidcAllow.length === 0)
    throw usageError(
      '--oidc-issuer requires --oidc-allow, because otherwise no one could sign in.',
      'Example: --oidc-allow ada@example.com=admin'
    )
  const settings = {
    issuer: parseSafeUrl('--oidc-issuer', oidcIssuer),
    clientId: oidcClientId,
    clientSecret: readFileSync(oidcClientSecretFile, 'utf8').trim(),
    publicUrl: parsePublicUrl(publicUrl),
    allow: oidcAllow.map(parseAllowEntry),
    fetch: createFetch(env)
  }
  if (settings.clientSecret === '') throw usageError(`The file ${oidcClientSecretFile} is empty.`)
  const { OidcSignIn: SignIn } = await import('../../../hub/people/oidc.ts')
  return new SignIn(settings)
}

/** Parses the address of the hub as browsers use it. Throws unless it is the root of a host, by https or on loopback. */
export function parsePublicUrl(text: string): URL {
  const url = parseSafeUrl('--public-url', text)
  if (url.href !== `${url.origin}/`) throw usageError(`--public-url must be an origin without a path: ${text}`)
  return url
}

function parseSafeUrl(option: string, text: string): URL {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw usageError(`${option} requires an address that begins with https://.`)
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw usageError(`${option} accepts http: only for loopback addresses. Use https: ${text}`)
  return url
}
