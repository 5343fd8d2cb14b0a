// The session at a hub: a cookie, which scripts cannot read. The hub says who has signed in, and how people can.
import { signal } from '@preact/signals'
import { connect, ToolgateError } from '../../src/client/client.ts'
import type { PersonRole } from '../../src/protocol/hub.ts'
import { HUB, place } from '../session/place.ts'
import { CLIENT_NAME, session } from '../session/session.ts'
import { askHub } from './hub-request.ts'

interface HubSession {
  person: { id: string; name: string }
  role: PersonRole
}

/** The person who has signed in at a hub. */
export interface HubPerson {
  name: string
  role: PersonRole
}

export type SignInWay = 'oidc' | 'token'

/** Ways of signing in that the hub offers. */
export const signInWays = signal<readonly SignInWay[]>([])

/** Sentences for the addresses that a sign-in with a provider which failed ends at. */
const FAILURES: Readonly<Record<string, string>> = {
  'not-allowed': 'You signed in with the provider, but this hub does not list you as a user.',
  unavailable: 'The provider is not available. Try again in a moment.',
  failed: 'The hub rejected the response of the provider. Sign in again.'
}

/** Address to return to after a sign-in with a provider, which leads to the start of the page. */
const ROUTE_KEY = 'toolgate-route'

export async function openHubSession(ways: readonly SignInWay[]): Promise<void> {
  place.value = HUB
  signInWays.value = ways
  const failure = /^#sign-in=([a-z-]+)$/.exec(location.hash)?.[1]
  if (failure !== undefined) history.replaceState(null, '', location.pathname)
  try {
    startHubSession(await askHub<HubSession>('GET', '/session'))
  } catch (error) {
    const why = failure !== undefined ? FAILURES[failure] : undefined
    if (why !== undefined) session.value = { state: 'refused', why }
    else if (error instanceof ToolgateError && error.status === 401) session.value = { state: 'away' }
    else session.value = { state: 'refused', why: error instanceof Error ? error.message : String(error) }
  }
}

/** Signs in with the token of an account. Rejects with the reason. */
export async function signInWithToken(token: string) {
  startHubSession(await askHub<HubSession>('POST', '/session', { token }))
}

/** Leaves the page for the provider, which leads back to it. */
export function signInWithProvider() {
  sessionStorage.setItem(ROUTE_KEY, location.hash)
  location.assign('/sign-in')
}

export async function signOut() {
  await askHub('DELETE', '/session')
  session.value = { state: 'away' }
}

function startHubSession({ person, role }: HubSession) {
  const route = sessionStorage.getItem(ROUTE_KEY)
  sessionStorage.removeItem(ROUTE_KEY)
  if (route?.startsWith('#/')) location.hash = route
  session.value = {
    state: 'open',
    token: undefined,
    rights: role === 'viewer' ? [] : ['approve'],
    person: { name: person.name, role },
    client: connect({ url: location.origin + HUB.base, token: '', client: CLIENT_NAME })
  }
}

/** Returns whether the person may change what the hub has, as far as the page knows. */
export function isAdministrator(): boolean {
  const now = session.value
  return now.state === 'open' && now.person?.role === 'admin'
}
