// Entries of the trees: waiting calls, jobs, recent calls.
import type { Call, Job } from '../../../../src/client/client.ts'
import { escapeLine } from '../../../../src/text/escape-invisible.ts'
import { describeEnd } from './describe-end.ts'
import { formatClock, formatDeadline } from './format-time.ts'
import type { WaitingEntry } from './waiting-calls.ts'

export interface TreeEntry {
  readonly id: string
  readonly label: string
  readonly description: string
  readonly tooltip: string
  /** Name of an icon of VS Code. */
  readonly icon: string
  /** Id of the color of the icon. */
  readonly color?: string
  /** Kind of the entry, on which its menus depend. */
  readonly kind: 'waiting' | 'job-running' | 'job-ended' | 'call' | 'call-undoable'
}

export function describeWaitingCall({ call, overtakenBy }: WaitingEntry, now: Date): TreeEntry {
  const { tool, approval, agent, client, session_id } = call
  const isStrict = approval.level === 'strict'
  const deadline = formatDeadline(approval.expires_at, now)
  return {
    id: call.tool_call_id,
    label: escapeLine(approval.preview.title),
    description: escapeLine([tool, agent ?? client].join(' · ')),
    tooltip: escapeLine(
      [
        approval.preview.title,
        `${tool}: ${approval.reason}`,
        `session ${session_id}`,
        ...(deadline === undefined ? [] : [deadline]),
        ...(overtakenBy === undefined ? [] : [`${overtakenBy} has changed`])
      ].join(' · ')
    ),
    icon: isStrict ? 'warning' : iconOf(call),
    color: isStrict ? 'list.errorForeground' : 'list.warningForeground',
    kind: 'waiting'
  }
}

/** Returns the icon for the effect that the preview shows. */
const iconOf = ({ approval: { preview } }: WaitingEntry['call']) =>
  preview.diff !== undefined ? 'edit' : preview.text !== undefined ? 'terminal' : 'question'

export function describeJob(job: Job): TreeEntry {
  const isRunning = job.status === 'running'
  const code = job.exit_code
  return {
    id: job.task_id,
    label: escapeLine(job.description ?? job.command),
    description: isRunning ? 'running' : typeof code === 'number' ? `${job.status}, exit code ${code}` : job.status,
    tooltip: escapeLine(`${job.command} · ${job.cwd} · ${job.isolation}`),
    icon: isRunning ? 'sync~spin' : code === 0 ? 'pass' : 'error',
    kind: isRunning ? 'job-running' : 'job-ended'
  }
}

export function describeRecentCall(call: Call): TreeEntry {
  const undo = 'undo' in call && call.undo?.available === true
  const title = 'approval' in call ? call.approval?.preview.title : undefined
  const result = call.status === 'success' ? call.result?.title : undefined
  return {
    id: call.tool_call_id,
    label: escapeLine(result ?? title ?? call.tool),
    description: escapeLine([call.tool, formatClock(new Date(call.created_at))].join(' · ')),
    tooltip: escapeLine(`${title ?? result ?? call.tool} · ${describeEnd(call)}`),
    icon: ICONS[call.status] ?? 'circle-slash',
    kind: undo ? 'call-undoable' : 'call'
  }
}

const ICONS: Readonly<Record<string, string>> = {
  queued: 'clock',
  running: 'sync~spin',
  success: 'pass',
  error: 'error',
  rejected: 'circle-slash'
}
