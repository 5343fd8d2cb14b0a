// The menu of the person: the name for the record of decisions, the theme, and the keys and settings.
import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { describeDecider, ToolgateError } from '../../src/client/client.ts'
import { has } from '../session/place.ts'
import {
  CLIENT_NAME,
  canApprove,
  client,
  session,
  setTokenName,
  toErrorMessage,
  tokenName
} from '../session/session.ts'
import { markInvisible } from '../text/invisible.tsx'
import { isHelpOpen } from './help-state.ts'
import { type Theme, theme } from './settings.ts'

const NAME_KEY = 'toolgate-person'
/** Maximum length of a name that the server accepts. */
const MAX_NAME_LENGTH = 64
const MENU_ID = 'account-menu'
const THEMES: readonly (readonly [name: Theme, label: string])[] = [
  ['auto', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark']
]

/** Remembered in this browser. */
const personName = signal(localStorage.getItem(NAME_KEY) ?? '')

export function AccountMenu() {
  const now = session.value
  const signedIn = now.state === 'open' ? now.person?.name : undefined
  const token = now.state === 'open' ? now.token : undefined
  const isNamed = has('person name') && token !== undefined && canApprove()
  const name = signedIn ?? (isNamed ? tokenName.value : undefined)
  const error = useSentName(isNamed ? token : undefined)
  return (
    <>
      <button class="button quiet account" type="button" popovertarget={MENU_ID}>
        {name ?? (isNamed ? 'Your name' : 'Settings')}
      </button>
      <section id={MENU_ID} popover="auto" class="menu" aria-label="Account">
        {isNamed && <NameForm error={error} />}
        {signedIn !== undefined && <SignOut name={signedIn} />}
        <fieldset class="choice">
          <legend class="muted">Theme</legend>
          {THEMES.map(([each, label]) => (
            <button
              key={each}
              class="button small"
              type="button"
              aria-pressed={theme.value === each}
              onClick={() => {
                theme.value = each
              }}
            >
              {label}
            </button>
          ))}
        </fieldset>
        <button
          class="button"
          type="button"
          aria-keyshortcuts="?"
          popovertarget={MENU_ID}
          popovertargetaction="hide"
          onClick={() => {
            isHelpOpen.value = true
          }}
        >
          Keys and settings
        </button>
      </section>
    </>
  )
}

function NameForm({ error }: { error: string | undefined }) {
  const [isSaved, setSaved] = useState(false)
  return (
    <form
      aria-label="Your name"
      onSubmit={event => {
        event.preventDefault()
        const given = String(new FormData(event.currentTarget).get('name')).trim()
        localStorage.setItem(NAME_KEY, given)
        personName.value = given
        setSaved(true)
      }}
    >
      <label class="field">
        Your name, for the audit log
        <input
          class="input"
          name="name"
          maxLength={MAX_NAME_LENGTH}
          autocomplete="name"
          required
          defaultValue={personName.peek()}
          onInput={() => setSaved(false)}
        />
      </label>
      <button class="button" type="submit">
        Save
      </button>{' '}
      <span class="muted small" role="status">
        {error ?? (isSaved ? 'Saved' : '')}
      </span>
      {tokenName.value !== undefined && (
        <p class="muted small">
          Decisions are recorded as{' '}
          {markInvisible(describeDecider({ token: { name: tokenName.value }, client: CLIENT_NAME }) ?? '')}.
        </p>
      )}
    </form>
  )
}

/** Sends the name to the server for each session; returns the error, if any. */
function useSentName(token: string | undefined): string | undefined {
  const [error, setError] = useState<string>()
  const name = personName.value
  useEffect(() => {
    setError(undefined)
    if (token === undefined || name === '') return
    client()
      .nameSession(name)
      .then(
        token => setTokenName(token.name),
        (cause: unknown) => {
          const isFixed = cause instanceof ToolgateError && cause.code === 'FORBIDDEN'
          setError(isFixed ? FIXED_NAME_MESSAGE : toErrorMessage(cause))
        }
      )
  }, [token, name])
  return error
}

/** Only the token of a console can be renamed. */
const FIXED_NAME_MESSAGE = 'This token has a fixed name.'

/** Shown where people sign in. */
const SignOut = ({ name }: { name: string }) => (
  <button
    class="button"
    type="button"
    title={`Signed in as ${name}`}
    onClick={async () => (await import('../hub/hub.ts')).signOut()}
  >
    Sign out
  </button>
)
