// Shown without a token: explains how to sign in.
import { isLink } from './place.ts'
import { session } from './session.ts'

export function SignIn() {
  const now = session.value
  if (now.state === 'opening') return <Opening />
  if (isLink.value)
    return (
      <main class="page">
        <h1>Toolgate</h1>
        <p class="notice warn" role="alert">
          {now.state === 'refused' && now.why}
        </p>
        <p>Open the link of the newest notification, or decide in the console or an editor.</p>
      </main>
    )
  return (
    <main class="page">
      <h1>Toolgate</h1>
      {now.state === 'refused' && (
        <p class="notice warn" role="alert">
          {now.why}
        </p>
      )}
      <p>Sign in to use this page. In a terminal, in the served folder, run</p>
      <pre class="code">toolgate open</pre>
      <p>
        This command opens the console in your browser with a code that works once, within one minute. If the server has
        no browser, print the address instead: <code>toolgate open --print</code>.
      </p>
      <p class="muted small">
        The console uses no cookies. The session ends when you close the tab. A second tab shares the session while the
        first tab is open.
      </p>
    </main>
  )
}

/** Same as the static content of `index.html`. */
const Opening = () => (
  <div class="shell" aria-busy="true">
    <header class="bar">
      <span class="brand">Toolgate</span>
    </header>
  </div>
)
