// A call that this process still has to do with: its present value and what the engine holds for it. It leaves memory
// once it has ended and its end is durable.
import type { Host } from '../host/host.ts'
import type { Isolation } from '../host/sandbox/sandbox.ts'
import type { Context, Effect, Invocation, Tool } from '../tool/tool.ts'
import { type Call, type FileChange, isSettled } from './call.ts'
import type { CommandFacts, PathFacts, PolicyInput, PolicyVerdict, UnsavedFile } from './policy/policy-input.ts'

/** Who sent a request. */
export interface Caller {
  client: string
  rights: ReadonlySet<'call' | 'approve'>
  /** The agent that its token was given to: it calls as no other. */
  agent?: string
}

/** What a call would do, as found just now. */
export interface CallEvaluation {
  paths: (PathFacts & { tree: boolean; if_match?: string | undefined })[]
  /** The command line with what was found of it. */
  command: CommandFacts | undefined
  /** What keeps the command, or code. */
  isolation: Isolation | undefined
  cwd: string | undefined
  /** Earlier calls that it is about. */
  calls?: string[] | undefined
  /** The program it would start, where the tool had to look for that. */
  invocation?: Invocation | undefined
  effect: Effect
  verdict: PolicyVerdict
  /** What policy was asked. */
  question: PolicyInput
}

export class ActiveCall {
  #call: Call
  /** As it is served, or was when the call was last looked at. */
  tool: Tool
  /** Whoever stands behind the call may approve: its sender, or the person who approved it. */
  may_approve: boolean
  readonly ctx: Context
  readonly abort: AbortController
  /** Tells the tool that nobody waits any more. */
  readonly detach = new AbortController()
  /** Resolves when the call's intent is durable. */
  durableIntent: Promise<void> = Promise.resolve()
  /** The engine's latest look at the call. */
  evaluation: CallEvaluation | undefined
  /** The result as JSON, made once for the answer, the journal and every stream. */
  resultJson: string | undefined
  /** The call whose stored result this one shares. */
  sharedResultOf: string | undefined
  readonly changes: FileChange[] = []
  /** Files that editors have changed for the call in their buffers, if not always to what they were given. */
  readonly editorChanges: Pick<UnsavedFile, 'path' | 'client'>[] = []
  /** The tool has asked for leave to change something, so it may have. */
  hasSideEffects = false
  /** When the tool was first started, by the monotonic clock. */
  startedAt: number | undefined
  /** Progress has been told, which the journal need not keep once the call has ended. */
  hasProgressEvents = false
  /** The caller wants no kept answer. */
  readonly bypassCache: boolean
  /** The hash that the file to be written must have. */
  readonly if_match: string | undefined
  /** Why the call is being stopped, if it is. */
  stopping: 'cancelled' | 'interrupted' | undefined
  /** How many steps the call has taken. */
  steps = 0
  /** Set while the stored row is older than `call`. */
  isDirty = true
  /** Number of the journal's newest event when the call was taken. */
  readonly sinceSeq: number
  /** Decisions about one call are taken one after the other. */
  decisionQueue: Promise<unknown> = Promise.resolve()
  /** The value that may be told: durable, or a read's answer, which need not be. */
  #publishedCall: Call
  readonly #watchers = new Set<() => void>()
  readonly #waiters = new Set<() => void>()

  constructor(options: {
    call: Call
    tool: Tool
    may_approve: boolean
    sinceSeq: number
    context: (live: ActiveCall) => Context
    abort: AbortController
    bypassCache?: boolean
    if_match?: string | undefined
  }) {
    this.#call = options.call
    this.tool = options.tool
    this.may_approve = options.may_approve
    this.sinceSeq = options.sinceSeq
    this.abort = options.abort
    this.bypassCache = options.bypassCache ?? false
    this.if_match = options.if_match
    this.#publishedCall = options.call
    this.ctx = options.context(this)
  }

  get call(): Call {
    return this.#call
  }

  set call(call: Call) {
    this.#call = call
    this.isDirty = true
  }

  get host(): Host {
    return this.ctx.host
  }

  /** Milliseconds since the tool was first started. */
  elapsed(): number {
    return this.startedAt === undefined ? 0 : Math.round((performance.now() - this.startedAt) * 1_000) / 1_000
  }

  /** The newest value that may be told. */
  get publishedCall(): Call {
    return this.#publishedCall
  }

  /** Lets the present value be told, and tells those who wait for it. */
  publish() {
    this.#publishedCall = this.#call
    for (const watcher of [...this.#watchers]) watcher()
  }

  /** Answers all who wait now with the call as it stands. */
  releaseWaiters() {
    for (const leave of [...this.#waiters]) leave()
  }

  /** Waits until the call has ended, or also until it needs a decision, or `ms` have passed, or the waiter has left. */
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

/** The call without its result, as JSON that the result's JSON can be joined to. */
export const serializeHead = (call: Call): string =>
  JSON.stringify('result' in call ? { ...call, result: undefined } : call)

/** A call's JSON out of its two parts. */
export const joinResultJson = (head: string, result: string | null | undefined): string =>
  typeof result === 'string' ? `${head.slice(0, -1)},"result":${result}}` : head

/** What may be told of a call, as JSON. */
export const serializePublished = ({ publishedCall, resultJson }: ActiveCall): string =>
  joinResultJson(serializeHead(publishedCall), 'result' in publishedCall ? resultJson : undefined)
