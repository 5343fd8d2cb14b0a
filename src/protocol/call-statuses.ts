// States of calls as values: also for the console, which loads no schemas.

export const SETTLED_STATUSES = ['success', 'error', 'rejected', 'cancelled', 'interrupted', 'expired'] as const
export const CALL_STATUSES = ['awaiting_approval', 'queued', 'running', ...SETTLED_STATUSES] as const
