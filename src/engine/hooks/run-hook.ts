// One hook asked about one call: what it is told, and what becomes of what it says.
import { describeError, ToolError } from '../../errors.ts'
import { plainText } from '../../text/control-sequences.ts'
import type { Assessment, Live } from '../active-call.ts'
import type { HookRun, Result } from '../call.ts'
import type { Engine } from '../engine.ts'
import type { NamedHook } from './configured-hooks.ts'
import { answerOf, type HookAnswer } from './hook-response.ts'

const TIMEOUT_MS = 5_000
const CONTEXT_CHARACTERS = 4_000
const REASON_CHARACTERS = 1_000
/** More of a result is left out of what a hook is told. */
const RESULT_CHARACTERS = 262_144

/** What a hook is told beside the call itself, once that has run. */
export interface Ran {
  status: 'success' | 'error'
  result?: Result
  error?: { code: string; message: string }
}

export interface Asked {
  /** The call, as the hook is told of it. */
  params: unknown
  assessment: Assessment
  ran?: Ran
  /** Its program may change files, as the call may. */
  may_change: boolean
}

interface HookOutcome {
  run: HookRun
  /** Nothing where it has failed. */
  answer: HookAnswer | undefined
}

/** Asks it. Fails only where the call is being stopped. */
export async function askHook(
  engine: Engine,
  live: Live,
  { hook, name, source }: NamedHook,
  asked: Asked
): Promise<HookOutcome> {
  const began = performance.now()
  const { timeout_ms = TIMEOUT_MS, when, command, module, isolation, network } = hook
  const program = {
    when,
    ...(command && { command }),
    ...(module !== undefined && { module }),
    timeout_ms,
    isolation,
    network,
    may_change: asked.may_change
  }
  const told = (outcome: HookRun['outcome'], { reason, context }: Pick<HookAnswer, 'reason' | 'context'>): HookRun => ({
    name,
    when,
    source,
    outcome,
    ms: Math.round(performance.now() - began),
    ...(reason && { reason: shown(engine, reason, REASON_CHARACTERS) }),
    ...(context && { context: shown(engine, context, CONTEXT_CHARACTERS) })
  })
  try {
    const answer = answerOf(await live.host.hooks.run(program, inputOf(live, when, asked), live.abort.signal))
    if (when === 'after' && answer.params)
      throw new ToolError('EXECUTION_ERROR', 'It gave other params for a call that has run.')
    return { run: told(answer.decision === 'refuse' ? 'refused' : 'allowed', answer), answer }
  } catch (error) {
    if (when === 'before') live.abort.signal.throwIfAborted()
    const { code, message } = describeError(error)
    if (code === 'INTERNAL') engine.log.error({ err: error, hook: name }, 'a hook could not be asked')
    return { run: told('failed', { reason: message }), answer: undefined }
  }
}

/** Bounded, without secrets, and without what steers a terminal. */
const shown = (engine: Engine, text: string, most: number) =>
  engine.masking.maskedAll(plainText(text.length > most ? `${text.slice(0, most)}…` : text, true).text)

function inputOf(live: Live, event: 'before' | 'after', asked: Asked): object {
  const { call, ctx, changes } = live
  const { tool_call_id, tool, session_id, client, agent, context } = call
  const { params, assessment, ran } = asked
  const { effect, paths, command, verdict } = assessment
  return {
    event,
    tool_call_id,
    tool,
    params,
    session_id,
    workspace: ctx.workspace,
    client,
    ...(agent !== undefined && { agent }),
    ...(context !== undefined && { context }),
    effect,
    paths: paths.map(({ path, access }) => ({ path, access })),
    ...(command && { command: { text: command.text, parts: command.parts.map(({ text, argv }) => ({ text, argv })) } }),
    verdict: { decision: verdict.decision, reason: verdict.reason },
    ...(ran && {
      status: ran.status,
      ...(ran.result && { result: bounded(ran.result) }),
      ...(ran.error && { error: ran.error }),
      changes: changes.map(({ path, operation }) => ({ path, operation })),
      execution_time_ms: live.elapsed()
    })
  }
}

/** As it will be told, but for attachments and for what is too much. */
function bounded({ title, content, data, metadata, truncated }: Result) {
  const isLarge = JSON.stringify(data ?? null).length > RESULT_CHARACTERS
  return {
    title,
    content: content.slice(0, RESULT_CHARACTERS),
    data: isLarge ? null : data,
    metadata,
    truncated: truncated || isLarge || content.length > RESULT_CHARACTERS
  }
}
