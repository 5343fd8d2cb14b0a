// Webhooks as the Standard Webhooks specification signs them: HMAC-SHA256 over id, timestamp and body.
import { createHmac } from 'node:crypto'
import type { ChannelSettings } from '../config/notifications.ts'
import type { Channel, ChannelServices } from './channel.ts'
import { DeliveryError } from './delivery-error.ts'
import { postRequest } from './post-request.ts'
import { requireSecret } from './read-secret.ts'

const PREFIX = 'whsec_'
/** Sizes of a secret in bytes that the specification allows. */
const MIN_SECRET_BYTES = 24
const MAX_SECRET_BYTES = 64

export function openWebhook(settings: ChannelSettings<'webhook'>, services: ChannelServices): Channel {
  const key = decodeSecret(requireSecret(services.readSecret, settings, 'secret'))
  return {
    async send(message, { id, signal }) {
      const body = JSON.stringify(message)
      const timestamp = String(Math.floor(Date.now() / 1_000))
      const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${signature}`
      }
      await postRequest(services, { url: settings.url, headers, body, signal })
    }
  }
}

function decodeSecret(secret: string): Buffer {
  const text = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : ''
  const key = Buffer.from(text, 'base64')
  const isBase64 = key.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '')
  if (isBase64 && key.length >= MIN_SECRET_BYTES && key.length <= MAX_SECRET_BYTES) return key
  throw new DeliveryError(
    `The secret of the webhook must be ${PREFIX} followed by ${MIN_SECRET_BYTES} to ${MAX_SECRET_BYTES} bytes in base64.`
  )
}
