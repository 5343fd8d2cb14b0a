// Buttons of messages in Slack: their blocks, and the signed requests that Slack sends when one is pressed.
import { createHmac } from 'node:crypto'
import { ToolError } from '../errors.ts'
import { isObject, parseObject } from '../text/json-object.ts'
import { isTimingSafeEqual } from '../text/timing-safe-equal.ts'
import type { Delivery, ServiceRequest } from './channel.ts'
import type { ButtonPress } from './decision-buttons.ts'

/** Age at which a signed request is refused, in seconds: Slack's documentation names this time. */
const MAX_AGE_S = 300

/** A pressed button, and the message that it belongs to. */
export interface SlackPress extends ButtonPress {
  message: { channel: string; ts: string; text: string; blocks: readonly { type: string }[] } | undefined
}

/** Formats a text with buttons. A text that is not markup shows every character. */
export const toBlocks = (text: string, { approve, reject }: NonNullable<Delivery['buttons']>) => [
  { type: 'section', text: { type: 'plain_text', text, emoji: false } },
  {
    type: 'actions',
    elements: [toButton('Approve', approve, 'primary'), toButton('Reject', reject, 'danger')]
  }
]

const toButton = (label: string, value: string, style: string) => ({
  type: 'button',
  text: { type: 'plain_text', text: label },
  action_id: label.toLowerCase(),
  style,
  value
})

/** Returns the pressed button of a request. Throws UNAUTHORIZED unless Slack has signed the request lately. */
export function readPress({ headers, body }: ServiceRequest, secret: string): SlackPress | undefined {
  assertSigned(headers, body, secret)
  const { type, user, actions, container, message } = parseObject(new URLSearchParams(body).get('payload') ?? '') ?? {}
  const { value } = objectOf(Array.isArray(actions) ? actions[0] : undefined)
  const { id } = objectOf(user)
  if (type !== 'block_actions' || typeof value !== 'string' || typeof id !== 'string') return undefined
  const { channel_id, message_ts } = objectOf(container)
  const { text, blocks } = objectOf(message)
  const isKnown = typeof channel_id === 'string' && typeof message_ts === 'string' && Array.isArray(blocks)
  return {
    user_id: id,
    data: value,
    message: isKnown ? { channel: channel_id, ts: message_ts, text: String(text), blocks } : undefined
  }
}

const objectOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})

function assertSigned(headers: ServiceRequest['headers'], body: string, secret: string) {
  const time = String(headers['x-slack-request-timestamp'] ?? '')
  const given = String(headers['x-slack-signature'] ?? '')
  const right = `v0=${createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex')}`
  const age = Math.abs(Date.now() / 1_000 - Number(time))
  if (isTimingSafeEqual(given, right) && age <= MAX_AGE_S) return
  throw new ToolError('UNAUTHORIZED', 'The request is not signed with the signing secret of the app, or is too old.')
}
