// Messages of a Telegram bot: sendMessage of the Bot API. The token is part of its URL, which no error shows.
import type { ChannelSettings } from '../config/notifications.ts'
import type { Channel, ChannelServices } from './channel.ts'
import { DeliveryError } from './delivery-error.ts'
import { formatPlainMessage } from './message-text.ts'
import { exchange, isSuccess, refusalError } from './post-request.ts'
import { requireSecret } from './read-secret.ts'

const API_URL = 'https://api.telegram.org'
/** The limit of a message is 4,096 characters. */
const MAX_LENGTH = 3_000

export function openTelegram(settings: ChannelSettings<'telegram'>, services: ChannelServices): Channel {
  const { chat_id, api_url = API_URL } = settings
  const token = requireSecret(services.readSecret, settings, 'token')
  if (!/^\d+:[\w-]+$/.test(token))
    throw new DeliveryError('The token of a Telegram bot must have the form 123456:ABC-def.')
  const url = `${api_url.replace(/\/+$/, '')}/bot${token}/sendMessage`
  return {
    async send(message, { signal }) {
      const text = formatPlainMessage(message, MAX_LENGTH)
      const body = JSON.stringify({ chat_id, text, link_preview_options: { is_disabled: true } })
      const answer = await exchange(services, { url, headers: { 'content-type': 'application/json' }, body, signal })
      if (!isSuccess(answer)) throw refusalError(url, answer, parseRetryAfter(answer.text))
    }
  }
}

/** Returns the pause in milliseconds that the body of an answer asks for; 0 if it asks for none. */
function parseRetryAfter(text: string): number {
  try {
    const { parameters } = JSON.parse(text) as { parameters?: { retry_after?: unknown } }
    return typeof parameters?.retry_after === 'number' ? parameters.retry_after * 1_000 : 0
  } catch {
    return 0
  }
}
