// Shown at a hub to those who have not signed in.
import { useSignal } from '@preact/signals'
import { session } from '../session/session.ts'
import { signInWays, signInWithProvider, signInWithToken } from './hub-session.ts'

export function HubSignIn() {
  const now = session.value
  const fault = useSignal<string | undefined>(undefined)
  const submit = async (form: HTMLFormElement) => {
    fault.value = undefined
    try {
      await signInWithToken(String(new FormData(form).get('token')).trim())
    } catch (error) {
      fault.value = (error as Error).message
    }
  }
  const why = fault.value ?? (now.state === 'refused' ? now.why : undefined)
  return (
    <main class="page">
      <h1>Toolgate hub</h1>
      {why !== undefined && (
        <p class="notice warn" role="alert">
          {why}
        </p>
      )}
      {signInWays.value.includes('oidc') && (
        <p>
          <button class="button primary" type="button" onClick={signInWithProvider}>
            Sign in
          </button>
        </p>
      )}
      <form
        class="sign-in"
        onSubmit={event => {
          event.preventDefault()
          void submit(event.currentTarget)
        }}
      >
        <label>
          Token of a hub account
          <input class="input" name="token" type="password" autocomplete="current-password" required maxLength={256} />
        </label>
        <button class="button" type="submit">
          Sign in with a token
        </button>
      </form>
      <p class="muted small">
        To create a token, an administrator runs: <code>toolgate hub account add NAME --role approver</code>. A session
        lasts for 12 hours.
      </p>
    </main>
  )
}
