// Result of a command: its fields, and their presentation.
import { type Static, Type } from 'typebox'
import type { CommandTexts } from '../../../host/processes/command/command-output.ts'
import { formatQuarantineNotes, quarantineFields } from '../../../protocol/quarantine-report.ts'
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import { toShownOutput } from '../../../text/shown-output.ts'
import { IsolationOutput } from './command-line.ts'
import type { ShellReport } from './shell-state.ts'

const HostField = Type.String({ description: 'Host as requested.' })
const PortField = Type.Integer({ description: 'Port; 0 if none was given.' })

export const Network = Type.Object(
  {
    allowed: Type.Array(
      Type.Object({
        host: HostField,
        port: PortField,
        connections: Type.Integer({ description: 'Number of connections.' }),
        sent_bytes: Type.Integer({ description: 'Bytes sent.' }),
        received_bytes: Type.Integer({ description: 'Bytes received.' })
      }),
      { description: 'Hosts that were reached.' }
    ),
    refused: Type.Array(
      Type.Object({
        host: HostField,
        port: PortField,
        attempts: Type.Integer({ description: 'Number of attempts.' }),
        reason: Type.String({ description: 'Reason for the denial.' })
      }),
      { description: 'Hosts that were denied.' }
    ),
    more: Type.Optional(Type.Integer({ description: 'Number of attempts at further hosts.' }))
  },
  { description: 'Network use, if hosts were allowed.' }
)

export const CommandResult = Type.Object({
  stdout: Type.String({
    description: 'Standard output, and standard error unless `separate_streams` is set; the middle is omitted if long.'
  }),
  stderr: Type.Optional(
    Type.String({ description: 'Standard error, with `separate_streams`; the middle is omitted if long.' })
  ),
  output: Type.String({
    description: 'Both streams, in order unless `separate_streams` is set; the middle is omitted if long.'
  }),
  exit_code: Type.Union([Type.Integer(), Type.Null()], {
    description: 'null if ended by a signal or still running.'
  }),
  signal: Type.Union([Type.String(), Type.Null()], { description: 'Signal that ended it.' }),
  timed_out: Type.Boolean({ description: 'The time limit was exceeded.' }),
  out_of_memory: Type.Optional(
    Type.Boolean({ description: 'A process was killed because the command exceeded its memory limit.' })
  ),
  duration_ms: Type.Integer({ description: 'Time from start to end, or to this result.' }),
  survivors: Type.Array(Type.Integer(), {
    description: 'Pids of processes left in the background. They are terminated unless `survivors` is `keep`.'
  }),
  survivor_names: Type.Optional(
    Type.Array(Type.String(), { description: 'Their programs, in the same order; empty if unknown.' })
  ),
  truncated: Type.Boolean({ description: 'Part of the output is omitted; read it by offset.' }),
  isolation: IsolationOutput,
  task_id: Type.Optional(Type.String({ description: 'Background task that continues it; see get_background_task.' })),
  next_offset: Type.Optional(Type.Integer({ description: 'Byte offset in `output` of what follows.' })),
  shell: Type.Optional(
    Type.Object(
      {
        cwd: Type.String({ description: 'Working folder for the next command in this shell.' }),
        variables: Type.Array(Type.String(), { description: 'Names of its exported variables.' }),
        note: Type.Optional(Type.String({ description: 'Reason why state was not saved.' }))
      },
      { description: 'State of the named shell after the command.' }
    )
  ),
  ...quarantineFields,
  network: Type.Optional(Network)
})
export type CommandResult = Static<typeof CommandResult>

/** Returns the texts of a command's result; its standard error only if that was requested. */
export const resultTexts = (
  { stdout, stderr, output, truncated }: Omit<CommandTexts, 'next_offset'>,
  { separate_streams = false }: { separate_streams?: boolean | undefined }
): Pick<CommandResult, 'stdout' | 'stderr' | 'output' | 'truncated'> => ({
  stdout,
  ...(separate_streams && { stderr }),
  output,
  truncated
})

