// Checks of notification channels: if each can be opened with its settings and secrets, and if its latest delivery was successful.
import type { Client } from '../../client/client.ts'
import { findMissingSetting, type NotificationSettings } from '../../config/notifications.ts'
import { messageWithCause } from '../../errors.ts'
import type { NotificationChannel } from '../../protocol/notifications.ts'
import type { CliContext } from '../context.ts'
import { type CheckResult, passResult, warnResult } from './check-result.ts'

/** Opens each channel as the server does. Nothing is sent. */
export async function checkChannels(
  notifications: Pick<NotificationSettings, 'channels' | 'base_url' | 'detail'>,
  { runtime, terminal }: CliContext
): Promise<CheckResult[]> {
  const [{ openChannel }, { createSecretReader }] = await Promise.all([
    import('../../notify/kinds.ts'),
    import('../../notify/read-secret.ts')
  ])
  const services = {
    fetch,
    environment: runtime.env,
    readSecret: createSecretReader(runtime.env, () => {}),
    // Nothing is sent: browsers and keys are not needed.
    push: {
      subscriptions: { all: () => [], remove: async () => {} },
      keys: () => Promise.reject(new Error('not needed'))
    },
    ringBell: terminal.isTty ? () => {} : undefined
  }
  return Promise.all(
    Object.entries(notifications.channels).map(([name, settings]) =>
      openChannel(settings, services).then(
        () => {
          const missing = findMissingSetting(settings, notifications)
          return missing === undefined
            ? passResult(
                'notifications',
                `${name} (${settings.kind}) is configured; test it: toolgate notify test ${name}`
              )
            : warnResult('notifications', `${name} (${settings.kind}): ${missing}`, 'See docs/phone.md.')
        },
        (error: Error) =>
          warnResult(
            'notifications',
            `${name} (${settings.kind}): ${messageWithCause(error)}`,
            'See docs/notifications.md#channels. Variables must be set in the environment of the server.'
          )
      )
    )
  )
}

/** Reports the channels of the server whose latest delivery failed. */
export async function checkDeliveries(client: Client, signal: AbortSignal): Promise<CheckResult[]> {
  const { channels } = await client.notifications({ signal })
  return channels
    .filter(hasFailed)
    .map(({ name, kind, last_error }) =>
      warnResult(
        'notifications',
        `the latest notification by ${name} (${kind}) failed at ${last_error!.time}: ${last_error!.message}`,
        `toolgate notify test ${name}`
      )
    )
}

const hasFailed = ({ last_success = '', last_error }: NotificationChannel) =>
  last_error !== undefined && last_error.time > last_success
