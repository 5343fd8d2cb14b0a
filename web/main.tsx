// The console: a page of the server that shows what happens, and lets a person decide.
import { effect } from '@preact/signals'
import { render } from 'preact'
import { keepLooking } from './approvals/freshness.ts'
import { openSession, session } from './session/session.ts'
import { App } from './shell/app.tsx'
import { attend } from './shell/notifications.ts'
import { learnRoots } from './shell/top-bar.tsx'
import { follow } from './store/stream.ts'

const root = document.getElementById('app')!
// What was painted while this script loaded.
root.replaceChildren()
render(<App />, root)
attend()
keepLooking()
await openSession()

/** Each session follows events for as long as it lasts. */
effect(() => {
  const now = session.value
  if (now.state !== 'open') return
  const stop = new AbortController()
  void follow(now.client, stop.signal)
  void learnRoots().catch(() => {})
  return () => stop.abort()
})
