import { type Static, Type } from 'typebox'
import { invalidParam, ToolError } from '../../errors.ts'
import { type Command, orphanReport } from '../../host/processes/command/command.ts'
import { MAX_RESULT_BYTES } from '../../host/processes/outputs/head-tail-capture.ts'
import type { StartOptions } from '../../host/processes/processes.ts'
import { toQuarantineReport } from '../../protocol/quarantine-report.ts'
import type { ReadContext, RunContext } from '../../tool/contexts.ts'
import type { NamedShell } from '../../tool/named-shell.ts'
import { SHELL_NAME_PATTERN } from '../../tool/named-shell.ts'
import type { Progress } from '../../tool/result.ts'
import { defineTool } from '../../tool/tool.ts'
import {
  checkCommand,
  commandFolder,
  commandParams,
  commandPreview,
  commandRequest,
  commandTitle,
  commandToStart
} from './lib/command-line.ts'
import { CommandResult, commandContent, resultTexts } from './lib/command-result.ts'
import { inShell, RECORD_NAME, recordingLine, reportShell, saveShellState } from './lib/shell-state.ts'

const DEFAULT_TIMEOUT_MS = 120_000
const MAX_TIMEOUT_MS = 600_000
// Time for ending the command and cleaning up its processes, after its own time limit.
const CLEAN_UP_MS = 5_000

const Input = Type.Object(
  {
    ...commandParams,
    timeout_ms: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_TIMEOUT_MS,
        description: `Time limit. Default: ${DEFAULT_TIMEOUT_MS}; none in the background.`
      })
    ),
    wait_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_TIMEOUT_MS,
        description: 'After this time, continue the command as a background task and return the output so far.'
      })
    ),
    head_bytes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_RESULT_BYTES,
        description: 'Bytes of long output to return from its start. Default: its start and end.'
      })
    ),
    stdin: Type.Optional(Type.String({ description: 'Standard input.' })),
    survivors: Type.Optional(
      Type.Enum(['kill', 'keep'], {
        description:
          '`kill` (default) background processes of the command, or `keep` them as a task (only with isolation none).'
      })
    ),
    shell: Type.Optional(
      Type.String({
        pattern: SHELL_NAME_PATTERN,
        description:
          'Name of a shell of this session that keeps the working folder and exported variables between commands.'
      })
    ),
    track_changes: Type.Optional(
      Type.Boolean({
        description:
          'Record file changes for undo, except in ignored files and .git. true: fail if impossible. Default: as configured.'
      })
    )
  },
  { additionalProperties: false }
)
type Input = Static<typeof Input>

const LESS_ISOLATION = '`isolation` with a lower level'
const SANDBOX_HINTS = {
  network: '`network` for the hosts that the command needs',
  writing: LESS_ISOLATION,
  view: LESS_ISOLATION
}

export default defineTool({
  name: 'shell_exec',
  category: 'commands',
  description:
    'Runs a command line, waits for its end, and terminates its background processes. Check exit_code: the call succeeds even if the command fails.',
  input: Input,
  output: CommandResult,
  timeout_ms: ({ timeout_ms = DEFAULT_TIMEOUT_MS }) => timeout_ms + CLEAN_UP_MS,
  effect: 'execute',
  traits: { capturesOutput: true, detachable: input => !needsEnd(input) },
  request(input, { session }) {
    const shell = input.shell === undefined ? undefined : session.shell(input.shell)
    const modifiers = [
      ...(input.stdin === undefined ? [] : ['stdin']),
      ...(input.survivors === 'keep' ? ['survivors'] : [])
    ]
    return {
      command: {
        ...commandRequest(inShell(input, shell), modifiers),
        ...(shell && { shell }),
        ...untracked(input),
        tracks: input.track_changes
      }
    }
  },
  plan(input, ctx, { command }) {
    const { shell } = command!
    checkShellFolder(input, shell, ctx)
    checkCommand(inShell(input, shell), ctx)
    checkSurvivors(input, ctx)
    const ending = needsEnd(input)
    const lasting = ['wait_ms', 'survivors'] as const
    const one = ending && lasting.find(name => input[name] !== undefined && input[name] !== 'kill')
    if (one) throw invalidParam(one, `cannot be combined with ${ending}, which requires the command to end.`)
    return {
      state: shell,
      preview: () =>
        commandPreview(inShell(input, shell), [
          ...(shell ? [`shell: ${shell.name}`] : []),
          ...(input.stdin === undefined ? [] : [`stdin: ${input.stdin}`]),
          ...(input.survivors === 'keep' ? ['background processes: kept after the command'] : [])
        ])
    }
  },
  run: execute,
  present(output, input) {
    const { truncated, exit_code, duration_ms } = output
    return {
      title: commandTitle(input),
      content: commandContent(output, SANDBOX_HINTS, input),
      metadata: { exit_code, duration_ms },
      ...(truncated && { truncated })
    }
  }
})

function untracked({ track_changes, wait_ms, survivors }: Input): { untracked?: string } {
  if (track_changes === false)
    return { untracked: 'The changes of the command are not tracked, so undo cannot revert them.' }
  if (wait_ms === undefined && survivors !== 'keep') return {}
  return { untracked: 'The command may continue in the background, where its changes are not tracked.' }
}

