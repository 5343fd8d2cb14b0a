// The name of the person at this console, for the record of decisions: asked once, and remembered in this browser.
import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { ToolgateError } from '../../src/client/client.ts'
import { has } from './place.ts'
import { canApprove, client, session, toErrorMessage } from './session.ts'

const NAME_KEY = 'toolgate-person'
/** Maximum length of a name that the server accepts. */
const MAX_NAME_LENGTH = 64

/** Empty if the person preferred to give none; undefined before the question. */
const personName = signal<string | undefined>(localStorage.getItem(NAME_KEY) ?? undefined)

function rememberName(name: string) {
  localStorage.setItem(NAME_KEY, name)
  personName.value = name
}

/** Asks for the name if it is unknown, and sends a known one to the server for each session. */
export function PersonName() {
  const [error, setError] = useState<string>()
  const name = personName.value
  const token = session.value.state === 'open' ? session.value.token : undefined
  const isNeeded = has('person name') && token !== undefined && canApprove()
  useEffect(() => {
    if (isNeeded && name)
      client()
        .nameSession(name)
        .catch((error: unknown) => {
          // Only the token of a console has a name that can be changed.
          if (!(error instanceof ToolgateError && error.code === 'FORBIDDEN')) setError(toErrorMessage(error))
        })
  }, [token, name])
  if (!isNeeded || (name !== undefined && error === undefined)) return null
  return (
    <form
      class="notice row"
      aria-label="Your name"
      onSubmit={event => {
        event.preventDefault()
        const given = new FormData(event.currentTarget).get('name')
        setError(undefined)
        rememberName(String(given).trim())
      }}
    >
      <label class="row">
        Your name, for the audit log
        <input class="input" name="name" maxLength={MAX_NAME_LENGTH} autocomplete="name" required defaultValue={name} />
      </label>
      <button class="button" type="submit">
        Save
      </button>
      <button class="button quiet" type="button" onClick={() => rememberName('')}>
        Not now
      </button>
      {error !== undefined && <span class="muted">{error}</span>}
    </form>
  )
}
