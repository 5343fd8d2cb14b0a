// The console: a page of the server that shows events and takes decisions.
import { effect } from '@preact/signals'
import { render } from 'preact'
import { watchFreshness } from './approvals/freshness.ts'
import { has, isLink } from './session/place.ts'
import { openSession, session } from './session/session.ts'
import { App } from './shell/app.tsx'
import { startNotifications } from './shell/notifications.ts'
import { loadRoots } from './shell/top-bar.tsx'
import { followStream } from './store/stream.ts'

const appElement = document.getElementById('app')!
// Removes the static content painted while this script loaded.
appElement.replaceChildren()
render(<App />, appElement)
// Only addresses that are secure have service workers.
navigator.serviceWorker?.register('web/service-worker.js', { scope: './' }).catch(() => {})
watchFreshness()
await openSession()
if (!isLink.peek()) startNotifications()

/** Each session follows events for its lifetime. */
effect(() => {
  const now = session.value
  if (now.state !== 'open' || isLink.value) return
  const stop = new AbortController()
  void followStream(now.client, stop.signal)
  if (has('roots')) void loadRoots().catch(() => {})
  if (has('servers')) void import('./hub/hub.ts').then(({ followSentDecisions }) => followSentDecisions(stop.signal))
  return () => stop.abort()
})
