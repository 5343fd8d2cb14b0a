// The channels that notify people about waiting calls, and the browsers that receive web push.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { NotificationChannel, NotificationState, PushSubscriptionInfo } from '../../src/client/client.ts'
import { canApprove, client, toErrorMessage } from '../session/session.ts'
import { ErrorNotice } from '../shell/error-notice.tsx'
import { formatDateTime } from '../text/format.ts'
import { markInvisible } from '../text/invisible.tsx'
import { canPush, findOwnSubscription, subscribe, unsubscribe } from './push.ts'

export function Notifications() {
  const { state, own, fault, outcome, run, test } = useNotifications()
  if (!canApprove()) return null
  const publicKey = state?.vapid_public_key
  const isRegistered = state?.subscriptions.some(({ subscription_id }) => subscription_id === own) === true
  return (
    <section aria-labelledby="notifications">
      <div class="sheet-head">
        <h2 id="notifications">Notifications</h2>
        {publicKey !== undefined && canPush() && !isRegistered && (
          <button type="button" class="button" onClick={() => run(() => subscribe(publicKey))}>
            Notify this browser
          </button>
        )}
      </div>
      <ErrorNotice text={fault} />
      <p class="muted" role="status">
        {outcome}
      </p>
      {state?.channels.length === 0 && (
        <p class="muted">
          No channels are configured. See <code>notifications.channels</code> in the configuration.
        </p>
      )}
      {state !== undefined && state.channels.length > 0 && (
        <table class="table figures labelled">
          <thead>
            <tr>
              {['Channel', 'Kind', 'Pending', 'Last success', 'Last error', ''].map(name => (
                <th key={name} scope="col">
                  {name || <span class="spoken">Actions</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {state.channels.map(channel => (
              <ChannelLine key={channel.name} channel={channel} onTest={() => test(channel.name)} />
            ))}
          </tbody>
        </table>
      )}
      {publicKey !== undefined && !canPush() && (
        <p class="muted">
          This browser cannot receive notifications at this address: they require https or localhost, and a browser with
          push services.
        </p>
      )}
      {state !== undefined && <Browsers subscriptions={state.subscriptions} own={own} run={run} />}
    </section>
  )
}

function ChannelLine({ channel, onTest }: { channel: NotificationChannel; onTest: () => void }) {
  const { name, kind, pending, problem, last_success, last_error } = channel
  return (
    <tr>
      <th scope="row">{markInvisible(name)}</th>
      <td data-name="Kind">
        <span class="badge">{kind}</span>
      </td>
      <td data-name="Pending">{pending}</td>
      <td data-name="Last success">{last_success === undefined ? 'none' : formatDateTime(last_success)}</td>
      <td data-name="Last error">
        {problem !== undefined && (
          <>
            <span class="badge bad">not configured</span> <span class="muted small">{markInvisible(problem)}</span>
          </>
        )}
        {problem === undefined && last_error === undefined && 'none'}
        {problem === undefined && last_error !== undefined && (
          <>
            {formatDateTime(last_error.time)} <span class="muted small">{markInvisible(last_error.message)}</span>
          </>
        )}
      </td>
      <td>
        <button type="button" class="button" aria-label={`Test: ${name}`} onClick={onTest}>
          Test
        </button>
      </td>
    </tr>
  )
}

/** Runs an action, and shows its error. */
type Run = (action: () => Promise<unknown>) => void

interface BrowsersProps {
  subscriptions: readonly PushSubscriptionInfo[]
  /** Id of this browser's subscription. */
  own: string | undefined
  run: Run
}

function Browsers({ subscriptions, own, run }: BrowsersProps) {
  if (subscriptions.length === 0) return null
  return (
    <ul>
      {subscriptions.map(({ subscription_id, client: name, created_at }) => (
        <li key={subscription_id} class="row">
          <span>
            {subscription_id === own ? 'This browser' : 'Browser'}, registered by {markInvisible(name)} at{' '}
            {formatDateTime(created_at)}
          </span>
          <button
            type="button"
            class="button"
            aria-label={`Remove the browser registered at ${formatDateTime(created_at)}`}
            onClick={() => run(() => unsubscribe(subscription_id))}
          >
            Remove
          </button>
        </li>
      ))}
    </ul>
  )
}

function useNotifications() {
  const state = useSignal<NotificationState | undefined>(undefined)
  const own = useSignal<string | undefined>(undefined)
  const fault = useSignal<string | undefined>(undefined)
  const outcome = useSignal('')
  const load = async () => {
    own.value = canPush() ? await findOwnSubscription() : undefined
    state.value = await client().notifications()
  }
  const run: Run = action => {
    fault.value = undefined
    outcome.value = ''
    action()
      .then(load)
      .catch((error: unknown) => {
        fault.value = toErrorMessage(error)
      })
  }
  const test = (channel: string) =>
    run(async () => {
      const [result] = await client().testNotifications({ channel })
      if (result?.accepted) outcome.value = `The channel ${channel} accepted the test message.`
      else throw new Error(`${channel}: ${result?.error ?? 'no answer'}`)
    })
  useEffect(() => {
    if (canApprove()) run(async () => {})
  }, [])
  return { state: state.value, own: own.value, fault: fault.value, outcome: outcome.value, run, test }
}
