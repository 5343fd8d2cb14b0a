// A call that waits for a decision, as it is now: told when it would do something else, and when it waits no more.
import { setTimeout as pause } from 'node:timers/promises'
import type { Call, Client } from '../../client/client.ts'

export type PendingCall = Extract<Call, { status: 'awaiting_approval' }>

interface CallWatcherOptions {
  client: Client
  signal: AbortSignal
  onDisconnect: () => void
}

/** However fast files change, it is not looked at more often. */
const RECHECK_INTERVAL_MS = 1_000

export class CallWatcher {
  readonly #options: CallWatcherOptions
  readonly #closing = new AbortController()
  #call: Call
  /** Of what the server itself shows: older than what is known here, where only files have changed since. */
  #storedDigest: string | undefined
  #error: string | undefined
  #changed = new AbortController()
  #rechecking: Promise<void> | undefined
  #recheckAgain = false

  constructor(call: Call, options: CallWatcherOptions) {
    this.#call = call
    this.#storedDigest = digestOf(call)
    this.#options = options
  }

  get call(): Call {
    return this.#call
  }

  /** Why it could not be done as things stand, if it could not. */
  get error(): string | undefined {
    return this.#error
  }

  /** Aborts when the call is no longer as it is now. Asked anew, it is about the call as it is then. */
  get changed(): AbortSignal {
    return AbortSignal.any([this.#changed.signal, this.#options.signal])
  }

  /** Looks on until `close`. The first look is at the call as it is once every later change will be heard of. */
  async follow(): Promise<void> {
    const { client, signal, onDisconnect } = this.#options
    const both = AbortSignal.any([signal, this.#closing.signal])
    const types = ['tool.call', 'tool.decision', 'tool.result', 'file.changed'] as const
    for await (const { type, tool_call_id } of client.events({ types, onDisconnect, signal: both }))
      if (type === 'file.changed') this.#recheck()
      else if (tool_call_id === this.#call.tool_call_id) await this.refresh().catch(() => {})
      else if (type === 'stream.snapshot') {
        await this.refresh().catch(() => {})
        // What files have changed meanwhile the server itself has not looked at.
        this.#recheck()
      }
  }

  /** Asks whether it would still do what was shown. Of many changes at once the last one is looked at. */
  #recheck(): void {
    this.#recheckAgain = true
    this.#rechecking ??= this.#recheckLoop().finally(() => {
      this.#rechecking = undefined
    })
  }

  async #recheckLoop(): Promise<void> {
    const { signal } = this.#closing
    while (this.#recheckAgain && !signal.aborted) {
      this.#recheckAgain = false
      await this.#checkDigest().catch(() => {})
      await pause(RECHECK_INTERVAL_MS, undefined, { signal }).catch(() => {})
    }
  }

  async #checkDigest(): Promise<void> {
    const { client, signal } = this.#options
    const call = this.#call
    if (call.status !== 'awaiting_approval') return
    const { digest, preview, reason } = await client.digest(call.tool_call_id, { signal })
    // Decided meanwhile, or looked at anew: the answer is about what was before.
    if (this.#call !== call) this.#recheckAgain = true
    else if (digest === undefined) this.#update(call, reason)
    else if (preview) this.#update({ ...call, approval: { ...call.approval, preview, digest } })
    else this.#update(digest === call.approval.digest ? call : await client.get(call.tool_call_id, { signal }))
  }

  close(): void {
    this.#closing.abort()
  }

  /** Looks how it is now at the server. */
  async refresh(): Promise<void> {
    const { client, signal } = this.#options
    const call = await client.get(this.#call.tool_call_id, { signal })
    const stored = digestOf(call)
    if (stored !== undefined && stored === this.#storedDigest) return
    this.#storedDigest = stored
    this.#update(call)
  }

  #update(call: Call, fault?: string): void {
    const isSame = stateKey(call) === stateKey(this.#call) && fault === this.#error
    this.#call = call
    this.#error = fault
    if (isSame) return
    const before = this.#changed
    this.#changed = new AbortController()
    before.abort(new CallChangedError())
  }
}

/** What was shown is not what is there. */
export class CallChangedError extends Error {}

const digestOf = (call: Call) => (call.status === 'awaiting_approval' ? call.approval.digest : undefined)

const stateKey = (call: Call) => `${call.status} ${digestOf(call)}`
