// Outcomes of a request for several calls, which together have a bounded size: calls are whole as long as there is room, and otherwise as lists
// show them, with a reference to the whole.
import { toListedJson } from './listed-calls.ts'

/** Maximum number of bytes of the whole calls in one response. */
const MAX_WHOLE_BYTES = 8 * 1024 * 1024

export class OutcomeList {
  #roomBytes = MAX_WHOLE_BYTES

  /** Returns a call whole, or abbreviated if there is no room left for it. Calls get room in the order in which they are added. */
  add<C extends { json: string }>(call: C): C {
    const bytes = Buffer.byteLength(call.json)
    if (bytes > this.#roomBytes) return { ...call, json: toListedJson(call.json) }
    this.#roomBytes -= bytes
    return call
  }
}
