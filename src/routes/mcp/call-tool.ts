// `tools/call`: the same submit as for everybody, its approval, its progress and its end.
import type { CallToolResult } from '@modelcontextprotocol/server'
import { type Call, type CallWithStatus, isSettled, type SettledCall } from '../../engine/call.ts'
import type { Calls, SerializedCall } from '../../engine/calls.ts'
import { describeError, ToolError } from '../../errors.ts'
import type { ProblemRedactor } from '../http/problem.ts'
import { parseDecision } from './approval-form.ts'
import type { McpCallContext } from './call-context.ts'
import type { CallFeed } from './call-feed.ts'
import { ProgressTracker } from './progress.ts'
import { toCallToolResult, toErrorResult } from './tool-result.ts'

export interface McpCallServices {
  calls: Calls
  masking: ProblemRedactor
  feed: CallFeed
}

/** Tells a call in the words of a toolset. */
interface ToolsetResultFormatter {
  formatForToolset(toolset: string, call: SettledCall): unknown
}

export interface McpToolRequest {
  /** Of the call to make, or to join. */
  tool_call_id: string
  tool: string
  params: unknown
}

/** How long a client hears nothing at most: its time limit begins anew with every word. */
const PROGRESS_INTERVAL_MS = 10_000
/** How often a person is asked about one call: what it would do may change while they read. */
const MAX_ELICITATIONS = 8

/** The result, or what is wrong with the request in a form that a model can act on. Throws what is wrong with the
 * protocol alone. */
export async function callTool(
  services: McpCallServices & ToolsetResultFormatter,
  request: McpToolRequest,
  asker: McpCallContext
): Promise<CallToolResult> {
  const under = new McpToolCall(services, request, asker)
  try {
    const call = await under.waitForEnd()
    return toCallToolResult(
      call,
      call.toolset === undefined ? undefined : services.formatForToolset(call.toolset, call)
    )
  } catch (error) {
    if (!(error instanceof ToolError) || error.code === 'UNKNOWN_TOOL') throw error
    return toErrorResult(services.masking.maskValue(describeError(error)))
  } finally {
    under.close()
  }
}

class McpToolCall {
  readonly #calls: Calls
  readonly #feed: CallFeed
  readonly #request: McpToolRequest
  readonly #context: McpCallContext
  readonly #progress = new ProgressTracker()
  /** Nobody waits any more, for either reason. Bound by hand: a signal made of others is kept by the one that lives on. */
  readonly #abandoned = new AbortController()
  readonly close: () => void

  constructor({ calls, feed }: McpCallServices, request: McpToolRequest, asker: McpCallContext) {
    this.#calls = calls
    this.#feed = feed
    this.#request = request
    this.#context = asker
    const leave = () => this.#abandoned.abort()
    for (const signal of [asker.signal, asker.disconnected]) {
      signal.addEventListener('abort', leave)
      if (signal.aborted) leave()
    }
    const unlisten = feed.subscribe(request.tool_call_id, event => {
      if (event.type !== 'tool.progress') return
      if (!asker.progress && event.message !== undefined) asker.log(request.tool, event.message)
      const said = asker.progress && this.#progress.fromEvent(event)
      if (said) asker.progress?.(said)
    })
    this.close = () => {
      unlisten()
      for (const signal of [asker.signal, asker.disconnected]) signal.removeEventListener('abort', leave)
    }
  }

  async waitForEnd(): Promise<SettledCall> {
    const { elicit, signal, disconnected } = this.#context
    let call = await this.#start()
    for (let questions = elicit ? MAX_ELICITATIONS : 0; !isSettled(call); call = await this.#refresh()) {
      const waits = call.status === 'awaiting_approval' ? call : undefined
      disconnected.throwIfAborted()
      if (signal.aborted) await this.#calls.cancel(call.tool_call_id, 'Cancelled by the client.')
      else if (waits && questions > 0) questions = (await this.#elicitDecision(waits)) ? questions - 1 : 0
      else await this.#wait(waits)
    }
    return call
  }

  async #start(): Promise<Call> {
    const { joins, meta, caller } = this.#context
    const wait = { ms: PROGRESS_INTERVAL_MS, throughApproval: false, signal: this.#abandoned.signal }
    if (joins) return toWholeCall(await this.#calls.get(this.#request.tool_call_id, wait))
    return toWholeCall(await this.#calls.submit({ ...meta, ...this.#request }, caller, { wait }))
  }

  async #refresh(): Promise<Call> {
    return toWholeCall(await this.#calls.get(this.#request.tool_call_id, { ms: 0, throughApproval: true }))
  }

  #reportProgress(message: string) {
    this.#context.progress?.(this.#progress.next(message))
  }

  /** Waits for the end of the call, but not longer than a client may hear nothing. */
  async #wait(waits: CallWithStatus<'awaiting_approval'> | undefined) {
    if (waits) this.#reportProgress(formatWaiting(waits))
    const wait = { ms: PROGRESS_INTERVAL_MS, throughApproval: true, signal: this.#abandoned.signal }
    const { call } = await this.#calls.get(this.#request.tool_call_id, wait)
    if (call.status === 'running' && !this.#abandoned.signal.aborted) this.#reportProgress('Still running.')
  }

  /** Asks the person at the client, unless somebody else is first. False where they leave it to others. */
  async #elicitDecision(call: CallWithStatus<'awaiting_approval'>): Promise<boolean> {
    const { elicit, caller } = this.#context
    const { tool_call_id, approval } = call
    const withdrawn = new AbortController()
    const stop = this.#feed.subscribe(tool_call_id, ({ type }) => {
      if (type !== 'tool.progress') withdrawn.abort()
    })
    const patience = setInterval(() => this.#reportProgress(formatWaiting(call)), PROGRESS_INTERVAL_MS)
    this.#reportProgress(formatWaiting(call))
    try {
      // It may have been decided just before we listened.
      const now = await this.#refresh()
      if (now.status !== 'awaiting_approval' || now.approval.digest !== approval.digest) return true
      const reply = await elicit!(call, AbortSignal.any([this.#abandoned.signal, withdrawn.signal]))
      return await applyDecision(this.#calls, tool_call_id, parseDecision(reply, approval.digest), caller)
    } catch (error) {
      if (withdrawn.signal.aborted || this.#abandoned.signal.aborted) return true
      throw error
    } finally {
      clearInterval(patience)
      stop()
    }
  }
}

/** A call that has left memory comes without its result, but for the JSON. */
const toWholeCall = ({ call, json }: SerializedCall): Call =>
  call.status === 'success' && !('result' in call) ? (JSON.parse(json) as Call) : call

const formatWaiting = ({ workspace, tool_call_id }: CallWithStatus<'awaiting_approval'>) =>
  `Waiting for approval in workspace ${workspace}, id ${tool_call_id}.`

/** Makes a decision; false where there is none. Who was too late, or was shown what is no longer so, may be asked again. */
export async function applyDecision(
  calls: Calls,
  id: string,
  decision: ReturnType<typeof parseDecision>,
  caller: McpCallContext['caller']
): Promise<boolean> {
  if (!decision) return false
  try {
    if ('approve' in decision) await calls.approve(id, decision.approve, caller)
    else await calls.reject(id, decision.reject, caller)
  } catch (error) {
    if (!(error instanceof ToolError) || !RETRYABLE_CODES.has(error.code)) throw error
  }
  return true
}
/** Decided by others, changed since, or not confirmed. */
const RETRYABLE_CODES: ReadonlySet<string> = new Set(['CONFLICT', 'PREVIEW_CHANGED', 'INVALID_PARAMS'])
