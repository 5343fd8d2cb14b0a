// Delegations: effects that a front end performs on behalf of a call, such as changing an editor's buffer. The front end receives
// them as events and answers over HTTP; exactly one answer counts. They live in memory: a call does not outlive the server that
// ran it.
import { ToolError } from '../../errors.ts'
import type { Journal } from '../../events/journal.ts'
import type { Delegation } from '../../protocol/delegations.ts'
import {
  type EffectAnswer,
  type EffectParams,
  FRONT_END_EFFECTS,
  type FrontEndEffect
} from '../../protocol/front-end.ts'
import { steadyNow } from '../../steady-time.ts'
import { newId } from '../id.ts'
import type { CallScope, FrontEndRegistry } from './front-end-registry.ts'

/** A request to a front end. */
interface DelegationRequest<E extends FrontEndEffect = FrontEndEffect> {
  effect: E
  /** The target front end. */
  client_id: string
  params: EffectParams<E>
}

/** The outcome reported by the front end: these two fields, and those of the effect's answer. */
interface FrontEndAnswer {
  status: 'done' | 'refused'
  reason?: string | undefined
  [field: string]: unknown
}

/** The outcome of a delegation. */
interface EndedDelegation {
  delegation_id: string
  outcome: 'done' | 'refused' | 'withdrawn' | 'timeout' | 'gone'
  /** The client that answered. */
  by?: string
  reason?: string
}

/** An ended delegation with its answer, or the reason that none is awaited. */
interface DelegationEnd {
  outcome: EndedDelegation['outcome']
  answer?: FrontEndAnswer
  error?: unknown
}

interface OpenDelegation {
  delegation: Delegation
  /** As of `ActiveCall`. */
  share: string | undefined
  /** Size of the params as JSON. */
  bytes: number
  settle(end: DelegationEnd): void
}

/** Number of ended delegations to remember, for late answers. */
const MAX_ENDED = 1_000
/** Maximum number of pending delegations per front end, and of bytes of their params. */
const MAX_PENDING = { count: 100, bytes: 32 * 1024 * 1024 }
/** The same for those of one token that may not approve. */
const MAX_PENDING_PER_TOKEN = { count: 25, bytes: 8 * 1024 * 1024 }
/** Seconds after which a refused caller should try again: people answer more slowly than programs. */
const RETRY_AFTER_S = 10

export class Delegations {
  readonly #journal: Journal
  readonly #frontEnds: FrontEndRegistry
  readonly #open = new Map<string, OpenDelegation>()
  readonly #ended = new Map<string, EndedDelegation>()
  /** Front ends whose stream has ended, until they are given up. */
  readonly #disconnected = new Map<string, NodeJS.Timeout>()

  constructor(journal: Journal, frontEnds: FrontEndRegistry, { grace_ms }: { grace_ms: number }) {
    this.#journal = journal
    this.#frontEnds = frontEnds
    frontEnds.listen({
      entered: client_id => this.#onReconnect(client_id),
      left: client_id => {
        if (!this.listOpen(client_id).length) return
        this.#disconnected.set(client_id, setTimeout(() => this.#onGraceExpired(client_id), grace_ms).unref())
      }
    })
  }

  /**
   * Sends a delegation and returns its answer; rejects if it is refused. A front end that loses its stream can reconnect and
   * answer in time.
   */
  async request<E extends FrontEndEffect>(
    about: CallScope,
    request: DelegationRequest<E>,
    { ms, signal, share }: { ms: number; signal: AbortSignal; share: string | undefined }
  ): Promise<FrontEndAnswer & EffectAnswer<E>> {
    signal.throwIfAborted()
    this.#assertCapacity(request, share)
    const { delegation_id, ended } = this.start(about, request, ms, share)
    const withdraw = () => this.withdraw(delegation_id, signal.reason)
    signal.addEventListener('abort', withdraw, { once: true })
    try {
      const { answer, error } = await ended
      if (!answer) throw error
      return answer as FrontEndAnswer & EffectAnswer<E>
    } finally {
      signal.removeEventListener('abort', withdraw)
    }
  }

