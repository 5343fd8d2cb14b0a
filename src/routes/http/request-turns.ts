// Turns of requests: of one caller, a few are let in per turn of the event loop, so that one that sends many at once delays the
// requests of others little. Those without a token share turns, too.
import type { FastifyInstance } from 'fastify'
import { restrictedShare } from '../../engine/call-owners.ts'
import type { RequestCaller } from '../auth.ts'

/** Maximum number of requests of one caller that begin in a turn of the event loop. */
const MAX_PER_TURN = 4

/** Requires authenticated requests. */
export function installRequestTurns(app: FastifyInstance) {
  const turns = new RequestTurns()
  app.addHook('onRequest', ({ caller }, _reply, done) => turns.enter(ownerOf(caller), done))
}

/** Callers that may approve are distinguished by the name of their client: an agent among them does not delay a person's console. */
const ownerOf = (caller: RequestCaller) => restrictedShare(caller) ?? `approves:${caller.client}`

class RequestTurns {
  /** Numbers of requests that began in this turn, by owner. */
  readonly #begun = new Map<string, number>()
  readonly #waiting = new Map<string, (() => void)[]>()
  #isScheduled = false

  /** Calls `begin` in this turn, or in a later one if the owner's earlier requests took it. */
  enter(owner: string, begin: () => void) {
    this.#schedule()
    const begun = this.#begun.get(owner) ?? 0
    if (begun < MAX_PER_TURN) {
      this.#begun.set(owner, begun + 1)
      begin()
      return
    }
    const waiting = this.#waiting.get(owner)
    if (waiting) waiting.push(begin)
    else this.#waiting.set(owner, [begin])
  }

  #schedule() {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#begun.clear()
      this.#beginNext()
    })
  }

  #beginNext() {
    for (const [owner, waiting] of this.#waiting) {
      const next = waiting.splice(0, MAX_PER_TURN)
      if (waiting.length === 0) this.#waiting.delete(owner)
      this.#begun.set(owner, next.length)
      for (const begin of next) begin()
    }
    if (this.#begun.size > 0) this.#schedule()
  }
}
