// In-memory state of a call that is in flight: its current value and the resources that the engine holds for it. It is evicted
// once the call has ended and its end is durable.
import type { Host } from '../host/host.ts'
import { type Call, isSettled } from '../protocol/calls.ts'
import type { SavedRule } from '../protocol/decisions.ts'
import type { FileChange } from '../protocol/file-change.ts'
import type { ParentSpan } from '../text/trace-context.ts'
import type { Tool } from '../tool/tool.ts'
import type { CallServices } from './call-services.ts'
import type { Evaluation } from './evaluation.ts'
import type { UnsavedFile } from './policy/policy-input.ts'

/** The sender of a request. */
export interface Caller {
  client: string
  rights: ReadonlySet<'call' | 'approve'>
  /** The token, and the person or program that it belongs to. */
  token?: { id: string; name: string }
  /** Id of the token that it was made with, if both belong to one person (see `Principal`). */
  person?: string
  /** Set for a person who decides at the hub. */
  via?: { decision_id: number }
  /** Set for a person who decides by a link of a notification: the link permits this decision only. */
  link?: { channel: string; digest: string }
  /** Id of the token whose shares it uses, if that is another one (see `Principal`). */
  share?: string
  /** The agent that the token is bound to: its requests cannot act as another agent. */
  agent?: string
  /** The span that the request came from. */
  trace?: ParentSpan
}

export class ActiveCall {
  #call: Call
  /** The tool as it is served now, or was at the last evaluation. */
  tool: Tool
  /** The token that it belongs to if that may not approve: other such tokens do not see it (see `call-owners.ts`). */
  readonly owner: string | undefined
  /** The token in whose shares it counts: the owner, or the token that the owner was made with. */
  readonly share: string | undefined
  /** The caller may approve: the sender of the call, or the person who approved it. */
  may_approve: boolean
  /** The services that its tool may use. */
  readonly services: CallServices
  readonly abort: AbortController
  /** Signals the tool that no caller waits any more. */
  readonly detach = new AbortController()
  /** Releases the locks on the files that its command executes, while the call runs. */
  releaseSources: () => void = () => {}
  /** Resolves when the call's intent is durable. */
  durableIntent: Promise<void> = Promise.resolve()
  /** The latest evaluation of the call; none while it waits for a decision. */
  evaluation: Evaluation | undefined
  /** Rules that have counted the call, by id or key: they still apply to it if it has used them up. */
  readonly countedBy = new Map<string, SavedRule | undefined>()
  /** The result as JSON, serialized once for the response, the journal and every stream. */
  resultJson: string | undefined
  /** The call whose stored result this one shares. */
  sharedResultOf: string | undefined
  readonly changes: FileChange[] = []
  /** Files that editors have changed for the call in their buffers, although not always to the given content. */
  readonly editorChanges: Pick<UnsavedFile, 'path' | 'client'>[] = []
  /** The tool has requested permission to change something, so it may have done so. */
  hasSideEffects = false
  /** Time of the tool's first start on the monotonic clock. */
  startedAt: number | undefined
  /** Progress has been published; the journal need not retain it once the call has ended. */
  hasProgressEvents = false
  /** The caller wants no cached result. */
  readonly bypassCache: boolean
  /** Reason for which the call is being stopped, if it is. */
  stopping: 'cancelled' | 'interrupted' | undefined
  /** Number of steps that the call has taken. */
  steps = 0
  /** Set while the stored row is older than `call`. */
  isDirty = true
  /** Place in the order of admission: it only grows, across restarts too. */
  readonly place: number
  /** Number of the journal's newest event when the call was admitted. */
  readonly sinceSeq: number
  /** Serializes the decisions about one call. */
  decisionQueue: Promise<unknown> = Promise.resolve()
  /** The newest value that may be published: durable, or the result of a read, which need not be. */
  #published: Call
  /** The same without credentials. */
  #publishedCall: Call
  readonly #redact: (call: Call) => Call
  readonly #watchers = new Set<() => void>()
  readonly #waiters = new Set<() => void>()

