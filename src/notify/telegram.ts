// Messages of a Telegram bot: sendMessage of the Bot API. Presses of buttons are fetched by getUpdates, so that the server need not be
// reachable. The token is part of the URL, which no error shows.
import { setTimeout } from 'node:timers/promises'
import type { ChannelSettings } from '../config/notifications.ts'
import type { Channel, ChannelServices, Delivery, PressButton } from './channel.ts'
import { DeliveryError } from './delivery-error.ts'
import { joinUrl } from './join-url.ts'
import { fitsIn, formatPlainMessage } from './message-text.ts'
import { type Answer, exchange, isSuccess, refusalError } from './post-request.ts'
import { requireSecret } from './read-secret.ts'

const API_URL = 'https://api.telegram.org'
/** The limit of a message is 4,096 characters. */
const MAX_LENGTH = 3_000
/** Maximum length of the answer to a press. */
const MAX_ANSWER_LENGTH = 200
/** Time for which getUpdates waits for a press, in seconds. */
const POLL_S = 30
const POLL_MARGIN_MS = 10_000
/** Pause after an answer without a press, which a proxy may send at once. */
const EMPTY_PAUSE_MS = 500
/** Pause after a failed request. */
const RETRY_MS = 5_000
/** One update contains its message of up to 4,096 characters. */
const MAX_UPDATE_BYTES = 262_144

export function openTelegram(settings: ChannelSettings<'telegram'>, services: ChannelServices): Channel {
  const { chat_id, api_url = API_URL } = settings
  const token = requireSecret(services.readSecret, settings, 'token')
  if (!/^\d+:[\w-]+$/.test(token))
    throw new DeliveryError('The token of a Telegram bot must have the form 123456:ABC-def.')
  const base = joinUrl(api_url, `/bot${token}`)

  async function request(
    method: string,
    params: object,
    signal: AbortSignal,
    maxAnswerBytes?: number
  ): Promise<Answer> {
    const url = `${base}/${method}`
    const headers = { 'content-type': 'application/json' }
    const bound = maxAnswerBytes !== undefined && { maxAnswerBytes }
    const answer = await exchange(services, { url, headers, body: JSON.stringify(params), signal, ...bound })
    if (!isSuccess(answer)) throw refusalError(url, answer, parseRetryAfter(answer.text))
    return answer
  }

  return {
    async send(message, { buttons, signal }) {
      const text = formatPlainMessage(message, MAX_LENGTH)
      const keyboard = buttons && fitsIn(message, MAX_LENGTH) && { reply_markup: toKeyboard(buttons) }
      await request('sendMessage', { chat_id, text, link_preview_options: { is_disabled: true }, ...keyboard }, signal)
    },

    async listen(press, { isNeeded, signal }) {
      let offset = 0
      while (isNeeded())
        try {
          const update = await nextUpdate({ offset, timeout: POLL_S }, signal)
          if (!update) {
            await pause(EMPTY_PAUSE_MS, signal)
            continue
          }
          offset = update.update_id + 1
          if (update.callback_query) await answer(update.callback_query, press, signal)
        } catch {
          await pause(RETRY_MS, signal)
        }
      // Without this request the service would send the last press again.
      if (offset > 0) await nextUpdate({ offset, timeout: 0 }, signal).catch(() => {})
    }
  }

  async function nextUpdate(
    from: { offset: number; timeout: number },
    signal: AbortSignal
  ): Promise<Update | undefined> {
    const params = { ...from, limit: 1, allowed_updates: ['callback_query'] }
    const limit = AbortSignal.any([signal, AbortSignal.timeout(POLL_S * 1_000 + POLL_MARGIN_MS)])
    const { text } = await request('getUpdates', params, limit, MAX_UPDATE_BYTES)
    return (JSON.parse(text) as { result: Update[] }).result[0]
  }

  /** Decides, reports the outcome to the person, and removes the buttons of a call that is decided. */
  async function answer({ id, from, data, message }: CallbackQuery, press: PressButton, signal: AbortSignal) {
    const outcome = await press({ user_id: String(from.id), data: data ?? '' })
    const text = outcome.text.slice(0, MAX_ANSWER_LENGTH)
    await request('answerCallbackQuery', { callback_query_id: id, text, show_alert: !outcome.isDecided }, signal)
    if (!outcome.isDecided || !message) return
    const { chat, message_id } = message
    const without = { chat_id: chat.id, message_id, reply_markup: { inline_keyboard: [] } }
    await request('editMessageReplyMarkup', without, signal)
  }
}

interface Update {
  update_id: number
  callback_query?: CallbackQuery
}

interface CallbackQuery {
  id: string
  from: { id: number }
  data?: string
  message?: { message_id: number; chat: { id: number } }
}

const toKeyboard = ({ approve, reject }: NonNullable<Delivery['buttons']>) => ({
  inline_keyboard: [
    [
      { text: 'Approve', callback_data: approve },
      { text: 'Reject', callback_data: reject }
    ]
  ]
})

const pause = (ms: number, signal: AbortSignal) => setTimeout(ms, undefined, { signal, ref: false }).catch(() => {})

/** Returns the pause in milliseconds that the body of an answer asks for; 0 if it asks for none. */
function parseRetryAfter(text: string): number {
  try {
    const { parameters } = JSON.parse(text) as { parameters?: { retry_after?: unknown } }
    return typeof parameters?.retry_after === 'number' ? parameters.retry_after * 1_000 : 0
  } catch {
    return 0
  }
}
