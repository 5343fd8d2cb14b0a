// `tools/call`: submits a call like the HTTP API, and handles its approval, progress and end.
import type { CallToolResult } from '@modelcontextprotocol/server'
import { hasApproved } from '../../engine/approvals/joint-approval.ts'
import type { Calls, SerializedCall } from '../../engine/calls.ts'
import { describeError, ToolError } from '../../errors.ts'
import { type Call, type CallWithStatus, isSettled, type SettledCall } from '../../protocol/calls.ts'
import { formatApprovalCount } from '../../protocol/format-approval-count.ts'
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

/** Formats a call for a toolset. */
interface ToolsetResultFormatter {
  formatForToolset(toolset: string, call: SettledCall): unknown
}

interface McpToolRequest {
  /** Id of the call to create, or to join. */
  tool_call_id: string
  tool: string
  params: unknown
}

/** Maximum interval between messages to a client, whose timeout restarts with each. */
const PROGRESS_INTERVAL_MS = 10_000
/** Maximum number of elicitations per call: its effects may change while a person reads. */
const MAX_ELICITATIONS = 8

/** Returns the result, or a request error that a model can act on. Throws only protocol errors. */
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
  /** Aborts when waiting ends, for either reason. Linked manually: a long-lived source signal would retain a composite one. */
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
      const update = asker.progress && this.#progress.fromEvent(event)
      if (update) asker.progress?.(update)
    })
    this.close = () => {
      unlisten()
      for (const signal of [asker.signal, asker.disconnected]) signal.removeEventListener('abort', leave)
    }
  }

  async waitForEnd(): Promise<SettledCall> {
    const { elicit, signal, disconnected, caller } = this.#context
    let call = await this.#start()
    for (let questions = elicit ? MAX_ELICITATIONS : 0; !isSettled(call); call = await this.#refresh()) {
      const waits = call.status === 'awaiting_approval' ? call : undefined
      disconnected.throwIfAborted()
      if (signal.aborted) await this.#calls.cancel(call.tool_call_id, 'Cancelled by the client.')
      else if (waits && questions > 0 && !hasApproved(waits, caller))
        questions = (await this.#elicitDecision(waits)) ? questions - 1 : 0
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

  /** Waits for the end of the call, at most for the interval between messages. */
  async #wait(waits: CallWithStatus<'awaiting_approval'> | undefined) {
    if (waits) this.#reportProgress(formatWaiting(waits))
    const wait = { ms: PROGRESS_INTERVAL_MS, throughApproval: true, signal: this.#abandoned.signal }
    const { call } = await this.#calls.get(this.#request.tool_call_id, wait)
    if (call.status === 'running' && !this.#abandoned.signal.aborted) this.#reportProgress('The call is still running.')
  }

  /** Asks the person at the client, unless the call is decided elsewhere first. Returns false if they decline to decide. */
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
      // It may have been decided just before the subscription.
      const now = await this.#refresh()
      if (now.status !== 'awaiting_approval' || now.approval.digest !== approval.digest) return true
      if (now.approval.approvals?.length !== approval.approvals?.length) return true
      const reply = await elicit!(call, AbortSignal.any([this.#abandoned.signal, withdrawn.signal]))
      return await applyDecision(this.#calls, tool_call_id, parseDecision(reply, call), caller)
    } catch (error) {
      if (withdrawn.signal.aborted || this.#abandoned.signal.aborted) return true
      throw error
    } finally {
      clearInterval(patience)
      stop()
    }
  }
}

/** A call that was evicted from memory has its result only in the JSON. */
const toWholeCall = ({ call, json }: SerializedCall): Call =>
  call.status === 'success' && !('result' in call) ? (JSON.parse(json) as Call) : call

function formatWaiting({ workspace, tool_call_id, approval }: CallWithStatus<'awaiting_approval'>) {
  const count = formatApprovalCount(approval)
  return `The call waits for approval in workspace ${workspace}${count === undefined ? '' : ` (${count})`}. Its id is ${tool_call_id}.`
}

/** Applies a decision; returns false if there is none. After a stale or late one, the person may be asked again. */
async function applyDecision(
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
