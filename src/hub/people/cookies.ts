// Cookies of the hub. Scripts cannot read them, and no other site can use or set them where the hub has TLS in front of it.
import type { IncomingMessage } from 'node:http'
import { readCookie } from '../../routes/http/cookies.ts'
import { parseObject } from '../../text/json-object.ts'
import type { PendingSignIn } from './oidc.ts'
import { SESSION_LIFETIME_MS } from './sessions.ts'

/** Time within which a person signs in with the provider. */
const SIGN_IN_LIFETIME_S = 10 * 60

/** The address of the request, by which cookies are named: those of several hubs on one machine are apart. */
type Addressed = Pick<IncomingMessage, 'headers'>

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::(\d+))?$/

export const readSession = (request: Addressed): string | undefined =>
  readCookie(request.headers.cookie, cookieOf(request, 'session').name)

export const sessionCookie = (request: Addressed, secret: string): string =>
  formatCookie(cookieOf(request, 'session'), {
    value: secret,
    sameSite: 'Strict',
    seconds: SESSION_LIFETIME_MS / 1_000
  })

export const endedSessionCookie = (request: Addressed): string =>
  formatCookie(cookieOf(request, 'session'), { value: '', sameSite: 'Strict', seconds: 0 })

/** The provider sends the browser back from another site, so this cookie comes along with links. */
export const signInCookie = (request: Addressed, pending: PendingSignIn): string =>
  formatCookie(cookieOf(request, 'sign-in'), {
    value: Buffer.from(JSON.stringify(pending)).toString('base64url'),
    sameSite: 'Lax',
    seconds: SIGN_IN_LIFETIME_S
  })

export const endedSignInCookie = (request: Addressed): string =>
  formatCookie(cookieOf(request, 'sign-in'), { value: '', sameSite: 'Lax', seconds: 0 })

export function readSignIn(request: Addressed): PendingSignIn | undefined {
  const value = readCookie(request.headers.cookie, cookieOf(request, 'sign-in').name)
  const { state, nonce, verifier } = parseObject(Buffer.from(value ?? '', 'base64url').toString('utf8')) ?? {}
  return typeof state === 'string' && typeof nonce === 'string' && typeof verifier === 'string'
    ? { state, nonce, verifier }
    : undefined
}

interface CookieName {
  name: string
  isSecure: boolean
}

/** Browsers take a cookie with this prefix from this very host alone, and by TLS. Off loopback there is always a proxy with TLS. */
function cookieOf({ headers: { host = '' } }: Addressed, kind: 'session' | 'sign-in'): CookieName {
  const loopback = LOOPBACK.exec(host.toLowerCase())
  return loopback
    ? { name: `toolgate-hub-${loopback[1] ?? 80}-${kind}`, isSecure: false }
    : { name: `__Host-toolgate-hub-${kind}`, isSecure: true }
}

const formatCookie = (
  { name, isSecure }: CookieName,
  { value, sameSite, seconds }: { value: string; sameSite: 'Lax' | 'Strict'; seconds: number }
) => `${name}=${value}; Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${seconds}${isSecure ? '; Secure' : ''}`
