// The authentication of this page; that of a hub is apart. `toolgate open` gives an address with a code in its fragment, which never reaches a server or
// a log; the page removes it from the address bar and exchanges it for a token. The token is stored in the tab's session storage,
// and a further tab at the same address asks the open ones.
import { signal } from '@preact/signals'
import { type Client, connect, type Right, ToolgateError } from '../../src/client/client.ts'
import type { HubPerson, SignInWay } from '../hub/hub-session.ts'
import { hasDecisionLink, isTestLink, readDecisionLink } from '../link/decision-link.ts'
import { isHub, isLink, LINK, place } from './place.ts'

/**
 * `away`: no token. `refused`: the code, or the token, is no longer valid. Without a `token` requests have a cookie of the hub; `person` has
 * signed in there.
 */
export type Session =
  | { state: 'opening' }
  | { state: 'open'; token: string | undefined; rights: Rights; client: Client; person?: HubPerson }
  | { state: 'away' }
  | { state: 'refused'; why: string }

/** The rights of the token; undefined if unknown: then the server rejects requests that exceed them. */
type Rights = readonly Right[] | undefined

export const session = signal<Session>({ state: 'opening' })

/** The name of the token, by which decisions are recorded; undefined until the server has said it. */
export const tokenName = signal<string | undefined>(undefined)

const TOKEN_KEY = 'toolgate-token'
const NAME_KEY = 'toolgate-token-name'
const RIGHTS_KEY = 'toolgate-rights'
export const CLIENT_NAME = 'console'
/** Time limit for other tabs to send their token. They are on this machine and answer at once or not at all. */
const TAB_REPLY_TIMEOUT_MS = 300

/** Asks other tabs for the token and answers them. Only pages of the same origin receive it. */
const tabChannel = new BroadcastChannel('toolgate-session')
type TabMessage = { asks: true } | Credentials
interface Credentials {
  token: string
  rights?: Rights
  name?: string | undefined
}

/** Returns the client of this session. Components that need it are only rendered with one. */
export function client(): Client {
  const now = session.peek()
  if (now.state !== 'open') throw new Error('There is no session. Sign in first.')
  return now.client
}

/** Returns whether this session may decide, as far as is known. */
export function canApprove(): boolean {
  const now = session.peek()
  return now.state === 'open' && (now.rights?.includes('approve') ?? true)
}

/** Returns the message of an error for display. An invalid token ends the session. */
export function toErrorMessage(error: unknown): string {
  if (error instanceof ToolgateError && error.status === 401) endSession()
  return error instanceof Error ? error.message : String(error)
}

export function endSession() {
  if (isLink.peek()) {
    session.value = { state: 'refused', why: INVALID_LINK }
    return
  }
  sessionStorage.removeItem(TOKEN_KEY)
  sessionStorage.removeItem(RIGHTS_KEY)
  sessionStorage.removeItem(NAME_KEY)
  session.value = {
    state: 'refused',
    why: isHub.peek()
      ? 'Your session has ended: it has expired, or your account was removed.'
      : 'Your session has ended: the server was restarted, its token was revoked, or the session expired.'
  }
}

export async function openSession(): Promise<void> {
  if (hasDecisionLink()) return openLink()
  tabChannel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
    const now = session.peek()
    if ('asks' in data && now.state === 'open' && now.token !== undefined)
      tabChannel.postMessage({ token: now.token, rights: now.rights, name: tokenName.peek() } satisfies TabMessage)
  }
  addEventListener('hashchange', () => (hasDecisionLink() ? location.reload() : void redeemCode()))
  if (await redeemCode()) return
  const key = loadCredentials()
  if (key) return startSession(key)
  const [shared, ways] = await Promise.all([requestFromTabs(), findHub()])
  if (ways) await (await import('../hub/hub.ts')).openHubSession(ways)
  else if (shared) startSession(shared)
  else session.value = { state: 'away' }
}

/** Opens the page of a link. Another address of the tab is another page. */
function openLink() {
  addEventListener('hashchange', () => location.reload())
  place.value = LINK
  // The link of a test message needs no session.
  if (isTestLink()) return
  const token = readDecisionLink()?.token
  session.value =
    token === undefined
      ? { state: 'refused', why: INVALID_LINK }
      : {
          state: 'open',
          token,
          rights: ['approve'],
          client: connect({ url: location.origin, token, client: CLIENT_NAME })
        }
}

const INVALID_LINK =
  'This link is not valid: it is damaged or of another server, or the configuration of its channel has changed.'

/** Returns the ways to sign in if this page is that of a hub. */
async function findHub(): Promise<readonly SignInWay[] | undefined> {
  const answer = await fetch('/health').catch(() => undefined)
  const { hub } = ((await answer?.json().catch(() => undefined)) ?? {}) as { hub?: { sign_in: readonly SignInWay[] } }
  return hub?.sign_in
}

/** Redeems the code in the address, if there is one: also one pasted into an open page. */
async function redeemCode(): Promise<boolean> {
  // Codes need no escapes; anything else is invalid.
  const code = /^#code=(.+)$/.exec(location.hash)?.[1]
  if (code === undefined) return false
  history.replaceState(null, '', `${location.pathname}#/approvals`)
  const answer = await fetch('/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code })
  }).catch(() => undefined)
  if (answer?.ok) startSession((await answer.json()) as Credentials)
  else if (session.peek().state !== 'open')
    session.value = {
      state: 'refused',
      why: answer ? 'This sign-in address was already used or has expired.' : 'The server cannot be reached.'
    }
  return true
}

function loadCredentials(): Credentials | undefined {
  const token = sessionStorage.getItem(TOKEN_KEY)
  const rights = sessionStorage.getItem(RIGHTS_KEY)?.split(' ') as Right[] | undefined
  return token === null ? undefined : { token, rights, name: sessionStorage.getItem(NAME_KEY) ?? undefined }
}

/** Notes the name that the server has said, if it has. */
export function setTokenName(name: string | undefined) {
  if (name === undefined) return
  sessionStorage.setItem(NAME_KEY, name)
  tokenName.value = name
}

function startSession({ token, rights, name }: Credentials) {
  sessionStorage.removeItem(NAME_KEY)
  tokenName.value = undefined
  setTokenName(name)
  sessionStorage.setItem(TOKEN_KEY, token)
  if (rights) sessionStorage.setItem(RIGHTS_KEY, rights.join(' '))
  else sessionStorage.removeItem(RIGHTS_KEY)
  session.value = {
    state: 'open',
    token,
    rights,
    client: connect({ url: location.origin, token, client: CLIENT_NAME })
  }
}

function requestFromTabs(): Promise<Credentials | undefined> {
  const { promise, resolve } = Promise.withResolvers<Credentials | undefined>()
  const heard = ({ data }: MessageEvent<TabMessage>) => 'token' in data && resolve(data)
  tabChannel.addEventListener('message', heard)
  tabChannel.postMessage({ asks: true } satisfies TabMessage)
  const timer = setTimeout(resolve, TAB_REPLY_TIMEOUT_MS)
  return promise.finally(() => {
    clearTimeout(timer)
    tabChannel.removeEventListener('message', heard)
  })
}
