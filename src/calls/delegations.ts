// Effects that a front end has on behalf of a call, such as changing an editor's buffer. It hears of them by an event and
// answers over HTTP; exactly one answer counts. They live in memory: a call does not outlive the server that ran it.
import { ToolError } from '../errors.ts'
import type { Journal } from '../events/journal.ts'
import { newId } from './id.ts'

/** What front ends can be asked to do. */
export const FRONT_END_EFFECTS = ['editor.apply_edit'] as const
/** One of them. */
type FrontEndEffect = (typeof FRONT_END_EFFECTS)[number]

/** Whose event it is. */
interface About {
  session_id: string
  workspace: string
  tool_call_id: string
}

/** What a front end is asked to do for a call. */
interface Delegation extends About {
  delegation_id: string
  effect: FrontEndEffect
  /** The front end that is asked. */
  client_id: string
  params: Record<string, unknown>
  expires_at: string
}

/** What the front end says has become of it. */
interface DelegationAnswer {
  status: 'done' | 'refused'
  reason?: string | undefined
  /** sha256 of what the front end holds now. */
  content_hash?: string | undefined
}

/** How a delegation ended. */
interface Ended {
  delegation_id: string
  outcome: 'done' | 'refused' | 'withdrawn' | 'timeout'
  /** The client that answered. */
  by?: string
  reason?: string
}

interface Open {
  delegation: Delegation
  settle(answer?: DelegationAnswer): void
}

/** How many that have ended are remembered, for those who answer too late. */
const REMEMBERED = 1_000

export class Delegations {
  readonly #journal: Journal
  /** Open streams of front ends: what each offers. */
  readonly #offers = new Set<{ client_id: string; effects: readonly FrontEndEffect[] }>()
  readonly #open = new Map<string, Open>()
  readonly #ended = new Map<string, Ended>()

  constructor(journal: Journal) {
    this.#journal = journal
  }

  /** A front end listens and can do these. Answers how to say that it has left. */
  offer(client_id: string, effects: readonly FrontEndEffect[]): () => void {
    const offer = { client_id, effects }
    this.#offers.add(offer)
    return () => this.#offers.delete(offer)
  }

  /** Throws unless that front end listens and offers the effect. */
  mustOffer(client_id: string, effect: FrontEndEffect) {
    for (const offer of this.#offers) if (offer.client_id === client_id && offer.effects.includes(effect)) return
    throw new ToolError('DELEGATE_UNAVAILABLE', `No front end ${client_id} that offers ${effect} follows the events.`, {
      client_id,
      effect
    })
  }

  /** Asks a front end, and gives its answer; what it answers that it refuses too. One that loses its stream meanwhile may
   * come back and answer in time. */
  async ask(
    about: About,
    asked: { effect: FrontEndEffect; client_id: string; params: Record<string, unknown> },
    { ms, signal }: { ms: number; signal: AbortSignal }
  ): Promise<DelegationAnswer> {
    this.mustOffer(asked.client_id, asked.effect)
    signal.throwIfAborted()
    const delegation_id = newId('dg')
    const delegation = { delegation_id, ...asked, expires_at: new Date(Date.now() + ms).toISOString(), ...about }
    const { promise, resolve, reject } = Promise.withResolvers<DelegationAnswer>()
    const end = (outcome: Ended['outcome'], error: unknown) => {
      if (this.#end({ delegation_id, outcome })) reject(error)
    }
    const timer = setTimeout(() => end('timeout', tooLate(asked.client_id, ms)), ms)
    const withdraw = () => end('withdrawn', signal.reason)
    signal.addEventListener('abort', withdraw, { once: true })
    this.#open.set(delegation_id, {
      delegation,
      settle: answer => {
        clearTimeout(timer)
        signal.removeEventListener('abort', withdraw)
        if (answer) resolve(answer)
      }
    })
    this.#journal
      .append([{ type: 'tool.delegate', ...delegation, href: `/delegations/${delegation_id}` }])
      .catch(error => end('withdrawn', error))
    return promise
  }

  /** The answer of a front end. The first one counts. */
  answer(delegation_id: string, answer: DelegationAnswer, client: string) {
    const { status, reason } = answer
    const ended = { delegation_id, outcome: status, by: client, ...(reason !== undefined && { reason }) }
    if (this.#end(ended, answer)) return ended
    const before = this.#ended.get(delegation_id)
    if (!before) throw unknown(delegation_id)
    throw new ToolError('CONFLICT', `It ended before: ${before.outcome}${before.by ? ` by ${before.by}` : ''}.`, {
      ...before
    })
  }

  /** Those that wait for an answer, oldest first. */
  open(): Delegation[] {
    return [...this.#open.values()].map(({ delegation }) => delegation)
  }

  get(delegation_id: string): Delegation {
    const open = this.#open.get(delegation_id)
    if (!open) throw unknown(delegation_id)
    return open.delegation
  }

  #end(ended: Ended, answer?: DelegationAnswer): boolean {
    const open = this.#open.get(ended.delegation_id)
    if (!open) return false
    const { delegation } = open
    this.#open.delete(ended.delegation_id)
    this.#remember(ended)
    const { session_id, workspace, tool_call_id } = delegation
    this.#journal
      .append([{ type: 'tool.delegation_ended', session_id, workspace, tool_call_id, ...ended }])
      .catch(() => {})
    open.settle(answer)
    return true
  }

  #remember(ended: Ended) {
    this.#ended.set(ended.delegation_id, ended)
    if (this.#ended.size > REMEMBERED) this.#ended.delete(this.#ended.keys().next().value!)
  }
}

const tooLate = (client_id: string, ms: number) =>
  new ToolError('TIMEOUT', `The front end ${client_id} did not answer within ${ms} ms.`, { client_id })

const unknown = (delegation_id: string) =>
  new ToolError('NOT_FOUND', `No delegation ${delegation_id} waits for an answer.`)
