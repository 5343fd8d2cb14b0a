// Status of a call or a task, in words that follow "it".

const WORDS: Readonly<Record<string, string>> = {
  awaiting_approval: 'waits for approval',
  queued: 'is queued',
  running: 'is running',
  success: 'succeeded',
  error: 'failed',
  rejected: 'was rejected',
  cancelled: 'was cancelled',
  expired: 'expired',
  exited: 'has ended',
  stopped: 'was stopped',
  interrupted: 'was interrupted',
  lost: 'was lost'
}

export const statusText = (status: string): string => WORDS[status] ?? `is ${status}`
