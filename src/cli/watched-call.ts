// A call that waits for a decision, as it is now: told when it would do something else, and when it waits no more.
import type { Call, Client } from '../client/client.ts'

export type Waiting = Extract<Call, { status: 'awaiting_approval' }>

interface Watching {
  client: Client
  signal: AbortSignal
  onDisconnect: () => void
}

export class WatchedCall {
  readonly #options: Watching
  readonly #end = new AbortController()
  #call: Call
  #changed = new AbortController()

  constructor(call: Call, options: Watching) {
    this.#call = call
    this.#options = options
  }

  get call(): Call {
    return this.#call
  }

  /** Aborts when the call is no longer as it is now. Asked anew, it is about the call as it is then. */
  get changed(): AbortSignal {
    return AbortSignal.any([this.#changed.signal, this.#options.signal])
  }

  /** Looks on until `close`. The first look is at the call as it is once every later change will be heard of. */
  async follow(): Promise<void> {
    const { client, signal, onDisconnect } = this.#options
    const both = AbortSignal.any([signal, this.#end.signal])
    const types = ['tool.call', 'tool.decision', 'tool.result'] as const
    const query = { types, tool_call_id: this.#call.tool_call_id, onDisconnect, signal: both }
    for await (const _ of client.events(query)) await this.look().catch(() => {})
  }

  close(): void {
    this.#end.abort()
  }

  /** Looks how it is now. */
  async look(): Promise<void> {
    const { client, signal } = this.#options
    const call = await client.get(this.#call.tool_call_id, { signal })
    const isSame = stampOf(call) === stampOf(this.#call)
    this.#call = call
    if (isSame) return
    const before = this.#changed
    this.#changed = new AbortController()
    before.abort(new CallChanged())
  }
}

/** What was shown is not what is there. */
export class CallChanged extends Error {}

const stampOf = (call: Call) =>
  call.status === 'awaiting_approval' ? `${call.status} ${call.approval.digest}` : call.status
