// Shown without a token: explains how to sign in.
import { session } from './session.ts'

export function SignIn() {
  const now = session.value
  if (now.state === 'opening') return <Opening />
  return (
    <main class="page">
      <h1>Toolgate</h1>
      {now.state === 'refused' && (
        <p class="notice warn" role="alert">
          {now.why}
        </p>
      )}
      <p>This page needs a key. In a terminal, in the folder that is served, run</p>
      <pre class="code">toolgate open</pre>
      <p>
        It opens this console in your browser, with a code that works once, for a minute. No browser there? It prints
        the address: <code>toolgate open --print</code>.
      </p>
      <p class="muted small">
        Nothing is kept in cookies. Closing the tab forgets the key; a further tab takes it over from one that is open.
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
