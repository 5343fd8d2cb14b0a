// A call that waits for a decision, as it is now: told when it would do something else, and when it waits no more.
import { setTimeout as pause } from 'node:timers/promises'
import type { Call, Client } from '../../client/client.ts'

export type Waiting = Extract<Call, { status: 'awaiting_approval' }>

interface Watching {
  client: Client
  signal: AbortSignal
  onDisconnect: () => void
}

/** However fast files change, it is not looked at more often. */
const PAUSE_MS = 1_000

export class WatchedCall {
  readonly #options: Watching
  readonly #end = new AbortController()
  #call: Call
  /** Of what the server itself shows: older than what is known here, where only files have changed since. */
  #stored: string | undefined
  #fault: string | undefined
  #changed = new AbortController()
  #rechecking: Promise<void> | undefined
  #recheckAgain = false

  constructor(call: Call, options: Watching) {
    this.#call = call
    this.#stored = digestOf(call)
    this.#options = options
  }

  get call(): Call {
    return this.#call
  }

  /** Why it could not be done as things stand, if it could not. */
  get fault(): string | undefined {
    return this.#fault
  }

  /** Aborts when the call is no longer as it is now. Asked anew, it is about the call as it is then. */
  get changed(): AbortSignal {
    return AbortSignal.any([this.#changed.signal, this.#options.signal])
  }

  /** Looks on until `close`. The first look is at the call as it is once every later change will be heard of. */
  async follow(): Promise<void> {
    const { client, signal, onDisconnect } = this.#options
    const both = AbortSignal.any([signal, this.#end.signal])
    const types = ['tool.call', 'tool.decision', 'tool.result', 'file.changed'] as const
    for await (const { type, tool_call_id } of client.events({ types, onDisconnect, signal: both }))
      if (type === 'file.changed') this.#recheck()
      else if (tool_call_id === this.#call.tool_call_id) await this.look().catch(() => {})
      else if (type === 'stream.snapshot') {
        await this.look().catch(() => {})
        // What files have changed meanwhile the server itself has not looked at.
        this.#recheck()
      }
  }

  /** Asks whether it would still do what was shown. Of many changes at once the last one is looked at. */
  #recheck(): void {
    this.#recheckAgain = true
    this.#rechecking ??= this.#wouldDo().finally(() => {
      this.#rechecking = undefined
    })
  }

  async #wouldDo(): Promise<void> {
    const { signal } = this.#end
    while (this.#recheckAgain && !signal.aborted) {
      this.#recheckAgain = false
      await this.#lookAgain().catch(() => {})
      await pause(PAUSE_MS, undefined, { signal }).catch(() => {})
    }
  }

  async #lookAgain(): Promise<void> {
    const { client, signal } = this.#options
    const call = this.#call
    if (call.status !== 'awaiting_approval') return
    const { digest, preview, reason } = await client.digest(call.tool_call_id, { signal })
    // Decided meanwhile, or looked at anew: the answer is about what was before.
    if (this.#call !== call) this.#recheckAgain = true
    else if (digest === undefined) this.#is(call, reason)
    else if (preview) this.#is({ ...call, approval: { ...call.approval, preview, digest } })
    else this.#is(digest === call.approval.digest ? call : await client.get(call.tool_call_id, { signal }))
  }

  close(): void {
    this.#end.abort()
  }

  /** Looks how it is now at the server. */
  async look(): Promise<void> {
    const { client, signal } = this.#options
    const call = await client.get(this.#call.tool_call_id, { signal })
    const stored = digestOf(call)
    if (stored !== undefined && stored === this.#stored) return
    this.#stored = stored
    this.#is(call)
  }

  #is(call: Call, fault?: string): void {
    const isSame = stampOf(call) === stampOf(this.#call) && fault === this.#fault
    this.#call = call
    this.#fault = fault
    if (isSame) return
    const before = this.#changed
    this.#changed = new AbortController()
    before.abort(new CallChanged())
  }
}

/** What was shown is not what is there. */
export class CallChanged extends Error {}

const digestOf = (call: Call) => (call.status === 'awaiting_approval' ? call.approval.digest : undefined)

const stampOf = (call: Call) => `${call.status} ${digestOf(call)}`
