// Approval as an MCP elicitation form: the preview, and the fields of a decision. A preview that is cut can only be rejected here.
import type { ElicitRequestFormParams } from '@modelcontextprotocol/server'
import type { ApprovalDecision, RejectionDecision } from '../../engine/approvals/decide.ts'
import { formatCutNote } from '../../engine/approvals/whole-preview.ts'
import { ALWAYS_ENDS } from '../../protocol/always-limits.ts'
import type { CallWithStatus } from '../../protocol/calls.ts'
import { describeApprovals } from '../../protocol/format-approval-count.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { redactParamsForDecision } from '../../text/secrets/credentials.ts'
import type { ElicitationReply } from './call-context.ts'

type PendingCall = CallWithStatus<'awaiting_approval'>

/** Maximum length of the preview, for the size of a dialog; front ends show all of it. */
const MAX_CHARACTERS = 6_000
const ONCE = 'once'

export function createApprovalForm(call: PendingCall): ElicitRequestFormParams {
  const { level, always_options } = call.approval
  const isWhole = isWholeInForm(call)
  const strict = level === 'strict' && isWhole
  const remember = [{ const: ONCE, title: 'Decide only about this call' }, ...always_options.map(toChoice)]
  return {
    mode: 'form',
    message: formatMessage(call),
    requestedSchema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'Decision',
          oneOf: [...(isWhole ? [{ const: 'approve', title: 'Approve' }] : []), { const: 'reject', title: 'Reject' }]
        },
        ...(strict && {
          confirm: {
            type: 'boolean',
            title: 'I have read the preview',
            description: `Required to approve. Digest of the preview: ${call.approval.digest}.`
          }
        }),
        ...(isWhole &&
          always_options.length > 0 && {
            remember: { type: 'string', title: 'Also save a rule', oneOf: remember },
            end: {
              type: 'string',
              title: 'The rule applies',
              description: 'Only if you save a rule.',
              oneOf: ALWAYS_ENDS.map(({ id, title }) => ({ const: id, title }))
            }
          }),
        reason: {
          type: 'string',
          title: 'Reason',
          description: 'Reason for the log. If you reject, the agent also gets it.'
        }
      },
      required: ['decision']
    }
  }
}

const toChoice = ({ id, label, scope }: PendingCall['approval']['always_options'][number]) => ({
  const: id,
  title: `${label} (${scope})`
})

function formatMessage(call: PendingCall) {
  const { tool, workspace, agent, approval, tool_call_id } = call
  const { preview, reason, level } = approval
  const shown = formatEffects(call)
  const approvals = describeApprovals(approval)
  const who = agent === undefined ? '' : ` for ${agent}`
  const words = [
    `${preview.title}`,
    `${tool} in workspace ${workspace}${who} (${tool_call_id}). ${reason}`,
    ...(approvals === undefined ? [] : [`This call ${approvals}.`]),
    ...(level === 'strict' ? ['This call cannot easily be undone. Read the whole preview.'] : []),
    ...(preview.notes ?? []).map(note => `Note: ${note}`),
    ...(preview.information ?? []),
    ...(shown === '' ? [] : ['', truncate(shown)]),
    // Of a preview that is cut in the call, its notes say so.
    ...(isWholeInForm(call) || preview.cut ? [] : ['', formatCutNote(tool_call_id)])
  ]
  // Escape the text: a diff contains raw file content, and the client may be a terminal.
  return escapeInvisible(words.join('\n'))
}

function truncate(text: string) {
  if (text.length <= MAX_CHARACTERS) return text
  const end = text.lastIndexOf('\n', MAX_CHARACTERS)
  const shown = text.slice(0, end > 0 ? end : MAX_CHARACTERS)
  return `${shown}\n[${text.length - shown.length} more characters]`
}

/** Formats what the call would do: its preview, or its params if the preview has only a title. */
function formatEffects({ params, approval: { preview } }: PendingCall): string {
  const { text, diff } = preview
  if (text === undefined && diff === undefined) return JSON.stringify(redactParamsForDecision(params), null, 2)
  return [text, diff].filter(part => part !== undefined).join('\n\n')
}

/** Returns true if the form shows all of what is decided on. */
const isWholeInForm = (call: PendingCall) => !call.approval.preview.cut && formatEffects(call).length <= MAX_CHARACTERS

/** Parses the answers of a form about a call. Undefined if no decision was made, or none that the form offered. */
export function parseDecision(
  { action, content = {} }: ElicitationReply,
  call: PendingCall
): { approve: ApprovalDecision } | { reject: RejectionDecision } | undefined {
  const reason =
    typeof content.reason === 'string' && content.reason !== '' ? content.reason.slice(0, 4_096) : undefined
  if (action === 'decline') return { reject: {} }
  if (action !== 'accept') return undefined
  if (content.decision === 'reject')
    return { reject: { ...(reason !== undefined && { reason, user_message: reason }) } }
  if (content.decision !== 'approve' || !isWholeInForm(call)) return undefined
  const { remember } = content
  const always = typeof remember === 'string' && remember !== ONCE ? remember : undefined
  // An end that was not offered must not become a rule without one.
  const end = ALWAYS_ENDS.find(({ id }) => id === (content.end ?? ALWAYS_ENDS[0]!.id))
  if (always !== undefined && !end) return undefined
  return {
    approve: {
      digest: call.approval.digest,
      confirm: content.confirm === true,
      ...(always !== undefined && { always, always_limits: end!.limits }),
      ...(reason !== undefined && { reason })
    }
  }
}
