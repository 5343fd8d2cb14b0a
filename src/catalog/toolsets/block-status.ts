/** Returns the status of a block for that of a call or a task. */
export const toBlockStatus = (status: string): string => BLOCK_STATUS[status] ?? 'Error'

const BLOCK_STATUS: Readonly<Record<string, string>> = {
  awaiting_approval: 'Pending',
  queued: 'Running',
  running: 'Running',
  success: 'Complete',
  exited: 'Complete',
  rejected: 'Denied',
  cancelled: 'Cancelled',
  stopped: 'Cancelled'
}
