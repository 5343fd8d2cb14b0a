// Who this page is to the server. `toolgate open` gives an address with a code in its fragment, which no server and no log
// ever sees; the page takes it out of the address bar and trades it for a token. The token stays in this tab's session,
// and a further tab at the same address asks those that are open.
import { signal } from '@preact/signals'
import { type Client, connect, ToolgateError } from '../../src/client/client.ts'

/** `away`: no token. `refused`: the code, or the token, counts no longer. */
export type Session =
  | { state: 'opening' }
  | { state: 'open'; token: string; client: Client }
  | { state: 'away' }
  | { state: 'refused'; why: string }

export const session = signal<Session>({ state: 'opening' })

const KEY = 'toolgate-token'
const NAME = 'console'
/** How long other tabs are asked for their token. They are on this machine, and answer at once or not at all. */
const ASKED_MS = 300

/** Asks other tabs, and answers them. Only pages of this very address hear it. */
const tabs = new BroadcastChannel('toolgate-session')
type Asked = { asks: true } | { token: string }

/** The client of this session. Nothing that needs it is shown without one. */
export function client(): Client {
  const now = session.peek()
  if (now.state !== 'open') throw new Error('There is no session.')
  return now.client
}

/** What of an error is for people. A token that counts no longer ends the session. */
export function whatFailed(error: unknown): string {
  if (error instanceof ToolgateError && error.status === 401) endSession()
  return error instanceof Error ? error.message : String(error)
}

export function endSession() {
  sessionStorage.removeItem(KEY)
  session.value = { state: 'refused', why: 'Your session has ended: its token was revoked, or its time is over.' }
}

export async function openSession(): Promise<void> {
  tabs.onmessage = ({ data }: MessageEvent<Asked>) => {
    const now = session.peek()
    if ('asks' in data && now.state === 'open') tabs.postMessage({ token: now.token } satisfies Asked)
  }
  addEventListener('hashchange', () => void takeCode())
  if (await takeCode()) return
  const token = sessionStorage.getItem(KEY) ?? (await askTabs())
  if (token) begin(token)
  else session.value = { state: 'away' }
}

/** Whether the address had a code: also one that is pasted into a page that is open already. */
async function takeCode(): Promise<boolean> {
  // Codes are made of what needs no escapes; whatever else stands there is a wrong one.
  const code = /^#code=(.+)$/.exec(location.hash)?.[1]
  if (code === undefined) return false
  history.replaceState(null, '', `${location.pathname}#/approvals`)
  const answer = await fetch('/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code })
  }).catch(() => undefined)
  if (answer?.ok) begin(((await answer.json()) as { token: string }).token)
  else if (session.peek().state !== 'open')
    session.value = {
      state: 'refused',
      why: answer ? 'This address was used already, or is older than a minute.' : 'The server cannot be reached.'
    }
  return true
}

function begin(token: string) {
  sessionStorage.setItem(KEY, token)
  session.value = { state: 'open', token, client: connect({ url: location.origin, token, client: NAME }) }
}

function askTabs(): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const heard = ({ data }: MessageEvent<Asked>) => 'token' in data && resolve(data.token)
  tabs.addEventListener('message', heard)
  tabs.postMessage({ asks: true } satisfies Asked)
  const timer = setTimeout(resolve, ASKED_MS)
  return promise.finally(() => {
    clearTimeout(timer)
    tabs.removeEventListener('message', heard)
  })
}