/** Formats the result as text for a model and a person. */
export function commandContent(
  result: CommandResult,
  hints: SandboxHints,
  { head_bytes }: { head_bytes?: number | undefined } = {}
): string {
  const { output, truncated, survivors, survivor_names = [], task_id, network } = result
  const left = survivors.map((pid, i) => (survivor_names[i] ? `${escapeInline(survivor_names[i])} (${pid})` : `${pid}`))
  const notes = [
    ...(truncated && head_bytes !== undefined ? [`Output truncated after ${head_bytes} bytes`] : []),
    describeEnd(result),
    ...sandboxHints(result, hints),
    ...shellNotes(result.shell),
    ...(survivors.length === 0
      ? []
      : [`Left running in the background, and ${task_id ? 'kept' : 'ended'}: ${left.join(', ')}`]),
    ...formatQuarantineNotes(result),
    ...networkNotes(network)
  ]
  const shown = toShownOutput(output).replace(/\n$/, '')
  return [...(shown === '' ? [] : [shown]), ...notes.map(note => `[${note}]`)].join('\n')
}

const shellNotes = (shell: ShellReport | undefined) => (shell?.note === undefined ? [] : [shell.note])

/** A process may choose any name. */
const escapeInline = (name: string) => escapeInvisible(name.replace(/\s/g, ' '))

/** Returns notes on blocked hosts. */
export function networkNotes(network: CommandResult['network']): string[] {
  const refused = network?.refused.map(({ host, port, reason }) => `${host}:${port} (${reason})`) ?? []
  return refused.length === 0 ? [] : [`Network access denied: ${refused.join(', ')}`]
}

function describeEnd(result: CommandResult): string {
  const { exit_code, signal, timed_out, out_of_memory, duration_ms, task_id, next_offset } = result
  if (task_id && exit_code === null && signal === null)
    return `Continues as background task ${task_id}; further output starts at byte ${next_offset}`
  if (timed_out) return `Time limit exceeded after ${duration_ms} ms`
  const how = signal === null ? `Exit code ${exit_code}${signalNote(result)}` : `Ended by ${signal}`
  return out_of_memory ? `${how}. The memory limit was exceeded (\`sandbox.memory_bytes\`)` : how
}

/** Exit codes by which a sandbox, like a shell, reports signals that were not sent from here. */
const SIGNAL_BY_EXIT_CODE: Readonly<Record<number, string>> = {
  132: 'SIGILL',
  134: 'SIGABRT',
  135: 'SIGBUS',
  136: 'SIGFPE',
  137: 'SIGKILL',
  139: 'SIGSEGV',
  152: 'SIGXCPU, as when the CPU time limit is exceeded',
  153: 'SIGXFSZ, as when the file size limit is exceeded',
  159: 'SIGSYS'
}

function signalNote({ isolation, exit_code }: CommandResult): string {
  const name = isSandbox(isolation) ? SIGNAL_BY_EXIT_CODE[exit_code ?? 0] : undefined
  return name === undefined ? '' : `: its own exit code, or killed by ${name}`
}

const isSandbox = (isolation: CommandResult['isolation']) => isolation === 'workspace' || isolation === 'read-only'

/** Error messages of programs that indicate a sandbox restriction, by cause. */
const SANDBOX_DENIALS: readonly { pattern: RegExp; from: string; cause: keyof SandboxHints }[] = [
  {
    cause: 'network',
    pattern:
      /ENETUNREACH|EAI_AGAIN|ENOTFOUND|ECONNREFUSED|could not resolve|unknown ?host|network is (?:unreachable|down)|temporary failure in name resolution|name or service not known|no route to host/i,
    from: 'network access'
  },
  { cause: 'writing', pattern: /EROFS|read-only file system/i, from: 'writing to this path' },
  {
    cause: 'view',
    pattern: /EACCES|EPERM|permission denied|operation not permitted/i,
    from: 'access to this file'
  }
]

/** Params by which a call can lift each restriction: empty if the tool has no such param. */
interface SandboxHints {
  network: string
  writing: string
  view?: string
}

/** Returns hints for a sandboxed command whose failure looks like a restriction. */
export function sandboxHints(
  { isolation, exit_code, output, network }: Pick<CommandResult, 'isolation' | 'exit_code' | 'output' | 'network'>,
  hints: SandboxHints
): string[] {
  if (!isSandbox(isolation) || exit_code === 0 || exit_code === null) return []
  const has = network ? 'with network access' : 'without network access'
  return SANDBOX_DENIALS.filter(({ pattern }) => pattern.test(output)).map(({ cause, from }) => {
    const hint = hints[cause]
    const ran = `The command ran in the sandbox \`${isolation}\`, ${has}. The sandbox may have denied ${from}`
    return hint === undefined ? ran : `${ran}: request ${hint}`
  })
}
