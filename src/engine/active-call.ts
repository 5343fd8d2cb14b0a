// A call that this process still has to do with: its present value and what the engine holds for it. It leaves memory
// once it has ended and its end is durable.
import type { Host } from '../host/host.ts'
import type { Isolation } from '../host/sandbox/sandbox.ts'
import type { Context, Effect, Invocation, Tool } from '../tool/tool.ts'
import { type Call, type FileChange, isSettled } from './call.ts'
import type { HeldFile, JudgedCommand, JudgedPath, Question, Verdict } from './policy/policy-input.ts'

/** Who sent a request. */
export interface Caller {
  client: string
  rights: ReadonlySet<'call' | 'approve'>
  /** The agent that its token was given to: it calls as no other. */
  agent?: string
}

/** What a call would do, as found just now. */
export interface Assessment {
  paths: (JudgedPath & { tree: boolean; if_match?: string | undefined })[]
  /** The command line with what was found of it. */
  command: JudgedCommand | undefined
  /** What keeps the command, or code. */
  isolation: Isolation | undefined
  cwd: string | undefined
  /** Earlier calls that it is about. */
  calls?: string[] | undefined
  /** The program it would start, where the tool had to look for that. */
  invocation?: Invocation | undefined
  effect: Effect
  verdict: Verdict
  /** What policy was asked. */
  question: Question
}

export class Live {
  #call: Call
  /** As it is served, or was when the call was last looked at. */
  tool: Tool
  /** Whoever stands behind the call may approve: its sender, or the person who approved it. */
  may_approve: boolean
  readonly ctx: Context
  readonly abort: AbortController
  /** Tells the tool that nobody waits any more. */
  readonly moved = new AbortController()
  /** Resolves when the call's intent is durable. */
  intent: Promise<void> = Promise.resolve()
  /** The engine's latest look at the call. */
  assessment: Assessment | undefined
  /** The result as JSON, made once for the answer, the journal and every stream. */
  result_json: string | undefined
  /** The call whose stored result this one shares. */
  result_of: string | undefined
  readonly changes: FileChange[] = []
  /** Files that editors have changed for the call in their buffers, if not always to what they were given. */
  readonly in_editors: Pick<HeldFile, 'path' | 'client'>[] = []
  /** The tool has asked for leave to change something, so it may have. */
  acted = false
  /** When the tool was first started, by the monotonic clock. */
  started: number | undefined
  /** Progress has been told, which the journal need not keep once the call has ended. */
  told_progress = false
  /** The caller wants no kept answer. */
  readonly fresh: boolean
  /** The hash that the file to be written must have. */
  readonly if_match: string | undefined
  /** Why the call is being stopped, if it is. */
  stopping: 'cancelled' | 'interrupted' | undefined
  /** How many steps the call has taken. */
  steps = 0
  /** Set while the stored row is older than `call`. */
  unsaved = true
  /** Number of the journal's newest event when the call was taken. */
  readonly since: number
  /** Decisions about one call are taken one after the other. */
  deciding: Promise<unknown> = Promise.resolve()
  /** The value that may be told: durable, or a read's answer, which need not be. */
  #shown: Call
  readonly #watchers = new Set<() => void>()
  readonly #leaving = new Set<() => void>()

  constructor(options: {
    call: Call
    tool: Tool
    may_approve: boolean
    since: number
    context: (live: Live) => Context
    abort: AbortController
    fresh?: boolean
    if_match?: string | undefined
  }) {
    this.#call = options.call
    this.tool = options.tool
    this.may_approve = options.may_approve
    this.since = options.since
    this.abort = options.abort
    this.fresh = options.fresh ?? false
    this.if_match = options.if_match
    this.#shown = options.call
    this.ctx = options.context(this)
  }

  get call(): Call {
    return this.#call
  }

  set call(call: Call) {
    this.#call = call
    this.unsaved = true
  }

  get host(): Host {
    return this.ctx.host
  }

  /** Milliseconds since the tool was first started. */
  elapsed(): number {
    return this.started === undefined ? 0 : Math.round((performance.now() - this.started) * 1_000) / 1_000
  }

  /** The newest value that may be told. */
  get shown(): Call {
    return this.#shown
  }

  /** Lets the present value be told, and tells those who wait for it. */
  show() {
    this.#shown = this.#call
    for (const watcher of [...this.#watchers]) watcher()
  }

  /** Answers all who wait now with the call as it stands. */
  release() {
    for (const leave of [...this.#leaving]) leave()
  }

  /** Waits until the call has ended, or also until it needs a decision, or `ms` have passed, or the waiter has left. */
  async wait(options: { ms: number; throughApproval: boolean; signal?: AbortSignal | undefined }): Promise<Call> {
    const done = () =>
      isSettled(this.#shown) || (!options.throughApproval && this.#shown.status === 'awaiting_approval')
    if (done() || options.signal?.aborted) return this.#shown
    const { promise, resolve } = Promise.withResolvers<void>()
    const watcher = () => done() && resolve()
    this.#watchers.add(watcher)
    this.#leaving.add(resolve)
    const timer = setTimeout(resolve, options.ms)
    const leave = () => resolve()
    options.signal?.addEventListener('abort', leave)
    if (options.signal?.aborted) leave()
    await promise
    clearTimeout(timer)
    options.signal?.removeEventListener('abort', leave)
    this.#watchers.delete(watcher)
    this.#leaving.delete(resolve)
    return this.#shown
  }
}

/** The call without its result, as JSON that the result's JSON can be joined to. */
export const headJson = (call: Call): string => JSON.stringify('result' in call ? { ...call, result: undefined } : call)

/** A call's JSON out of its two parts. */
export const joinJson = (head: string, result: string | null | undefined): string =>
  typeof result === 'string' ? `${head.slice(0, -1)},"result":${result}}` : head

/** What may be told of a call, as JSON. */
export const shownJson = ({ shown, result_json }: Live): string =>
  joinJson(headJson(shown), 'result' in shown ? result_json : undefined)
