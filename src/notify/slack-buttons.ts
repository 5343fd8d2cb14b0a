// Buttons of messages in Slack: their blocks, and the signed requests that Slack sends when one is pressed.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { ToolError } from '../errors.ts'
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
  const payload = JSON.parse(new URLSearchParams(body).get('payload') ?? 'null') as BlockActions | null
  const value = payload?.actions?.[0]?.value
  if (payload?.type !== 'block_actions' || typeof value !== 'string') return undefined
  const { user, container, message } = payload
  return {
    user_id: String(user?.id),
    data: value,
    message:
      container?.channel_id === undefined || container.message_ts === undefined
        ? undefined
        : {
            channel: container.channel_id,
            ts: container.message_ts,
            text: message?.text ?? '',
            blocks: message?.blocks ?? []
          }
  }
}

interface BlockActions {
  type?: string
  user?: { id?: string }
  actions?: { value?: unknown }[]
  container?: { channel_id?: string; message_ts?: string }
  message?: { text?: string; blocks?: { type: string }[] }
}

function assertSigned(headers: ServiceRequest['headers'], body: string, secret: string) {
  const time = String(headers['x-slack-request-timestamp'] ?? '')
  const given = Buffer.from(String(headers['x-slack-signature'] ?? ''))
  const right = Buffer.from(`v0=${createHmac('sha256', secret).update(`v0:${time}:${body}`).digest('hex')}`)
  const age = Math.abs(Date.now() / 1_000 - Number(time))
  if (given.length === right.length && timingSafeEqual(given, right) && age <= MAX_AGE_S) return
  throw new ToolError('UNAUTHORIZED', 'The request is not signed with the signing secret of the app, or is too old.')
}
