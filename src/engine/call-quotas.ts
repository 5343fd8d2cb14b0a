// Shares of the open calls and jobs for tokens that may not approve, and for each of their sessions: none can fill the queue, or the list of
// approvals, for others.
import { ToolError } from '../errors.ts'
import type { ActiveCall } from './active-call.ts'

type Count = 'open_calls' | 'waiting_approvals'
type Scope = 'token' | 'session'

/** Maximum numbers of calls that have not ended, and of those that wait for a decision. */
const MAX_CALLS: Record<Count, Record<Scope, number>> = {
  open_calls: { token: 1_000, session: 500 },
  waiting_approvals: { token: 200, session: 100 }
}
/** Seconds after which a refused caller should try again: people decide more slowly than calls end. */
const RETRY_AFTER_S: Record<Count, number> = { open_calls: 1, waiting_approvals: 10 }
/** Share of the queue that one token can fill. */
const MAX_QUEUE_SHARE = 0.5
/** Share of the background jobs that one token can run. */
const MAX_JOBS_SHARE = 0.75
/** Share of the queue that is left to callers that may approve. */
const APPROVERS_SHARE = 0.1

const DESCRIPTIONS: Record<Count, string> = {
  open_calls: 'calls that have not ended',
  waiting_approvals: 'calls that wait for a decision'
}

export class CallQuotas {
  readonly #activeCalls: ReadonlyMap<string, Pick<ActiveCall, 'owner' | 'call'>>
  readonly #queue: number
  readonly #jobs: number

  /** `queue` and `jobs` are the maximum numbers of open calls and of running jobs of all callers. */
  constructor(
    activeCalls: ReadonlyMap<string, Pick<ActiveCall, 'owner' | 'call'>>,
    { queue, jobs }: { queue: number; jobs: number }
  ) {
    this.#activeCalls = activeCalls
    this.#queue = queue
    this.#jobs = jobs
  }

  /** Throws OVERLOADED if the queue has no room for a caller, QUOTA_EXCEEDED if its token or session has no further share of it. */
  assertMayOpen(owner: string | undefined, session_id: string) {
    const { size } = this.#activeCalls
    const reserved = owner === undefined ? 0 : Math.ceil(this.#queue * APPROVERS_SHARE)
    if (size >= Math.max(1, this.#queue - reserved))
      throw new ToolError('OVERLOADED', `${size} calls are open already.`, { retry_after_ms: 1_000 })
    this.#assertShare('open_calls', owner, session_id, () => true)
  }

  /** Throws QUOTA_EXCEEDED if too many calls of its token or session wait for a decision. */
  assertMayWait({ owner, call }: Pick<ActiveCall, 'owner' | 'call'>) {
    this.#assertShare('waiting_approvals', owner, call.session_id, each => each.status === 'awaiting_approval')
  }

  /** Throws QUOTA_EXCEEDED if a token runs `running` jobs and may not start another. */
  assertMayStartJob(owner: string | undefined, running: number) {
    const max = Math.max(1, Math.floor(this.#jobs * MAX_JOBS_SHARE))
    if (owner === undefined || running < max) return
    throw new ToolError(
      'QUOTA_EXCEEDED',
      `This token runs ${running} commands in the background; at most ${max} are allowed. Stop one.`,
      { limit: 'running_jobs_per_token', max, retry_after_s: 10 }
    )
  }

  #assertShare(
    count: Count,
    owner: string | undefined,
    session_id: string,
    isCounted: (call: ActiveCall['call']) => boolean
  ) {
    if (owner === undefined) return
    const own = [...this.#activeCalls.values()].filter(live => live.owner === owner && isCounted(live.call))
    const numbers: Record<Scope, number> = {
      session: own.filter(({ call }) => call.session_id === session_id).length,
      token: own.length
    }
    for (const scope of ['session', 'token'] as const) {
      const max = Math.max(1, Math.min(MAX_CALLS[count][scope], Math.floor(this.#queue * MAX_QUEUE_SHARE)))
      if (numbers[scope] < max) continue
      const retry_after_s = RETRY_AFTER_S[count]
      throw new ToolError(
        'QUOTA_EXCEEDED',
        `This ${scope} has ${numbers[scope]} ${DESCRIPTIONS[count]}; at most ${max} are allowed. Wait for some of them, or cancel some.`,
        { limit: `${count}_per_${scope}`, max, retry_after_s }
      )
    }
  }
}
