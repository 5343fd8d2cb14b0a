// `tools/call`: the same submit as for everybody, its approval, its progress and its end.
import type { CallToolResult } from '@modelcontextprotocol/server'
import { type Call, type CallWith, isSettled, type SettledCall } from '../../engine/call.ts'
import type { Answer, Calls } from '../../engine/calls.ts'
import { describeError, ToolError } from '../../errors.ts'
import type { Masks } from '../calls.ts'
import { decisionOf } from './approval-form.ts'
import type { Asker } from './call-context.ts'
import type { CallFeed } from './call-feed.ts'
import { ProgressWords } from './progress.ts'
import { answerOf, refusalOf } from './tool-result.ts'

export interface CallServices {
  calls: Calls
  masking: Masks
  feed: CallFeed
}

/** Tells a call in the words of a toolset. */
interface Words {
  inWords(toolset: string, call: SettledCall): unknown
}

export interface ToolRequest {
  /** Of the call to make, or to join. */
  tool_call_id: string
  tool: string
  params: unknown
}

/** How long a client hears nothing at most: its time limit begins anew with every word. */
const SILENCE_MS = 10_000
/** How often a person is asked about one call: what it would do may change while they read. */
const MOST_QUESTIONS = 8

/** The result, or what is wrong with the request in a form that a model can act on. Throws what is wrong with the
 * protocol alone. */
export async function callTool(
  services: CallServices & Words,
  request: ToolRequest,
  asker: Asker
): Promise<CallToolResult> {
  const under = new CallUnderWay(services, request, asker)
  try {
    const call = await under.end()
    return answerOf(call, call.toolset === undefined ? undefined : services.inWords(call.toolset, call))
  } catch (error) {
    if (!(error instanceof ToolError) || error.code === 'UNKNOWN_TOOL') throw error
    return refusalOf(services.masking.maskedAll(describeError(error)))
  } finally {
    under.close()
  }
}

class CallUnderWay {
  readonly #calls: Calls
  readonly #feed: CallFeed
  readonly #request: ToolRequest
  readonly #asker: Asker
  readonly #words = new ProgressWords()
  /** Nobody waits any more, for either reason. Bound by hand: a signal made of others is kept by the one that lives on. */
  readonly #gone = new AbortController()
  readonly close: () => void

  constructor({ calls, feed }: CallServices, request: ToolRequest, asker: Asker) {
    this.#calls = calls
    this.#feed = feed
    this.#request = request
    this.#asker = asker
    const leave = () => this.#gone.abort()
    for (const signal of [asker.signal, asker.left]) {
      signal.addEventListener('abort', leave)
      if (signal.aborted) leave()
    }
    const unlisten = feed.of(request.tool_call_id, event => {
      if (event.type !== 'tool.progress') return
      if (!asker.progress && event.message !== undefined) asker.log(request.tool, event.message)
      const said = asker.progress && this.#words.of(event)
      if (said) asker.progress?.(said)
    })
    this.close = () => {
      unlisten()
      for (const signal of [asker.signal, asker.left]) signal.removeEventListener('abort', leave)
    }
  }

  async end(): Promise<SettledCall> {
    const { ask, signal, left } = this.#asker
    let call = await this.#begin()
    for (let questions = ask ? MOST_QUESTIONS : 0; !isSettled(call); call = await this.#now()) {
      const waits = call.status === 'awaiting_approval' ? call : undefined
      left.throwIfAborted()
      if (signal.aborted) await this.#calls.cancel(call.tool_call_id, 'Cancelled by the client.')
      else if (waits && questions > 0) questions = (await this.#decide(waits)) ? questions - 1 : 0
      else await this.#wait(waits)
    }
    return call
  }

  async #begin(): Promise<Call> {
    const { joins, meta, caller } = this.#asker
    const wait = { ms: SILENCE_MS, throughApproval: false, signal: this.#gone.signal }
    if (joins) return whole(await this.#calls.get(this.#request.tool_call_id, wait))
    return whole(await this.#calls.submit({ ...meta, ...this.#request }, caller, { wait }))
  }

  async #now(): Promise<Call> {
    return whole(await this.#calls.get(this.#request.tool_call_id, { ms: 0, throughApproval: true }))
  }

  #say(message: string) {
    this.#asker.progress?.(this.#words.say(message))
  }

  /** Waits for the end of the call, but not longer than a client may hear nothing. */
  async #wait(waits: CallWith<'awaiting_approval'> | undefined) {
    if (waits) this.#say(waitingFor(waits))
    const wait = { ms: SILENCE_MS, throughApproval: true, signal: this.#gone.signal }
    const { call } = await this.#calls.get(this.#request.tool_call_id, wait)
    if (call.status === 'running' && !this.#gone.signal.aborted) this.#say('Still running.')
  }

  /** Asks the person at the client, unless somebody else is first. False where they leave it to others. */
  async #decide(call: CallWith<'awaiting_approval'>): Promise<boolean> {
    const { ask, caller } = this.#asker
    const { tool_call_id, approval } = call
    const withdrawn = new AbortController()
    const stop = this.#feed.of(tool_call_id, ({ type }) => {
      if (type !== 'tool.progress') withdrawn.abort()
    })
    const patience = setInterval(() => this.#say(waitingFor(call)), SILENCE_MS)
    this.#say(waitingFor(call))
    try {
      // It may have been decided just before we listened.
      const now = await this.#now()
      if (now.status !== 'awaiting_approval' || now.approval.digest !== approval.digest) return true
      const reply = await ask!(call, AbortSignal.any([this.#gone.signal, withdrawn.signal]))
      return await apply(this.#calls, tool_call_id, decisionOf(reply, approval.digest), caller)
    } catch (error) {
      if (withdrawn.signal.aborted || this.#gone.signal.aborted) return true
      throw error
    } finally {
      clearInterval(patience)
      stop()
    }
  }
}

/** A call that has left memory comes without its result, but for the JSON. */
const whole = ({ call, json }: Answer): Call =>
  call.status === 'success' && !('result' in call) ? (JSON.parse(json) as Call) : call

const waitingFor = ({ workspace, tool_call_id }: CallWith<'awaiting_approval'>) =>
  `Waiting for approval in workspace ${workspace}, id ${tool_call_id}.`

/** Makes a decision; false where there is none. Who was too late, or was shown what is no longer so, may be asked again. */
export async function apply(
  calls: Calls,
  id: string,
  decision: ReturnType<typeof decisionOf>,
  caller: Asker['caller']
): Promise<boolean> {
  if (!decision) return false
  try {
    if ('approve' in decision) await calls.approve(id, decision.approve, caller)
    else await calls.reject(id, decision.reject, caller)
  } catch (error) {
    if (!(error instanceof ToolError) || !ASK_AGAIN.has(error.code)) throw error
  }
  return true
}
/** Decided by others, changed since, or not confirmed. */
const ASK_AGAIN: ReadonlySet<string> = new Set(['CONFLICT', 'PREVIEW_CHANGED', 'INVALID_PARAMS'])
