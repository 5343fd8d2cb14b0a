// The tokens of clients: creates and revokes them.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { IssuedToken, NewlyIssuedToken, NewToken } from '../../src/client/client.ts'
import { canApprove, client, toErrorMessage } from '../session/session.ts'
import { ConfirmAction } from '../shell/confirm-action.tsx'
import { Dialog, SubmitButton } from '../shell/dialog.tsx'
import { ErrorNotice } from '../shell/error-notice.tsx'
import { CopyButton } from '../text/copy-button.tsx'
import { formatDateTime } from '../text/format.ts'
import { markInvisible } from '../text/invisible.tsx'

const DAY_MS = 86_400_000
/** Lifetimes that the form offers, in days. */
const LIFETIMES = [1, 7, 30, 90, 366]
const DEFAULT_LIFETIME = 90

export function Tokens() {
  const { tokens, fault, reload } = useTokens()
  const adding = useSignal(false)
  const revoking = useSignal<IssuedToken | undefined>(undefined)
  if (!canApprove()) return null
  return (
    <section aria-labelledby="tokens">
      <div class="sheet-head">
        <h2 id="tokens">Tokens</h2>
        <button type="button" class="button" onClick={() => (adding.value = true)}>
          Create a token…
        </button>
      </div>
      <ErrorNotice text={fault} />
      {tokens?.length === 0 && <p class="muted">No tokens were created. The server's own tokens are not listed.</p>}
      {tokens !== undefined && tokens.length > 0 && (
        <table class="table figures labelled">
          <thead>
            <tr>
              {['Name', 'Kind', 'Rights', 'Created', 'Expires', ''].map(name => (
                <th key={name} scope="col">
                  {name || <span class="spoken">Actions</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {tokens.map(token => (
              <TokenLine key={token.token_id} token={token} onRevoke={() => (revoking.value = token)} />
            ))}
          </tbody>
        </table>
      )}
      {adding.value && <CreateToken onClose={() => (adding.value = false)} onCreated={reload} />}
      {revoking.value && (
        <RevokeToken token={revoking.value} onClose={() => (revoking.value = undefined)} onRevoked={reload} />
      )}
    </section>
  )
}

function TokenLine({ token, onRevoke }: { token: IssuedToken; onRevoke: () => void }) {
  const { name, kind, rights, agent, created_at, expires_at } = token
  return (
    <tr>
      <th scope="row">{markInvisible(name)}</th>
      <td data-name="Kind">{kind === 'session' ? 'console session' : 'token'}</td>
      <td data-name="Rights">
        {rights.join(', ')}
        {agent !== undefined && <span class="muted"> · agent {markInvisible(agent)}</span>}
      </td>
      <td data-name="Created">{formatDateTime(created_at)}</td>
      <td data-name="Expires">{formatDateTime(expires_at)}</td>
      <td>
        <button type="button" class="button danger" aria-label={`Revoke: ${name}`} onClick={onRevoke}>
          Revoke…
        </button>
      </td>
    </tr>
  )
}

interface CreateTokenProps {
  onClose: () => void
  onCreated: () => void
}

/** Shows the secret once: the server returns it only in this answer. */
function CreateToken({ onClose, onCreated }: CreateTokenProps) {
  const form = useRef<HTMLFormElement>(null)
  const fault = useSignal<string | undefined>(undefined)
  const created = useSignal<NewlyIssuedToken | undefined>(undefined)
  const create = async () => {
    if (!form.current?.reportValidity()) return
    try {
      created.value = await client().issueToken(readNewToken(new FormData(form.current)))
      onCreated()
    } catch (error) {
      fault.value = toErrorMessage(error)
    }
  }
  if (created.value)
    return (
      <Dialog title={`Token ${created.value.name}`} onClose={onClose}>
        <div class="inside">
          <p>Copy the token now: it is not shown again.</p>
          <p class="row">
            <code class="code secret">{created.value.token}</code>
            <CopyButton text={created.value.token} label="Token" />
          </p>
          <div class="row end">
            <button type="button" class="button primary" onClick={onClose}>
              Done
            </button>
          </div>
        </div>
      </Dialog>
    )
  return (
    <Dialog title="Create a token" onClose={onClose} onSubmit={() => void create()}>
      <form
        ref={form}
        onSubmit={event => {
          event.preventDefault()
          void create()
        }}
      >
        <label class="field">
          Name
          <input class="input" name="name" required maxLength={64} autocomplete="off" />
        </label>
        <label class="field">
          Rights
          <select class="input" name="rights">
            <option value="call">call: submit calls</option>
            <option value="approve">approve: submit and decide calls, change rules</option>
          </select>
        </label>
        <label class="field">
          Agent
          <input class="input" name="agent" maxLength={128} autocomplete="off" />
          <span class="hint">Optional. The token then has only the tools and the rules of this agent.</span>
        </label>
        <label class="field">
          Expires after
          <select class="input" name="days">
            {LIFETIMES.map(days => (
              <option key={days} value={days} selected={days === DEFAULT_LIFETIME}>
                {days === 1 ? '1 day' : `${days} days`}
              </option>
            ))}
          </select>
        </label>
        <ErrorNotice text={fault.value} />
        <div class="row end">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <SubmitButton kind="primary" type="submit">
            Create
          </SubmitButton>
        </div>
      </form>
    </Dialog>
  )
}

function readNewToken(form: FormData): NewToken {
  const agent = String(form.get('agent')).trim()
  return {
    name: String(form.get('name')),
    rights: [form.get('rights') === 'approve' ? 'approve' : 'call'],
    ...(agent !== '' && { agent }),
    expires_in_ms: Number(form.get('days')) * DAY_MS
  }
}

interface RevokeTokenProps {
  token: IssuedToken
  onClose: () => void
  onRevoked: () => void
}

const RevokeToken = ({ token: { token_id, name }, onClose, onRevoked }: RevokeTokenProps) => (
  <ConfirmAction
    title="Revoke this token?"
    cancelLabel="Keep"
    confirmLabel="Revoke"
    doneMessage="Token revoked"
    onConfirm={async () => {
      await client().revokeToken(token_id)
      onRevoked()
    }}
    onClose={onClose}
  >
    <p>
      Requests with the token <strong>{markInvisible(name)}</strong>, and with tokens that it created, are refused from
      now on. Their open streams end.
    </p>
  </ConfirmAction>
)

function useTokens() {
  const tokens = useSignal<readonly IssuedToken[] | undefined>(undefined)
  const fault = useSignal<string | undefined>(undefined)
  const reload = () => {
    client()
      .tokens()
      .then(
        list => {
          tokens.value = list
          fault.value = undefined
        },
        (error: unknown) => {
          fault.value = toErrorMessage(error)
        }
      )
  }
  useEffect(() => {
    if (canApprove()) reload()
  }, [])
  return { tokens: tokens.value, fault: fault.value, reload }
}
