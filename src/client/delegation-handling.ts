// The part of a front end that handles delegations: one run of a handler, and one answer, for each.
import type { Event, EventOf, EventType } from '../protocol/events.ts'
import type { EffectAnswer, EffectParams, FrontEndEffect } from '../protocol/front-end.ts'
import type { Delegation, DelegationAnswer } from './api-types.ts'
import type { ToolgateError } from './error.ts'
import { delay, type EventsOptions } from './events.ts'

/**
 * Handlers by effect. The returned value is the answer; an exception is reported as a refusal. `signal` aborts once the answer is
 * no longer awaited: remove any UI shown for it then.
 */
export type EffectHandlers = {
  [E in FrontEndEffect]?: (
    params: EffectParams<E>,
    about: { delegation: Delegation; signal: AbortSignal }
  ) => HandlerResult<E>
}

/** If the answer has no required fields, any value may be returned. */
type HandlerResult<E extends FrontEndEffect> =
  Record<never, never> extends EffectAnswer<E> ? unknown : EffectAnswer<E> | Promise<EffectAnswer<E>>

export interface FrontEndOptions
  extends Omit<EventsOptions, 'effects' | 'types' | 'after' | 'signal' | 'tool_call_id'> {
  /** Further events to receive on the same connection, besides those of delegations. */
  types?: readonly EventType[]
  onEvent?: (event: Event) => void
  signal?: AbortSignal
}

/** Maximum number of completed delegations to remember, so that none is performed twice. */
const MAX_REMEMBERED = 1_000
/** Delay before an answer is sent again, in milliseconds. */
const RETRY_MS = 500

/** The operations of a client that a front end needs. */
export interface FrontEndClient {
  events(options: EventsOptions): AsyncGenerator<Event>
  delegations(options: { client_id: string }): Promise<Delegation[]>
  delegation(delegation_id: string): Promise<Delegation>
  answerDelegation(delegation_id: string, answer: DelegationAnswer): Promise<unknown>
}

export class DelegationHandling {
  readonly #client: FrontEndClient
  readonly #handlers: EffectHandlers
  readonly #options: FrontEndOptions & { client_id: string }
  readonly #inFlight = new Map<string, AbortController>()
  readonly #finished = new Set<string>()
  /** Newest event at the start of the connection: earlier delegations are fetched. */
  #snapshotHead = 0

  constructor(client: FrontEndClient, handlers: EffectHandlers, options: FrontEndOptions & { client_id: string }) {
    this.#client = client
    this.#handlers = handlers
    this.#options = options
  }

  /** Answers delegations until a signal aborts; rejects if the server refuses. Calls `ready` once delegations can arrive. */
  async follow(ready: () => void, closing: AbortSignal) {
    const { onEvent, types = [], signal, ...options } = this.#options
    const leave = signal ? AbortSignal.any([signal, closing]) : closing
    const events = this.#client.events({
      ...options,
      signal: leave,
      effects: Object.keys(this.#handlers),
      types: ['tool.delegate', 'tool.delegation_ended', ...types]
    })
    try {
      for await (const event of events) {
        if (event.type === 'stream.snapshot') {
          await this.#resync(event).catch(() => {})
          ready()
        } else if (
          event.type === 'tool.delegate' &&
          event.client_id === this.#options.client_id &&
          event.seq > this.#snapshotHead
        )
          void this.#fetchAndRun(event)
        else if (event.type === 'tool.delegation_ended') this.#finish(event.delegation_id, event.outcome)
        onEvent?.(event)
      }
    } finally {
      for (const id of [...this.#inFlight.keys()]) this.#finish(id, 'left')
    }
  }

  /** Aborts delegations that have ended in the meantime, and starts the open ones. */
  async #resync({ head, delegations, truncated }: EventOf<'stream.snapshot'>) {
    this.#snapshotHead = head
    const mine =
      truncated || delegations.length > 0 ? await this.#client.delegations({ client_id: this.#options.client_id }) : []
    const open = new Set(mine.map(({ delegation_id }) => delegation_id))
    for (const id of [...this.#inFlight.keys()]) if (!open.has(id)) this.#finish(id, 'ended')
    for (const delegation of mine) void this.#run(delegation)
  }

  async #fetchAndRun({ delegation_id, params, ...about }: EventOf<'tool.delegate'>) {
    const whole = params === undefined ? this.#client.delegation(delegation_id) : { ...about, delegation_id, params }
    // A delegation that ended before it was fetched needs no action.
    const delegation = await Promise.resolve(whole as Delegation | Promise<Delegation>).catch(() => undefined)
    if (delegation) await this.#run(delegation)
  }

  async #run(delegation: Delegation) {
    const { delegation_id: id, effect, params } = delegation
    if (this.#inFlight.has(id) || this.#finished.has(id)) return
    const doing = new AbortController()
    this.#inFlight.set(id, doing)
    const { signal } = doing
    const answer = await this.#handle(effect, params, { delegation, signal })
    await this.#answer(id, answer, signal)
  }

  async #handle(
    effect: FrontEndEffect,
    params: unknown,
    about: { delegation: Delegation; signal: AbortSignal }
  ): Promise<DelegationAnswer> {
    const handler = this.#handlers[effect] as ((params: unknown, about: object) => unknown) | undefined
    if (!handler) return refusedAnswer(`the front end does not support ${effect}`)
    try {
      const given = await handler(params, about)
      return { status: 'done', ...(typeof given === 'object' && given) }
    } catch (error) {
      return refusedAnswer(error instanceof Error ? error.message : String(error))
    }
  }

  /** Retries the answer as long as it is awaited. */
  async #answer(id: string, answer: DelegationAnswer, signal: AbortSignal) {
    while (!signal.aborted)
      try {
        await this.#client.answerDelegation(id, answer)
        this.#finish(id, 'answered')
      } catch (error) {
        const { status, message } = error as ToolgateError
        if (status === 400 && answer.status === 'done')
          answer = refusedAnswer(`the server rejected the answer of the front end: ${message}`)
        else if (status >= 400 && status < 500 && status !== 401) this.#finish(id, 'ended')
        else await delay(this.#options.retry_ms ?? RETRY_MS, signal)
      }
  }

  #finish(id: string, why: string) {
    this.#inFlight.get(id)?.abort(new Error(why))
    this.#inFlight.delete(id)
    this.#finished.add(id)
    if (this.#finished.size > MAX_REMEMBERED) this.#finished.delete(this.#finished.keys().next().value!)
  }
}

const refusedAnswer = (reason: string): DelegationAnswer => ({ status: 'refused', reason: reason.slice(0, 4_096) })
