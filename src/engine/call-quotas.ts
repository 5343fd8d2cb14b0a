// Shares of the open calls, jobs and evaluations for tokens that may not approve, and for each of their sessions: none can fill the queue,
// or the list of approvals, for others. A token that was made with another one counts in the share of that.
import { ToolError } from '../errors.ts'
import type { Call } from '../protocol/calls.ts'
import type { ActiveCall } from './active-call.ts'

type CountedCall = Pick<ActiveCall, 'share' | 'call'>

type Count = 'open_calls' | 'waiting_approvals'
type Scope = 'token' | 'session'

/** Maximum numbers of calls that have not ended, and of those that wait for a decision. */
const MAX_CALLS: Record<Count, Record<Scope, number>> = {
  open_calls: { token: 1_000, session: 500 },
  waiting_approvals: { token: 200, session: 100 }
}
/** Maximum number of bytes of the calls of one token that wait for a decision: their params and previews. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024
/** Maximum number of evaluations of one token that are under way: dry runs, explanations and previews of an undo. */
const MAX_EVALUATIONS = 4
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
  waiting_approvals: 'calls that wait for approval'
}

export class CallQuotas {
  readonly #activeCalls: ReadonlyMap<string, CountedCall>
  /** Numbers of evaluations under way. */
  readonly #evaluations = new Map<string, number>()
  readonly #queue: number
  readonly #jobs: number

  /** `queue` and `jobs` are the maximum numbers of open calls and of running jobs of all callers. */
  constructor(activeCalls: ReadonlyMap<string, CountedCall>, { queue, jobs }: { queue: number; jobs: number }) {
    this.#activeCalls = activeCalls
    this.#queue = queue
    this.#jobs = jobs
  }

  /** Throws OVERLOADED if the queue has no room for a caller, QUOTA_EXCEEDED if its token or session has no further share of it. */
  assertMayOpen(share: string | undefined, session_id: string) {
    const { size } = this.#activeCalls
    const reserved = share === undefined ? 0 : Math.ceil(this.#queue * APPROVERS_SHARE)
    if (size >= Math.max(1, this.#queue - reserved))
      throw new ToolError(
        'OVERLOADED',
        `The server has ${size} calls that have not ended, which is the maximum. Wait until some of them end, or cancel some.`,
        { retry_after_ms: 1_000 }
      )
    this.#assertShare('open_calls', share, session_id, () => true)
  }

  /** Throws QUOTA_EXCEEDED if too many calls of its token or session wait for a decision. */
  assertMayWait({ share, call }: CountedCall) {
    this.#assertShare('waiting_approvals', share, call.session_id, isWaiting)
  }

  /** Throws QUOTA_EXCEEDED if the waiting calls of its token would have too many bytes with one that begins to wait as it is given. */
  assertRoomToWait(share: string | undefined, call: Call) {
    if (share === undefined) return
    const waiting = this.#findCalls(share, isWaiting)
    const bytes = waiting.reduce((sum, each) => sum + countBytes(each.call), 0)
    if (waiting.length === 0 || bytes + countBytes(call) <= MAX_WAITING_BYTES) return
    throw new ToolError(
      'QUOTA_EXCEEDED',
      `The calls of this token that wait for approval have ${bytes} bytes; with this call they would exceed the maximum ` +
        `of ${MAX_WAITING_BYTES}. Wait until some of them are decided, or cancel some.`,
      { limit: 'waiting_bytes_per_token', max: MAX_WAITING_BYTES, retry_after_s: RETRY_AFTER_S.waiting_approvals }
    )
  }

  /** Evaluates a request without running it. Throws QUOTA_EXCEEDED if too many such evaluations of its token are under way. */
  async runEvaluation<T>(share: string | undefined, evaluate: () => Promise<T>): Promise<T> {
    if (share === undefined) return evaluate()
    const running = this.#evaluations.get(share) ?? 0
    if (running >= MAX_EVALUATIONS)
      throw new ToolError(
        'QUOTA_EXCEEDED',
        `${running} dry runs, explanations or previews of this token are in progress; the maximum is ${MAX_EVALUATIONS}. ` +
          'Wait until some of them end.',
        { limit: 'evaluations_per_token', max: MAX_EVALUATIONS, retry_after_s: 1 }
      )
    this.#evaluations.set(share, running + 1)
    try {
      return await evaluate()
    } finally {
      const left = this.#evaluations.get(share)! - 1
      if (left > 0) this.#evaluations.set(share, left)
      else this.#evaluations.delete(share)
    }
  }

  /** Throws QUOTA_EXCEEDED if a token runs `running` jobs and may not start another. */
  assertMayStartJob(share: string | undefined, running: number) {
    const max = Math.max(1, Math.floor(this.#jobs * MAX_JOBS_SHARE))
    if (share === undefined || running < max) return
    throw new ToolError(
      'QUOTA_EXCEEDED',
      `This token runs ${running} background commands; the maximum is ${max}. Stop one of them, or wait until one ends.`,
      { limit: 'running_jobs_per_token', max, retry_after_s: 10 }
    )
  }

  #assertShare(count: Count, share: string | undefined, session_id: string, isCounted: (call: Call) => boolean) {
    if (share === undefined) return
    const own = this.#findCalls(share, isCounted)
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
        `This ${scope} has ${numbers[scope]} ${DESCRIPTIONS[count]}; the maximum is ${max}. Wait until some of them end, or cancel some.`,
        { limit: `${count}_per_${scope}`, max, retry_after_s }
      )
    }
  }

  #findCalls(share: string, isCounted: (call: Call) => boolean): CountedCall[] {
    return [...this.#activeCalls.values()].filter(live => live.share === share && isCounted(live.call))
  }
}

const isWaiting = ({ status }: Call) => status === 'awaiting_approval'

const BYTES = new WeakMap<Call, number>()

/** Returns the size of a call as JSON, which is computed once. */
function countBytes(call: Call): number {
  const known = BYTES.get(call)
  if (known !== undefined) return known
  const bytes = Buffer.byteLength(JSON.stringify(call))
  BYTES.set(call, bytes)
  return bytes
}