  constructor(options: {
    call: Call
    tool: Tool
    owner: string | undefined
    /** By default the owner. */
    share?: string | undefined
    may_approve: boolean
    sinceSeq: number
    services: (live: ActiveCall) => CallServices
    abort: AbortController
    bypassCache?: boolean
    /** Returns a call without the credentials in its params. */
    redact: (call: Call) => Call
  }) {
    this.#call = options.call
    this.tool = options.tool
    this.owner = options.owner
    this.share = options.share ?? options.owner
    this.may_approve = options.may_approve
    this.sinceSeq = options.sinceSeq
    this.place = nextPlace(options.call)
    this.abort = options.abort
    this.bypassCache = options.bypassCache ?? false
    this.#redact = options.redact
    this.#published = options.call
    this.#publishedCall = this.#redact(options.call)
    this.services = options.services(this)
  }

  get call(): Call {
    return this.#call
  }

  set call(call: Call) {
    this.#call = call
    this.isDirty = true
  }

  get host(): Host {
    return this.services.host
  }

  get workspace(): { name: string; root: string } {
    return this.services.call.workspace
  }

  /** Returns the milliseconds since the tool was first started. */
  elapsed(): number {
    return this.startedAt === undefined ? 0 : Math.round((performance.now() - this.startedAt) * 1_000) / 1_000
  }

  /** Returns the newest value that may be published, without credentials. */
  get publishedCall(): Call {
    return this.#publishedCall
  }

  /** Returns true if no newer value waits to be published. */
  get isPublished(): boolean {
    return this.#published === this.#call
  }

  /** Returns the current value without credentials. */
  redacted(): Call {
    return this.#redact(this.#call)
  }

  /** Publishes the current value and notifies the waiters. */
  publish() {
    this.#published = this.#call
    this.#publishedCall = this.#redact(this.#call)
    for (const watcher of [...this.#watchers]) watcher()
  }

  /** Answers all current waiters with the call in its current state. */
  releaseWaiters() {
    for (const leave of [...this.#waiters]) leave()
  }

  /**
   * Waits until the call has ended. Returns earlier once `ms` have passed, the waiter has disconnected or, unless
   * `throughApproval` is set, the call needs a decision.
   */
  async wait(options: { ms: number; throughApproval: boolean; signal?: AbortSignal | undefined }): Promise<Call> {
    const done = () =>
      isSettled(this.#publishedCall) || (!options.throughApproval && this.#publishedCall.status === 'awaiting_approval')
    if (done() || options.signal?.aborted) return this.#publishedCall
    const { promise, resolve } = Promise.withResolvers<void>()
    const watcher = () => done() && resolve()
    this.#watchers.add(watcher)
    this.#waiters.add(resolve)
    const timer = setTimeout(resolve, options.ms)
    const leave = () => resolve()
    options.signal?.addEventListener('abort', leave)
    if (options.signal?.aborted) leave()
    await promise
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', leave)
    this.#watchers.delete(watcher)
    this.#waiters.delete(resolve)
    return this.#publishedCall
  }
}

let lastPlace = 0

/**
 * Returns the next place; it follows from the time, so that it is the same after a restart, in the same order. A stored call whose time
 * is damaged comes next.
 */
function nextPlace({ created_at }: Call): number {
  const time = Date.parse(created_at)
  lastPlace = Math.max(lastPlace + 1, Number.isNaN(time) ? 0 : time * 1_000)
  return lastPlace
}

/** Serializes the call without its result, as JSON that the result's JSON can be joined to. */
export const serializeHead = (call: Call): string =>
  JSON.stringify('result' in call ? { ...call, result: undefined } : call)

/** Joins a call's JSON from its two parts. */
export const joinResultJson = (head: string, result: string | null | undefined): string =>
  typeof result === 'string' ? `${head.slice(0, -1)},"result":${result}}` : head

/** Serializes the publishable value of a call as JSON. */
export const serializePublished = ({ publishedCall, resultJson }: ActiveCall): string =>
  joinResultJson(serializeHead(publishedCall), 'result' in publishedCall ? resultJson : undefined)
