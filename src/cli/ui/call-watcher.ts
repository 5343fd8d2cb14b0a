// Watches a call that waits for a decision: notifies when its effects change, and when it no longer waits.
import { setTimeout as pause } from 'node:timers/promises'
import type { Approval, Call, Client } from '../../client/client.ts'

export type PendingCall = Extract<Call, { status: 'awaiting_approval' }>

interface CallWatcherOptions {
  client: Client
  signal: AbortSignal
  onDisconnect: () => void
}

/** Minimum interval between checks in milliseconds, however often files change. */
const RECHECK_INTERVAL_MS = 1_000

export class CallWatcher {
  readonly #options: CallWatcherOptions
  readonly #closing = new AbortController()
  #call: Call
  /** Digest of the server's preview, which is older than the local one if only files have changed since. */
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

  /** Returns the error with which the call would fail now, if any. */
  get error(): string | undefined {
    return this.#error
  }

  /** Aborts when the current state of the call changes. A later read returns the signal for its then current state. */
  get changed(): AbortSignal {
    return AbortSignal.any([this.#changed.signal, this.#options.signal])
  }

  /** Watches until `close`. Refreshes first after the subscription has started, so that no change is missed. */
  async follow(): Promise<void> {
    const { client, signal, onDisconnect } = this.#options
    const both = AbortSignal.any([signal, this.#closing.signal])
    const types = ['tool.call', 'tool.decision', 'tool.result', 'file.changed'] as const
    for await (const { type, tool_call_id } of client.events({ types, onDisconnect, signal: both }))
      if (type === 'file.changed') this.#recheck()
      else if (tool_call_id === this.#call.tool_call_id) await this.refresh().catch(() => {})
      else if (type === 'stream.snapshot') {
        await this.refresh().catch(() => {})
        // The server has not checked the files that changed in the meantime.
        this.#recheck()
      }
  }

  /** Checks the shown preview. Several changes at once are merged into one check. */
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
    // The call was decided or previewed again in the meantime: the answer is stale.
    if (this.#call !== call) this.#recheckAgain = true
    else if (digest === undefined) this.#update(call, reason)
    else if (preview) this.#update(withPreview(call, preview, digest))
    else this.#update(digest === call.approval.digest ? call : await client.get(call.tool_call_id, { signal }))
  }

  close(): void {
    this.#closing.abort()
  }

  /** Fetches its current state from the server. */
  async refresh(): Promise<void> {
    const { client, signal } = this.#options
    const call = await client.get(this.#call.tool_call_id, { signal })
    const stored = digestOf(call)
    if (stored !== undefined && stored === this.#storedDigest) return
    this.#storedDigest = stored
    this.#update(call)
  }

  #update(call: Call, error?: string): void {
    const isSame = stateKey(call) === stateKey(this.#call) && error === this.#error
    this.#call = call
    this.#error = error
    if (isSame) return
    const before = this.#changed
    this.#changed = new AbortController()
    before.abort(new CallChangedError())
  }
}

/** The shown preview is stale. */
export class CallChangedError extends Error {}

/** Returns the call with a new preview, of which there are no approvals yet. */
function withPreview(call: PendingCall, preview: Approval['preview'], digest: string): PendingCall {
  const { approvals: _, ...approval } = call.approval
  return { ...call, approval: { ...approval, preview, digest } }
}

/** Identifies what a decision would be about: the preview, and the approvals of it so far. */
const digestOf = (call: Call) =>
  call.status === 'awaiting_approval'
    ? `${call.approval.digest} ${call.approval.approvals?.length ?? 0} ${call.approval.approvals_needed ?? 1}`
    : undefined

const stateKey = (call: Call) => `${call.status} ${digestOf(call)}`
