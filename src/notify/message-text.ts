// Messages as text, for channels that people read.
import type { Notification } from '../protocol/notifications.ts'
import { cutText } from './message.ts'

export interface MessageText {
  title: string
  /** Lines below the title, without the link. */
  body: string
  url: string | undefined
}

/** Formats a message as a title and at most so many characters below it. */
export function formatMessage(message: Notification, maxLength: number): MessageText {
  const { title, lines, url } = describeMessage(message)
  return { title, body: cutText(lines.filter(line => line !== undefined).join('\n'), maxLength), url }
}

/** Returns true if `formatMessage` cuts nothing of a message. */
export function fitsIn(message: Notification, maxLength: number): boolean {
  const { title, body } = formatMessage(message, Number.POSITIVE_INFINITY)
  return title.length + body.length < maxLength
}

/** Formats a message as one text that ends with the link, if there is one. */
export function formatPlainMessage(message: Notification, maxLength: number): string {
  const { title, body, url } = formatMessage(message, maxLength)
  return [title, body, ...(url === undefined ? [] : [url])].join('\n')
}

function describeMessage(message: Notification): Omit<MessageText, 'body'> & { lines: (string | undefined)[] } {
  if (message.type === 'notification.test') {
    const { channel, url } = message.data
    return { title: 'Toolgate: test notification', lines: [`The channel ${channel} works.`], url }
  }
  const {
    title,
    level,
    tool,
    agent,
    session_id,
    workspace,
    reason,
    waited_ms,
    approvals,
    preview,
    url,
    decide_url = url
  } = message.data
  return {
    title: `${level === 'strict' ? 'Strict approval' : 'Approval'} needed: ${title}`,
    lines: [
      reason,
      [
        `Tool ${tool}`,
        ...(agent === undefined ? [] : [`agent ${agent}`]),
        `session ${session_id}`,
        `workspace ${workspace}`
      ].join(', '),
      `Waiting for ${formatDuration(waited_ms)}${approvals === undefined ? '' : `, ${approvals}`}`,
      preview
    ],
    url: decide_url
  }
}

const MINUTE_S = 60
const HOUR_S = 3_600

function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  if (seconds < 2 * MINUTE_S) return `${seconds} s`
  if (seconds < 2 * HOUR_S) return `${Math.round(seconds / MINUTE_S)} min`
  return `${Math.round(seconds / HOUR_S)} h`
}
