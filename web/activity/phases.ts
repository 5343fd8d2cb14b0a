// Splits the duration of a call into phases: approval, queue, execution, and its job.

/** The times of a call, in milliseconds since 1970. */
export interface CallTimes {
  status: string
  createdAt: number
  /** True if it needed a decision. */
  waited: boolean
  decidedAt?: number
  startedAt?: number
  endedAt?: number
  /** Times of the job that it left in the background. */
  jobStartedAt?: number
  jobEndedAt?: number
}

export interface Phase {
  name: 'decision' | 'turn' | 'run' | 'job'
  from: number
  to: number
  /** It has not ended. */
  open?: true
}

/** Returns the phases of a call in order. `now` is the provisional end of one that has not ended. */
export function toPhases(call: CallTimes, now: number): Phase[] {
  const { status, createdAt, waited, decidedAt, startedAt, endedAt, jobStartedAt, jobEndedAt } = call
  const isWaiting = status === 'awaiting_approval'
  const neverRan = isWaiting || (endedAt !== undefined && startedAt === undefined)
  const ends: [name: Phase['name'], to: number | undefined][] = [
    ...(waited ? [['decision', isWaiting ? undefined : (decidedAt ?? startedAt ?? endedAt)] as const] : []),
    ...(neverRan ? [] : [['turn', startedAt] as const]),
    ...(startedAt === undefined ? [] : [['run', endedAt] as const]),
    ...(jobStartedAt === undefined ? [] : [['job', jobEndedAt] as const])
  ].map(([name, to]) => [name, to])
  let from = createdAt
  return ends.map(([name, to]) => {
    const phase = { name, from, to: Math.max(from, to ?? now), ...(to === undefined && { open: true as const }) }
    from = phase.to
    return phase
  })
}
