// Result of a command: its fields, and their presentation.
import { type Static, Type } from 'typebox'
import type { CommandTexts } from '../../../host/processes/command/command-output.ts'
import { formatQuarantineNotes, quarantineFields } from '../../../protocol/quarantine-report.ts'
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import { toShownOutput } from '../../../text/shown-output.ts'
import { IsolationOutput } from './command-line.ts'
import type { ShellReport } from './shell-state.ts'

const HostField = Type.String({ description: 'Host name, as requested.' })
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
        attempts: Type.Integer({ description: 'Number of attempts to connect.' }),
        reason: Type.String({ description: 'Reason for the denial.' })
      }),
      { description: 'Hosts that were denied.' }
    ),
    more: Type.Optional(Type.Integer({ description: 'Number of attempts at further hosts.' }))
  },
  { description: 'Network use of the command, if hosts were allowed.' }
)

export const CommandResult = Type.Object({
  stdout: Type.String({
    description:
      'Standard output. Contains also standard error, if `separate_streams` is not true. The middle of a long output is omitted.'
  }),
  stderr: Type.Optional(
    Type.String({
      description: 'Standard error, if `separate_streams` is true. The middle of a long output is omitted.'
    })
  ),
  output: Type.String({
    description:
      'Standard output and standard error. If `separate_streams` is true, the order of their lines is lost. The middle of a long output is omitted.'
  }),
  exit_code: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Exit code; null if a signal ended the command, or if it still runs.'
  }),
  signal: Type.Union([Type.String(), Type.Null()], { description: 'Signal that ended the command.' }),
  timed_out: Type.Boolean({ description: 'True if the command exceeded the time limit.' }),
  out_of_memory: Type.Optional(
    Type.Boolean({ description: 'True if a process was killed because the command exceeded its memory limit.' })
  ),
  duration_ms: Type.Integer({
    description: 'Time from the start of the command to its end. If the command still runs: to this result.'
  }),
  survivors: Type.Array(Type.Integer(), {
    description:
      'Process ids of processes that the command left in the background. If `survivors` is not `keep`, they were terminated.'
  }),
  survivor_names: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Program names of the processes in `survivors`, in the same order. An unknown name is empty.'
    })
  ),
  truncated: Type.Boolean({
    description: 'True if part of the output is omitted. Read the rest with get_background_task.'
  }),
  isolation: IsolationOutput,
  task_id: Type.Optional(
    Type.String({ description: 'Id of the background task in which the command continues; see get_background_task.' })
  ),
  next_offset: Type.Optional(
    Type.Integer({ description: 'Byte offset at which further output starts, for get_background_task.' })
  ),
  shell: Type.Optional(
    Type.Object(
      {
        cwd: Type.String({ description: 'Working folder for the next command in this shell.' }),
        variables: Type.Array(Type.String(), { description: 'Names of the variables that the shell exports.' }),
        note: Type.Optional(Type.String({ description: 'Reason why the state of the shell was not saved.' }))
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
