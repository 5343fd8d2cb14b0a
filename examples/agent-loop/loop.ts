// The agent loop: asks the model, runs its calls through Toolgate and returns the results, until it gives an answer.
import { setTimeout } from 'node:timers/promises'
import type { BatchOutcome, Call, Client } from 'toolgate/client'

/** A call requested by the model. */
export interface Wanted {
  id: string
  name: string
  /** Undefined if the model wrote no JSON object. */
  params: Record<string, unknown> | undefined
}

/** The result as text for the model. */
export interface ToolOutcome {
  id: string
  text: string
  failed: boolean
}

/** A conversation with a model, in the form of its API. */
export interface Chat {
  /** Sends the results of the previous calls and resolves with the model's reply: calls, or without any its answer. */
  next(outcomes: ToolOutcome[]): Promise<{ text: string; calls: Wanted[] }>
}

export interface AgentOptions {
  toolgate: Client
  chat: Chat
  agent: string
  /** Groups the calls of this task in the log and in front ends. */
  session_id: string
  /** Prints a line for the user. */
  say(line: string): void
  signal: AbortSignal
  max_turns?: number
}

const TRIES = 5
const HELD_MS = 60_000
const SETTLED = new Set<Call['status']>(['success', 'error', 'rejected', 'cancelled', 'interrupted', 'expired'])

/** Works on the task of the chat and resolves with the model's answer. */
export async function runAgent({ max_turns = 50, ...options }: AgentOptions): Promise<string> {
  let outcomes: ToolOutcome[] = []
  for (let turn = 0; turn < max_turns; turn += 1) {
    const { text, calls } = await options.chat.next(outcomes)
    if (calls.length === 0) return text
    if (text) options.say(text)
    outcomes = await act(calls, options)
  }
  throw new Error(`The model has not come to an answer in ${max_turns} turns.`)
}

/** Sends the calls of one turn as a batch: they run in parallel, except those on the same file, which run in order. */
async function act(wanted: Wanted[], options: AgentOptions): Promise<ToolOutcome[]> {
  const outcomes = await submit(
    wanted.filter(({ params }) => params !== undefined),
    options
  )
  return Promise.all(
    wanted.map(async ({ id, name }): Promise<ToolOutcome> => {
      const outcome = outcomes.get(id)
      if (outcome === undefined)
        return { id, text: 'The arguments must be one JSON object. Send the call again.', failed: true }
      if (!('status' in outcome)) return { id, ...inWords(outcome) }
      const call = await settled(outcome, options)
      options.say(`${name}: ${call.status}`)
      return { id, ...inWords(call) }
    })
  )
}

/** Resends calls that a busy server rejected. Accepted calls are never sent twice. */
async function submit(wanted: Wanted[], { toolgate, agent, session_id, signal }: AgentOptions) {
  const outcomes = new Map<string, BatchOutcome>()
  let open = wanted
  for (let pause_ms = 500, tries = 1; open.length > 0; pause_ms *= 2, tries += 1) {
    const requests = open.map(({ name, params }) => ({ tool: name, params: params!, agent, session_id }))
    const { results } = await toolgate.batch(requests, { signal })
    for (const [at, { id }] of open.entries()) outcomes.set(id, results[at]!)
    open = tries < TRIES ? open.filter(({ id }) => isBusy(outcomes.get(id)!)) : []
    if (open.length > 0) await setTimeout(pause_ms, undefined, { signal })
  }
  return outcomes
}

const isBusy = (outcome: BatchOutcome) => 'problem' in outcome && outcome.problem.code === 'OVERLOADED'

/** Waits until a call has ended, however long an approval takes. Aborting the agent cancels the call. */
async function settled(call: Call, { toolgate, say, signal }: AgentOptions): Promise<Call> {
  if (call.status === 'awaiting_approval')
    say(
      `${call.approval.preview.title} needs your approval: ${call.approval.reason}\n` +
        `  in your editor or the console, or: toolgate approve ${call.tool_call_id}`
    )
  try {
    let now = call
    while (!SETTLED.has(now.status)) now = await toolgate.get(call.tool_call_id, { wait_ms: HELD_MS, signal })
    return now
  } catch (error) {
    await toolgate.cancel(call.tool_call_id, { reason: 'The agent was stopped.' }).catch(() => {})
    throw error
  }
}

function inWords(outcome: BatchOutcome): Pick<ToolOutcome, 'text' | 'failed'> {
  if ('skipped' in outcome) return { text: 'Skipped.', failed: true }
  if ('problem' in outcome) return { text: `${outcome.problem.code}: ${outcome.problem.detail}`, failed: true }
  if (outcome.status === 'success') return { text: outcome.result.content, failed: false }
  if (outcome.status === 'error') return { text: `${outcome.error.code}: ${outcome.error.message}`, failed: true }
  const { reason, user_message } = outcome as { reason?: string; user_message?: string }
  return { text: [`The call was ${outcome.status}.`, reason, user_message].filter(Boolean).join(' '), failed: true }
}
