// Web push (RFC 8030) to the browsers that are registered in the console. The payload is encrypted for the browser (RFC 8291).
import type { ChannelSettings } from '../config/notifications.ts'
import type { Notification } from '../protocol/notifications.ts'
import type { Channel, ChannelServices, Delivery } from './channel.ts'
import { DeliveryError } from './delivery-error.ts'
import { formatMessage } from './message-text.ts'
import { exchange, isSuccess, refusalError } from './post-request.ts'

/** Time for which a push service keeps a message for a browser that is not connected, in seconds. */
const TTL_S = 12 * 3_600
/** Push services take 4,096 bytes after encryption, of which a character takes up to three. */
const MAX_LENGTH = 600
const DEFAULT_CONTACT = 'https://github.com/toolgate/toolgate'
const ENCODING = 'aes128gcm'
/** Statuses of a subscription that has ended. */
const GONE_STATUSES: readonly number[] = [404, 410]

type Subscription = ReturnType<ChannelServices['push']['subscriptions']['all']>[number]

export function openWebPush(
  { contact, decide_links }: ChannelSettings<'web-push'>,
  services: ChannelServices
): Channel {
  const { subscriptions } = services.push
  const subject = contact === undefined ? DEFAULT_CONTACT : `mailto:${contact}`
  return {
    async send(message, delivery) {
      const all = subscriptions.all()
      if (all.length === 0)
        throw new DeliveryError(
          'No browser is registered: in the console, open Settings and select "Notify this browser".',
          {
            isPermanent: true
          }
        )
      const outcomes = await Promise.allSettled(
        all.map(each => sendTo(each, toPayload(message, delivery.id, createLink(message, each, delivery)), delivery))
      )
      if (outcomes.some(({ status }) => status === 'fulfilled')) return
      throw outcomes.find(outcome => outcome.status === 'rejected')!.reason
    }
  }

  /** Creates the link for the person who has registered a browser. */
  function createLink(
    { type, data }: Notification,
    { client, subscription_id }: Subscription,
    { createLink }: Delivery
  ): string | undefined {
    if (!decide_links) return undefined
    return type === 'notification.test' ? data.url : createLink?.({ person: client, subscription_id })?.url
  }

  async function sendTo(subscription: Subscription, payload: string, { id, signal }: Delivery) {
    const { default: webPush } = await import('web-push')
    const options = {
      TTL: TTL_S,
      urgency: 'high',
      // An undelivered message is replaced by the same one, sent again.
      topic: id.replaceAll(/[^A-Za-z0-9]/g, '').slice(-32),
      contentEncoding: ENCODING
    } as const
    const { publicKey, privateKey } = await services.push.keys()
    const { endpoint } = subscription
    const { headers, body } = encrypt(() => webPush.generateRequestDetails(subscription, payload, options))
    const { 'Content-Length': _, ...sent } = headers as Record<string, unknown>
    // Made here, since the library would parse the address with a deprecated function of Node.
    const { origin } = new URL(endpoint)
    const { Authorization } = webPush.getVapidHeaders(origin, subject, publicKey, privateKey, ENCODING)
    const request = { url: endpoint, headers: toTexts({ ...sent, Authorization }), body: body!, signal }
    const answer = await exchange(services, request)
    if (isSuccess(answer)) return
    if (GONE_STATUSES.includes(answer.status)) await subscriptions.remove(subscription.subscription_id).catch(() => {})
    throw refusalError(endpoint, answer, 0)
  }
}

/** A key that is no point of the curve stays one. */
function encrypt<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    const { message } = error as Error
    throw new DeliveryError(`The message cannot be encrypted for a browser: ${message}`, { isPermanent: true })
  }
}

/** Formats what the service worker of the console shows. */
function toPayload(message: Notification, id: string, link: string | undefined): string {
  const { title, body } = formatMessage(message, MAX_LENGTH)
  const tool_call_id = message.type === 'approval.waiting' ? message.data.tool_call_id : undefined
  return JSON.stringify({
    id,
    title,
    body,
    ...(tool_call_id !== undefined && { tool_call_id }),
    ...(link !== undefined && { link })
  })
}

const toTexts = (headers: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
