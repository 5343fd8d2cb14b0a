// The calls of one message of a model. They run as a batch does, each known by the id that the model's API gave it, so that the message can
// be sent again: calls that it has created are joined, others start.

import { type Call, isSettled } from '../protocol/calls.ts'
import type { Caller } from './active-call.ts'
import { findRequestLocks, runInPathOrder } from './batch-order.ts'
import type { Engine } from './engine.ts'
import { resolveAgent } from './resolve-agent.ts'
import {
  DEFAULT_SESSION,
  findSubmittedCall,
  resolveWorkspace,
  type SubmitOptions,
  type SubmitRequest,
  submitCall
} from './submit.ts'

/** The fields that all calls of a message have in common. */
export type MessageScope = Pick<SubmitRequest, 'session_id' | 'workspace' | 'agent' | 'toolset' | 'context'>

export interface ModelMessage {
  scope: MessageScope
  calls: readonly ModelCall[]
}

export interface ModelCall {
  /** Given by the model's API; differs from those of all other calls of the session. */
  id: string
  tool: string
  params: Record<string, unknown>
}

/** The outcome of one call: the call, the reason why there is none, or the id of the earlier call that it waits for. */
export type MessageOutcome<C> = { id: string } & (C | { error: unknown } | { waits_for: string })

export interface MessageRun<C> {
  ms: number
  /** Returns a call once it has ended, at the latest after so many milliseconds. */
  waitFor: (tool_call_id: string, ms: number) => Promise<C>
  onCall?: ((tool_call_id: string, id: string) => void) | undefined
}

/** Returns the scope with what it leaves out. Throws if no call could have it. */
export function resolveScope(engine: Engine, scope: MessageScope, caller: Caller): MessageScope {
  return {
    ...scope,
    session_id: scope.session_id ?? DEFAULT_SESSION,
    workspace: resolveWorkspace(engine, scope.workspace).name,
    agent: resolveAgent(scope.agent, caller)
  }
}

/**
 * Runs the calls in parallel, except that those on the same path run in order. A call whose predecessor has not ended within the time is
 * not started: it could depend on it.
 */
export async function runMessageCalls<C extends { call: Call }>(
  engine: Engine,
  { scope, calls }: ModelMessage,
  caller: Caller,
  { ms, waitFor, onCall }: MessageRun<C>
): Promise<MessageOutcome<C>[]> {
  const deadline = performance.now() + ms
  const requests = calls.map(({ tool, params }): SubmitRequest => ({ ...scope, tool, params }))
  const locks = await Promise.all(requests.map(request => findRequestLocks(engine, request, caller)))
  return runInPathOrder<MessageOutcome<C>>(locks, async (index, earlier) => {
    const { id } = calls[index]!
    const open = earlier.find(isOpen)
    if (open) return { id, waits_for: open.id }
    try {
      const request = requests[index]!
      const options: SubmitOptions = { model_call_id: id }
      const taken = submitCall(engine, request, caller, options)
      const tool_call_id = findSubmittedCall(engine, request, { caller, options })!
      onCall?.(tool_call_id, id)
      const live = await taken
      const isBackground = !('settled' in live) && live.publishedCall.background
      return { id, ...(await waitFor(tool_call_id, isBackground ? 0 : Math.max(0, deadline - performance.now()))) }
    } catch (error) {
      return { id, error }
    }
  })
}

const isOpen = (outcome: MessageOutcome<{ call: Call }>): boolean =>
  'waits_for' in outcome || ('call' in outcome && !isSettled(outcome.call) && !outcome.call.background)
