// Push notifications by ntfy (https://docs.ntfy.sh/publish/), published as JSON to the address above the topic.
import type { ChannelSettings } from '../config/notifications.ts'
import type { Channel, ChannelServices } from './channel.ts'
import { DeliveryError } from './delivery-error.ts'
import { formatMessage } from './message-text.ts'
import { postRequest } from './post-request.ts'

const PRIORITIES = { min: 1, low: 2, default: 3, high: 4, max: 5 } as const
/** A longer message becomes an attachment: the limit is 4,096 bytes, of which a character takes up to three. */
const MAX_LENGTH = 1_300

export function openNtfy(settings: ChannelSettings<'ntfy'>, services: ChannelServices): Channel {
  const { url, topic } = splitTopic(settings.url)
  const { priority = 'high' } = settings
  const token = services.readSecret(settings, 'token')
  return {
    async send(message, { signal }) {
      const { title, body, url: click } = formatMessage(message, MAX_LENGTH)
      const published = { topic, title, message: body, priority: PRIORITIES[priority], ...(click && { click }) }
      const headers = {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` })
      }
      await postRequest(services, { url, headers, body: JSON.stringify(published), signal })
    }
  }
}

function splitTopic(address: string): { url: string; topic: string } {
  const url = new URL(address)
  const [, above, topic] = /^(.*\/)([A-Za-z0-9_-]{1,64})\/?$/.exec(url.pathname) ?? []
  if (above === undefined || topic === undefined)
    throw new DeliveryError('The URL of an ntfy channel must end with its topic, such as https://ntfy.sh/my-topic.')
  return { url: new URL(above, url).href, topic }
}
