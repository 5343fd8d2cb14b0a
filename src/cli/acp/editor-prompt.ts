// The permission request that shows a waiting call in the editor, and the decision that an answer stands for.
import path from 'node:path'
import type {
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallContent,
  ToolCallUpdate,
  ToolKind
} from '@agentclientprotocol/sdk'
import { type AlwaysLimits, type Call, type Client, ToolgateError } from '../../client/client.ts'
import { describeApprovals, formatApprovalCount } from '../../protocol/format-approval-count.ts'
import type { PendingCall } from '../ui/call-watcher.ts'
import { loadWholePreview } from '../ui/whole-preview.ts'
import { fence } from './fence.ts'
import { AcpError } from './message.ts'
import type { AcpSession } from './session.ts'

/** Maximum number of files that are shown side by side by the editor; more are shown as one unified diff. */
const MAX_FILES = 8
/** Maximum number of rules that are offered, each with and without an end: editors show an option as a button. */
const MAX_RULES = 2
const REJECT: PermissionOption = { optionId: 'reject', name: 'Reject', kind: 'reject_once' }
const ALWAYS_PREFIX = 'always:'
const HOUR_PREFIX = 'hour:'

type AlwaysOption = PendingCall['approval']['always_options'][number]

export interface EditorPrompt {
  request: RequestPermissionRequest
  /** The whole of a preview that is shortened in the call. */
  whole_digest?: string | undefined
}

/** Builds the request. `toolCall` is the one that the agent asks for, if it asks. */
export async function buildPrompt(
  session: AcpSession,
  call: PendingCall,
  { toolCall, signal }: { toolCall: ToolCallUpdate | undefined; signal: AbortSignal }
): Promise<EditorPrompt> {
  const whole = await loadWholePreview(session.decisions, call, signal)
  const content = await buildContent(session, whole.call, signal)
  const { title } = whole.call.approval.preview
  return {
    request: {
      sessionId: await session.acpId,
      toolCall: {
        toolCallId: call.tool_call_id,
        title,
        kind: KINDS[call.tool] ?? 'other',
        ...toolCall,
        status: 'pending',
        content
      },
      options: listOptions(whole.call)
    },
    whole_digest: whole.whole_digest
  }
}

/** Kinds of tools, by which editors choose an icon. */
const KINDS: Readonly<Record<string, ToolKind>> = {
  edit_file: 'edit',
  multi_edit: 'edit',
  write_file: 'edit',
  apply_patch: 'edit',
  delete_file: 'delete',
  move_file: 'move',
  read_file: 'read',
  shell_exec: 'execute',
  web_fetch: 'fetch'
}

function listOptions({ approval }: PendingCall): PermissionOption[] {
  const { level, approver, preview, always_options } = approval
  // The whole call must be visible before a person can approve it, and some calls are approved elsewhere.
  if (approver !== undefined || preview.cut) return [REJECT]
  const rules = level === 'strict' ? [] : offerRules(always_options)
  const count = formatApprovalCount(approval)
  const approve = count === undefined ? 'Approve' : `Approve (${count} so far)`
  return [
    { optionId: 'approve', name: level === 'strict' ? `${approve}: ${approval.reason}` : approve, kind: 'allow_once' },
    ...rules.map(({ optionId, name }) => ({ optionId, name, kind: 'allow_always' as const })),
    REJECT
  ]
}

interface OfferedRule {
  /** Id of the option in the editor. */
  optionId: string
  name: string
  always: string
  always_limits?: AlwaysLimits
}

/** Returns the rules that are offered: the narrowest ones. One that applies after the session is also offered for an hour. */
const offerRules = (options: readonly AlwaysOption[]): OfferedRule[] =>
  options.slice(0, MAX_RULES).flatMap(({ id, label, scope }) => {
    const rule = { optionId: `${ALWAYS_PREFIX}${id}`, name: label, always: id }
    if (scope === 'session') return [rule]
    const limited = { optionId: `${HOUR_PREFIX}${id}`, name: `${label}, for 1 hour`, always: id }
    return [{ ...limited, always_limits: { for: '1h' } }, rule]
  })

async function buildContent(session: AcpSession, call: PendingCall, signal: AbortSignal): Promise<ToolCallContent[]> {
  const { reason, preview, files = [] } = call.approval
  const approvals = describeApprovals(call.approval)
  const shown = preview.diff !== undefined && files.length > 0 && files.length <= MAX_FILES
  const diffs = shown ? await Promise.all(files.map(file => loadDiff(session, file, signal))) : []
  const isLoaded = shown && diffs.every(diff => diff !== undefined)
  const texts = [
    `**${reason}**`,
    ...(approvals === undefined ? [] : [`The call ${approvals}.`]),
    ...(preview.cut ? ['The preview is too long for the editor. To approve the call, use another front end.'] : []),
    ...(preview.text ? [fence(preview.text)] : []),
    ...(preview.diff && !isLoaded ? [fence(preview.diff, 'diff')] : []),
    ...[...(preview.notes ?? []), ...(preview.information ?? [])].map(note => `- ${note}`)
  ]
  return [
    { type: 'content', content: { type: 'text', text: texts.join('\n\n') } },
    ...(isLoaded ? diffs.filter(diff => diff !== undefined) : [])
  ]
}

type PreviewFile = NonNullable<PendingCall['approval']['files']>[number]

/** Returns a file of the preview with its texts; undefined if it cannot be shown as one. */
async function loadDiff(
  { decisions, cwd }: AcpSession,
  { path: before, to, before_href, after_href }: PreviewFile,
  signal: AbortSignal
): Promise<ToolCallContent | undefined> {
  if (to !== undefined || after_href === undefined) return undefined
  const load = (href: string) => decisions.previewText(href, { signal })
  try {
    const oldText = before_href === undefined ? null : await load(before_href)
    return { type: 'diff', path: path.resolve(cwd, before), oldText, newText: await load(after_href) }
  } catch (error) {
    // The files have changed since: the new preview is shown as a unified diff.
    if (error instanceof ToolgateError && error.code === 'PREVIEW_CHANGED') return undefined
    throw error
  }
}

/**
 * Sends the decision of the person in the editor, and returns the call after that. Throws if the answer is not one of the options that
 * were offered, and PREVIEW_CHANGED if the call is no longer the one that was shown.
 */
export async function sendDecision(
  client: Client,
  { tool_call_id, approval }: PendingCall,
  { request, whole_digest }: EditorPrompt,
  { outcome }: RequestPermissionResponse
): Promise<Call> {
  if (outcome.outcome === 'cancelled')
    return client.cancel(tool_call_id, { reason: 'The user cancelled the turn of the agent.' })
  const { optionId } = outcome
  if (!request.options.some(option => option.optionId === optionId))
    throw new AcpError(`The editor answered with the option ${JSON.stringify(optionId)}, which was not offered.`)
  if (optionId === REJECT.optionId) return client.reject(tool_call_id, { reason: 'Rejected in the editor.' })
  return client.approve(tool_call_id, {
    digest: approval.digest,
    ...(whole_digest !== undefined && { whole_digest }),
    ...(approval.level === 'strict' && { confirm: true }),
    ...toAlways(approval.always_options, optionId),
    wait_ms: 0
  })
}

/** Returns the fields of the decision that save the rule of an option. */
function toAlways(options: readonly AlwaysOption[], chosen: string) {
  const rule = offerRules(options).find(({ optionId }) => optionId === chosen)
  return rule && { always: rule.always, ...(rule.always_limits && { always_limits: rule.always_limits }) }
}