  /** Starts a delegation, and reports its end, which always comes. */
  start<E extends FrontEndEffect>(
    about: CallScope,
    request: DelegationRequest<E>,
    ms: number,
    share?: string
  ): { delegation_id: string; ended: Promise<DelegationEnd> } {
    const { client_id, effect } = request
    this.#frontEnds.assertOffers(client_id, effect)
    const delegation_id = newId('dg')
    const until = Number.isFinite(ms) && { expires_at: new Date(steadyNow() + ms).toISOString() }
    const delegation: Delegation = { delegation_id, ...request, ...until, ...about }
    const { promise, resolve } = Promise.withResolvers<DelegationEnd>()
    const timer = Number.isFinite(ms)
      ? setTimeout(() => this.#end(delegation_id, timeoutEnd(client_id, ms)), ms)
      : undefined
    this.#open.set(delegation_id, {
      delegation,
      share,
      bytes: countBytes(request.params),
      settle: end => {
        clearTimeout(timer)
        resolve(end)
      }
    })
    this.#journal
      .append([{ type: 'tool.delegate', ...delegation, href: `/delegations/${delegation_id}` }])
      .catch(error => this.withdraw(delegation_id, error))
    return { delegation_id, ended: promise }
  }

  /** Withdraws a delegation: its answer is no longer awaited. */
  withdraw(delegation_id: string, error?: unknown) {
    this.#end(delegation_id, { outcome: 'withdrawn', error })
  }

  /** Records a front end's answer. The first valid one counts. */
  answer(delegation_id: string, answer: FrontEndAnswer, client: string) {
    const open = this.#open.get(delegation_id)
    if (!open) {
      const before = this.#ended.get(delegation_id)
      if (!before) throw unknownDelegationError(delegation_id)
      throw new ToolError(
        'CONFLICT',
        `The delegation has already ended: ${before.outcome}${before.by ? ` by ${before.by}` : ''}.`,
        {
          ...before
        }
      )
    }
    assertValidAnswer(open.delegation, answer)
    this.#frontEnds.markActive(open.delegation.client_id)
    const { status, reason } = answer
    this.#end(delegation_id, { outcome: status, answer }, { by: client, ...(reason !== undefined && { reason }) })
    return { delegation_id, outcome: status, by: client, ...(reason !== undefined && { reason }) }
  }

  /** Lists the open delegations, oldest first; of one front end, or of all. */
  listOpen(client_id?: string): Delegation[] {
    const all = [...this.#open.values()].map(({ delegation }) => delegation)
    return client_id === undefined ? all : all.filter(each => each.client_id === client_id)
  }

  get(delegation_id: string): Delegation {
    const open = this.#open.get(delegation_id)
    if (!open) throw unknownDelegationError(delegation_id)
    return open.delegation
  }

  /**
   * Throws OVERLOADED if a front end has too many delegations, QUOTA_EXCEEDED if it has too many of one token. Those that are open until
   * withdrawn await no answer: only their size counts.
   */
  #assertCapacity({ client_id, params }: DelegationRequest, share: string | undefined) {
    const open = [...this.#open.values()].filter(({ delegation }) => delegation.client_id === client_id)
    const coming = countBytes(params)
    const full = describeExcess(open, coming, MAX_PENDING)
    if (full !== undefined)
      throw new ToolError(
        'OVERLOADED',
        `The front end ${client_id} ${full}. Try again when it has answered some of them.`,
        {
          retry_after_ms: RETRY_AFTER_S * 1_000
        }
      )
    const own = share === undefined ? [] : open.filter(each => each.share === share)
    const excess = describeExcess(own, coming, MAX_PENDING_PER_TOKEN)
    if (share === undefined || excess === undefined) return
    throw new ToolError(
      'QUOTA_EXCEEDED',
      `The front end ${client_id} ${excess} for this token. Try again when it has answered some of them, or cancel calls.`,
      { limit: 'front_end_questions_per_token', max: MAX_PENDING_PER_TOKEN.count, retry_after_s: RETRY_AFTER_S }
    )
  }

  #onReconnect(client_id: string) {
    clearTimeout(this.#disconnected.get(client_id))
    this.#disconnected.delete(client_id)
  }

  #onGraceExpired(client_id: string) {
    this.#disconnected.delete(client_id)
    for (const { delegation_id, effect } of this.listOpen(client_id))
      this.#end(delegation_id, disconnectedEnd(client_id, effect))
  }

  #end(delegation_id: string, end: DelegationEnd, by: Pick<EndedDelegation, 'by' | 'reason'> = {}) {
    const open = this.#open.get(delegation_id)
    if (!open) return
    const { session_id, workspace, tool_call_id } = open.delegation
    const ended = { delegation_id, outcome: end.outcome, ...by }
    this.#open.delete(delegation_id)
    this.#recordEnded(ended)
    this.#journal
      .append([{ type: 'tool.delegation_ended', session_id, workspace, tool_call_id, ...ended }])
      .catch(() => {})
    open.settle(end)
  }

  #recordEnded(ended: EndedDelegation) {
    this.#ended.set(ended.delegation_id, ended)
    if (this.#ended.size > MAX_ENDED) this.#ended.delete(this.#ended.keys().next().value!)
  }
}