/** Returns the param by which the call has to wait for the end of the command. */
const needsEnd = ({ track_changes, shell }: Input): 'track_changes' | 'shell' | undefined => {
  if (track_changes) return 'track_changes'
  return shell === undefined ? undefined : 'shell'
}

/** Throws FILE_NOT_FOUND if the folder of the shell is gone. */
function checkShellFolder({ cwd }: Input, shell: NamedShell | undefined, { host }: ReadContext) {
  if (!shell || cwd !== undefined || host.files.resolve(shell.cwd).kind === 'directory') return
  throw new ToolError(
    'FILE_NOT_FOUND',
    `The working folder ${shell.cwd} of the shell ${shell.name} no longer exists. Set cwd, or reset the shell.`,
    { path: shell.cwd }
  )
}

/** Rejects `keep` in a sandbox, which ends all processes. */
function checkSurvivors({ survivors }: Input, { command: { isolation } }: ReadContext) {
  if (survivors !== 'keep' || isolation.level === 'none') return
  throw invalidParam(
    'survivors',
    'requires isolation none: in a sandbox all processes end with the command. Use shell_background for long-running commands.'
  )
}

type CommandRun = AsyncGenerator<Progress, CommandResult, void>

async function* execute(input: Input, ctx: RunContext, shell: NamedShell | undefined): CommandRun {
  const inside = inShell(input, shell)
  const started = commandToStart(inside, ctx)
  if (!shell) return yield* start(inside, ctx, started)
  // A single program leaves the shell as it is.
  if (!('command' in started)) return { ...(yield* start(inside, ctx, started)), shell: reportShell(shell) }
  const record = await ctx.host.processes.placeFile({ name: RECORD_NAME, text: '', isWritable: true })
  try {
    const recording = { command: recordingLine(started.command), args: [record.path], mounts: record.mounts }
    const output = yield* start(inside, ctx, { ...started, ...recording })
    return { ...output, shell: await saveShellState(shell, record, ctx) }
  } finally {
    await record.remove()
  }
}

type StartedCommand = ReturnType<typeof commandToStart> & Pick<StartOptions, 'mounts'>

async function* start(input: Input, ctx: RunContext, started: StartedCommand): CommandRun {
  const { stdin, timeout_ms = DEFAULT_TIMEOUT_MS, survivors = 'kill', separate_streams = false } = input
  const command = await ctx.host.processes.start({
    ...started,
    cwd: commandFolder(input, ctx),
    stdin,
    timeout_ms,
    isolation: ctx.command.isolation,
    survivors,
    mergeStreams: !separate_streams
  })
  try {
    return yield* follow(input, ctx, command)
  } finally {
    command.release()
  }
}

/** Yields output until the command ends, or its caller stops waiting. */
async function* follow(input: Input, ctx: RunContext, command: Command): CommandRun {
  const { isolation } = command
  const patience = new AbortController()
  const stop = () => patience.abort()
  const timer = input.wait_ms === undefined ? undefined : setTimeout(stop, input.wait_ms)
  const mayDetach = needsEnd(input) === undefined
  if (mayDetach) ctx.jobs.detachSignal.addEventListener('abort', stop, { once: true })
  if (mayDetach && ctx.jobs.detachSignal.aborted) stop()
  try {
    yield* command.progress(patience.signal)
  } finally {
    clearTimeout(timer)
    ctx.jobs.detachSignal.removeEventListener('abort', stop)
  }
  ctx.signal.throwIfAborted()
  if (!command.exit) {
    const left = await moveToBackground(input, ctx, command).catch(requireOverloaded)
    if (!('message' in left)) return left
    yield { message: `${left.message} So the call waits for the end of the command.` }
    yield* command.progress()
    ctx.signal.throwIfAborted()
  }
  const texts = resultTexts(command.texts(input.head_bytes), input)
  if (!command.exit?.adopted.length) {
    const { quarantined, ...end } = await command.ended
    ctx.signal.throwIfAborted()
    return { ...texts, ...end, isolation, ...toQuarantineReport({ quarantined }) }
  }
  return moveToBackground(input, ctx, command)
}

/** Without a free background slot the command stays in the foreground. */
function requireOverloaded(error: unknown): ToolError {
  if (error instanceof ToolError && ['OVERLOADED', 'QUOTA_EXCEEDED'].includes(error.code)) return error
  throw error
}

/** Hands the command over to the jobs, and returns its state. */
async function moveToBackground(input: Input, ctx: RunContext, command: Command): Promise<CommandResult> {
  const { cwd = '.', description, timeout_ms } = input
  await ctx.jobs.adopt(command, {
    command: input.command,
    cwd,
    interactive: false,
    ...(description !== undefined && { description })
  })
  // The default limit is for callers that wait, and for commands approved automatically.
  if (timeout_ms === undefined && !ctx.command.autoApproval) command.setTimeLimit(undefined)
  const { exit_code = null, signal = null, adopted = [] } = command.exit ?? {}
  const texts = command.texts(input.head_bytes)
  return {
    ...resultTexts(texts, input),
    next_offset: texts.next_offset,
    exit_code,
    signal,
    timed_out: false,
    duration_ms: command.elapsed(),
    ...orphanReport(adopted),
    isolation: command.isolation,
    task_id: ctx.call.id
  }
}
