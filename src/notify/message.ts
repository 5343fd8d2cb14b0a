// Messages about waiting calls. All texts are redacted, escaped and bounded here, once for all kinds of channels.
import type { NotificationSettings } from '../config/notifications.ts'
import type { CallWithStatus } from '../protocol/calls.ts'
import { formatApprovalCount } from '../protocol/format-approval-count.ts'
import type { TestNotification, WaitingCallNotification } from '../protocol/notifications.ts'
import { steadyNow } from '../steady-time.ts'
import { escapeInvisible, escapeLine } from '../text/escape-invisible.ts'
import type { CreatedLink } from './decision-links.ts'
import { joinUrl } from './join-url.ts'

export type NotifiedCall = CallWithStatus<'awaiting_approval'>
/** Replaces known secrets in a text. */
export type Redact = (text: string) => string
type MessageSettings = Pick<NotificationSettings, 'detail' | 'base_url'>

const MAX_NAME_LENGTH = 128
const MAX_TITLE_LENGTH = 200
const MAX_REASON_LENGTH = 500
const MAX_PREVIEW_LENGTH = 2_000

/** Builds the message about a call that has waited since a time, in milliseconds since 1970. */
export function buildCallMessage(
  call: NotifiedCall,
  since: number,
  { detail, base_url }: MessageSettings,
  { redact, link }: { redact: Redact; link: CreatedLink | undefined }
): WaitingCallNotification {
  const { tool_call_id, tool, session_id, workspace, agent, approval } = call
  const { level, reason, preview, expires_at } = approval
  const line = (text: string, max: number) => cutText(escapeLine(redact(text)), max)
  const approvals = formatApprovalCount(approval)
  const text = detail === 'preview' ? formatPreview(preview) : undefined
  return {
    type: 'approval.waiting',
    timestamp: new Date().toISOString(),
    data: {
      tool_call_id,
      title: line(preview.title, MAX_TITLE_LENGTH),
      tool: line(tool, MAX_NAME_LENGTH),
      level,
      reason: line(reason, MAX_REASON_LENGTH),
      ...(approvals !== undefined && { approvals }),
      session_id: line(session_id, MAX_NAME_LENGTH),
      workspace,
      ...(agent !== undefined && { agent: line(agent, MAX_NAME_LENGTH) }),
      waiting_since: new Date(since).toISOString(),
      waited_ms: Math.max(0, Math.round(steadyNow() - since)),
      expires_at,
      ...(text !== undefined && { preview: cutText(escapeInvisible(redact(text)), MAX_PREVIEW_LENGTH) }),
      ...(base_url !== undefined && { url: formatCallUrl(base_url, tool_call_id) }),
      ...(link && { decide_url: link.url, decide_until: link.expires_at })
    }
  }
}

/**
 * Returns true if a message shows all of what is approved, as it is: nothing is cut, escaped or redacted. Then the call can be decided by
 * the buttons of the message. A strict call needs a second confirmation.
 */
export function isShownWhole({ approval, truncated }: NotifiedCall, { data }: WaitingCallNotification): boolean {
  const { level, approver, reason, preview } = approval
  const { text, diff, cut } = preview
  const hasOneContent = (text === undefined) !== (diff === undefined)
  return (
    level === 'ask' &&
    approver === undefined &&
    !cut &&
    !truncated &&
    hasOneContent &&
    data.title === preview.title &&
    data.reason === reason &&
    data.preview === formatPreview(preview)
  )
}

/** Formats the content of a preview between its warnings and the further information; undefined without content. */
function formatPreview(preview: NotifiedCall['approval']['preview']): string | undefined {
  const { notes = [], text, diff, information = [] } = preview
  const content = text ?? diff
  return content === undefined
    ? undefined
    : [...notes.map(note => `Warning: ${note}`), content, ...information].join('\n')
}

/** Builds a test message. In a channel with links, its link opens a page that shows whether the device can open them. */
export const buildTestMessage = (
  channel: string,
  { base_url, hasLinks }: { base_url: string | undefined; hasLinks: boolean }
): TestNotification => ({
  type: 'notification.test',
  timestamp: new Date().toISOString(),
  data: {
    channel,
    ...(base_url !== undefined && { url: joinUrl(base_url, hasLinks ? '/#decide=test' : '/') })
  }
})

const formatCallUrl = (base: string, id: string) => joinUrl(base, `/#/approvals/${encodeURIComponent(id)}`)

/** Cuts a text without splitting a character; the cut shows as `…`. */
export const cutText = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}\u2026`
