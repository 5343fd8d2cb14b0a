// Messages in Slack: by an incoming webhook, or by chat.postMessage with the token of a bot.
import type { ChannelSettings } from '../config/notifications.ts'
import type { Notification } from '../protocol/notifications.ts'
import type { Channel, ChannelServices } from './channel.ts'
import { DeliveryError } from './delivery-error.ts'
import { escapeMarkup } from './escape-markup.ts'
import { joinUrl } from './join-url.ts'
import { fitsIn, formatPlainMessage } from './message-text.ts'
import { type Answer, postRequest } from './post-request.ts'
import { readPress, toBlocks } from './slack-buttons.ts'

const API_URL = 'https://slack.com/api'
const MAX_LENGTH = 3_000
/** Errors of the API with which the same request may be accepted later. */
const TEMPORARY_ERRORS: readonly string[] = [
  'fatal_error',
  'internal_error',
  'ratelimited',
  'request_timeout',
  'service_unavailable'
]

export function openSlack(settings: ChannelSettings<'slack'>, services: ChannelServices): Channel {
  const webhook = services.readSecret(settings, 'url')
  const token = services.readSecret(settings, 'token')
  const signing_secret = services.readSecret(settings, 'signing_secret')
  const { channel, api_url = API_URL, deciders } = settings
  if (deciders && (token === undefined || signing_secret === undefined))
    throw new DeliveryError('With deciders the channel needs the token of a bot, and the signing secret.')
  if (webhook !== undefined && !deciders) {
    if (!/^https?:\/\//.test(webhook)) throw new DeliveryError('The webhook of Slack must be a URL.')
    return {
      async send(message, { signal }) {
        await postJson(services, { url: webhook, signal, body: toContent(message) })
      }
    }
  }
  if (token === undefined || channel === undefined)
    throw new DeliveryError('The channel needs url_file or url_env, or a token and the channel in Slack.')
  const request = async (method: string, body: object, signal: AbortSignal) => {
    const url = joinUrl(api_url, `/${method}`)
    assertAccepted(await postJson(services, { url, signal, headers: { authorization: `Bearer ${token}` }, body }))
  }
  return {
    async send(message, { buttons, signal }) {
      const blocks = buttons &&
        fitsIn(message, MAX_LENGTH) && { blocks: toBlocks(formatPlainMessage(message, MAX_LENGTH), buttons) }
      await request('chat.postMessage', { channel, ...toContent(message), ...blocks }, signal)
    },

    ...(signing_secret !== undefined &&
      ({
        async receive(received, { press, signal }) {
          const pressed = readPress(received, signing_secret)
          if (!pressed) return
          const { isDecided, text } = await press(pressed)
          const { message, user_id } = pressed
          if (!message) return
          const blocks = message.blocks.filter(({ type }) => type !== 'actions')
          const outcome = { type: 'context', elements: [{ type: 'plain_text', text, emoji: false }] }
          const answer = isDecided
            ? request('chat.update', { ...message, blocks: [...blocks, outcome] }, signal)
            : request('chat.postEphemeral', { channel: message.channel, user: user_id, text }, signal)
          // Slack waits three seconds for the response. The decision is made, also if the person does not learn of it here.
          answer.catch(() => {})
        }
      } satisfies Pick<Channel, 'receive'>))
  }
}

interface JsonRequest {
  url: string
  headers?: Record<string, string>
  body: object
  signal: AbortSignal
}

const postJson = (services: ChannelServices, { headers, body, ...request }: JsonRequest) =>
  postRequest(services, {
    ...request,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(body)
  })

/** The API answers with status 200 also if it refuses. */
function assertAccepted({ text }: Answer) {
  const { ok, error } = parseAnswer(text)
  if (ok === true) return
  const code = typeof error === 'string' ? error : 'an answer that is not JSON'
  throw new DeliveryError(`Slack returned ${code}`, {
    isPermanent: typeof error === 'string' && !TEMPORARY_ERRORS.includes(error)
  })
}

function parseAnswer(text: string): { ok?: unknown; error?: unknown } {
  try {
    return (JSON.parse(text) as object | null) ?? {}
  } catch {
    return {}
  }
}

/** Unescaped, a title could mention everyone. */
const toContent = (message: Notification) => ({
  text: escapeMarkup(formatPlainMessage(message, MAX_LENGTH)),
  mrkdwn: false,
  unfurl_links: false,
  unfurl_media: false
})
