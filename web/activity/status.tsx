// The status of a call or a job as a coloured label.
import type { Job } from '../../src/client/client.ts'

/** Successful states have no entry: they need no attention. */
const STATUS_KINDS: Record<string, 'good' | 'warn' | 'bad' | 'accent'> = {
  running: 'accent',
  queued: 'accent',

  awaiting_approval: 'warn',
  error: 'bad',
  rejected: 'bad',
  interrupted: 'bad',
  expired: 'warn',
  lost: 'bad'
}

const STATUS_LABELS: Record<string, string> = { success: 'done', awaiting_approval: 'waiting', error: 'failed' }

export const statusLabel = (status: string): string => STATUS_LABELS[status] ?? status

export const Status = ({ status }: { status: string }) => (
  <span class={`badge ${STATUS_KINDS[status] ?? 'plain'}`}>{statusLabel(status)}</span>
)

/** Adds the exit code for a command that exited by itself. */
export const JobStatus = ({ job: { status, exit_code } }: { job: Job }) =>
  status === 'exited' && typeof exit_code === 'number' && exit_code !== 0 ? (
    <span class="badge bad">exit {exit_code}</span>
  ) : (
    <Status status={status} />
  )
