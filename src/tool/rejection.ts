/** Reason of a call that a person rejected without giving one. */
export const DEFAULT_REJECTION_REASON = 'User rejected the operation'