/** Returns what is too much about the open delegations with one of so many bytes; undefined if nothing is. */
function describeExcess(open: readonly OpenDelegation[], coming: number, max: typeof MAX_PENDING): string | undefined {
  const pending = open.filter(({ delegation }) => delegation.expires_at !== undefined).length
  if (pending >= max.count) return `has not answered ${pending} other delegations`
  const bytes = open.reduce((sum, each) => sum + each.bytes, coming)
  if (open.length === 0 || bytes <= max.bytes) return undefined
  return `would have ${bytes} bytes of unanswered delegations; the maximum is ${max.bytes}`
}

const countBytes = (params: unknown) => Buffer.byteLength(JSON.stringify(params))

/** Throws unless an answer has exactly the fields of the effect's answer. The route has validated each field. */
function assertValidAnswer({ effect }: Delegation, { status, reason: _, ...fields }: FrontEndAnswer) {
  const { properties, required = [] } = FRONT_END_EFFECTS[effect].answer as {
    properties: object
    required?: readonly string[]
  }
  const missing = status === 'done' ? required.filter(name => !(name in fields)) : []
  const strange = Object.keys(fields).filter(name => !(name in properties))
  const errors = [
    ...missing.map(name => ({ pointer: `/${name}`, message: `is required for ${effect}` })),
    ...strange.map(name => ({ pointer: `/${name}`, message: `is not a field of the answer to ${effect}` }))
  ]
  if (errors.length > 0)
    throw new ToolError(
      'INVALID_PARAMS',
      `${errors[0]!.pointer} ${errors[0]!.message}. Correct the answer and send it again.`,
      {
        errors
      }
    )
}

const timeoutEnd = (client_id: string, ms: number): DelegationEnd => ({
  outcome: 'timeout',
  error: new ToolError('TIMEOUT', `The front end ${client_id} did not answer within ${ms} ms.`, { client_id })
})

const disconnectedEnd = (client_id: string, effect: FrontEndEffect): DelegationEnd => ({
  outcome: 'gone',
  error: new ToolError(
    'DELEGATE_UNAVAILABLE',
    `The front end ${client_id} disconnected before it had performed ${effect}.`,
    {
      client_id,
      effect
    }
  )
})

const unknownDelegationError = (delegation_id: string) =>
  new ToolError('NOT_FOUND', `There is no open delegation ${delegation_id}.`)
