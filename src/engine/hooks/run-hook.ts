// Runs one hook for one call: builds its input and sanitizes its response.
import { describeError, ToolError } from '../../errors.ts'
import type { CallResult } from '../../protocol/calls.ts'
import type { HookRun } from '../../protocol/hook-run.ts'
import { stripControlSequences } from '../../text/control-sequences.ts'
import { toTraceHeaders } from '../../text/trace-context.ts'
import type { ActiveCall } from '../active-call.ts'
import type { Engine } from '../engine.ts'
import type { Evaluation } from '../evaluation.ts'
import type { NamedHook } from './configured-hooks.ts'
import { type HookResponse, parseHookResponse } from './hook-response.ts'

const DEFAULT_TIMEOUT_MS = 5_000
const MAX_CONTEXT_LENGTH = 4_000
const MAX_REASON_LENGTH = 1_000
/** Maximum length of a result in a hook's input; longer ones are truncated. */
const MAX_RESULT_LENGTH = 262_144

/** The outcome of a finished call, for a hook. */
export interface HookCallOutcome {
  status: 'success' | 'error'
  result?: CallResult
  error?: { code: string; message: string }
}

interface HookInvocation {
  /** The params of the call, as the hook receives them. */
  params: unknown
  evaluation: Evaluation
  outcome?: HookCallOutcome
  /** The hook's program may change files, as the call may. */
  canModify: boolean
}

interface HookOutcome {
  run: HookRun
  /** Undefined if the hook failed. */
  response: HookResponse | undefined
}

/** Runs the hook. Rejects only if the call is being stopped. */
export async function runHook(
  engine: Engine,
  live: ActiveCall,
  { hook, name, source }: NamedHook,
  invocation: HookInvocation
): Promise<HookOutcome> {
  const began = performance.now()
  const { timeout_ms = DEFAULT_TIMEOUT_MS, when, command, module, isolation, network } = hook
  const program = {
    when,
    ...(command && { command }),
    ...(module !== undefined && { module }),
    timeout_ms,
    isolation,
    network,
    canModify: invocation.canModify
  }
  const toHookRun = (
    outcome: HookRun['outcome'],
    { reason, context }: Pick<HookResponse, 'reason' | 'context'>
  ): HookRun => ({
    name,
    when,
    source,
    outcome,
    ms: Math.round(performance.now() - began),
    ...(reason && { reason: sanitizeText(engine, reason, MAX_REASON_LENGTH) }),
    ...(context && { context: sanitizeText(engine, context, MAX_CONTEXT_LENGTH) })
  })
  try {
    const response = parseHookResponse(
      await live.host.hooks.run(program, buildHookInput(live, when, invocation), live.abort.signal)
    )
    if (when === 'after' && response.params)
      throw new ToolError('EXECUTION_ERROR', 'The hook returned modified params, but the call has already run.')
    return { run: toHookRun(response.decision === 'refuse' ? 'refused' : 'allowed', response), response }
  } catch (error) {
    if (when === 'before') live.abort.signal.throwIfAborted()
    const { code, message } = describeError(error)
    if (code === 'INTERNAL') engine.log.error({ err: error, hook: name }, 'failed to run a hook')
    return { run: toHookRun('failed', { reason: message }), response: undefined }
  }
}

/** Truncates text, redacts secrets and strips terminal control sequences. */
const sanitizeText = (engine: Engine, text: string, most: number) =>
  engine.masking.maskValue(stripControlSequences(text.length > most ? `${text.slice(0, most)}…` : text, true).text)

function buildHookInput(live: ActiveCall, event: 'before' | 'after', invocation: HookInvocation): object {
  const { call, workspace, changes } = live
  const { tool_call_id, tool, session_id, client, agent, context, trace } = call
  const { params, evaluation, outcome } = invocation
  const { effect, paths, command, verdict } = evaluation
  return {
    event,
    tool_call_id,
    tool,
    params,
    session_id,
    workspace: { name: workspace.name, root: workspace.root },
    client,
    ...(agent !== undefined && { agent }),
    ...(context !== undefined && { context }),
    ...(trace && toTraceHeaders(trace)),
    effect,
    paths: paths.map(({ path, access }) => ({ path, access })),
    ...(command && { command: { text: command.text, parts: command.parts.map(({ text, argv }) => ({ text, argv })) } }),
    verdict: { decision: verdict.decision, reason: verdict.reason },
    ...(outcome && {
      status: outcome.status,
      ...(outcome.result && { result: truncateResult(outcome.result) }),
      ...(outcome.error && { error: outcome.error }),
      changes: changes.map(({ path, operation }) => ({ path, operation })),
      execution_time_ms: live.elapsed()
    })
  }
}

/** Truncates the result as it will be reported, without attachments. */
function truncateResult({ title, content, data, metadata, truncated }: CallResult) {
  const isLarge = JSON.stringify(data ?? null).length > MAX_RESULT_LENGTH
  return {
    title,
    content: content.slice(0, MAX_RESULT_LENGTH),
    data: isLarge ? null : data,
    metadata,
    truncated: truncated || isLarge || content.length > MAX_RESULT_LENGTH
  }
}
