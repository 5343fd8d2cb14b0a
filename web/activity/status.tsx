// How a call or a job stands, in a word and a colour.
import type { Job } from '../../src/client/client.ts'

/** What went as it should has none: it is what is not to be looked at. */
const STATUS_KINDS: Record<string, 'good' | 'warn' | 'bad' | 'accent'> = {
  running: 'accent',
  queued: 'accent',
  'job runs': 'accent',
  waits: 'warn',
  awaiting_approval: 'warn',
  error: 'bad',
  rejected: 'bad',
  interrupted: 'bad',
  expired: 'warn',
  lost: 'bad'
}

const STATUS_LABELS: Record<string, string> = { success: 'done', awaiting_approval: 'waits', error: 'failed' }

export const Status = ({ status }: { status: string }) => (
  <span class={`badge ${STATUS_KINDS[status] ?? 'plain'}`}>{STATUS_LABELS[status] ?? status}</span>
)

/** A command that ended by itself says with what. */
export const JobStatus = ({ job: { status, exit_code } }: { job: Job }) =>
  status === 'exited' && typeof exit_code === 'number' && exit_code !== 0 ? (
    <span class="badge bad">exit {exit_code}</span>
  ) : (
    <Status status={status} />
  )
