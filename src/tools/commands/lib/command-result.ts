// Result of a command: its fields, and their presentation.
import { type Static, Type } from 'typebox'
import type { CommandTexts } from '../../../host/processes/command/command-output.ts'
import { formatQuarantineNotes, quarantineFields } from '../../../protocol/quarantine-report.ts'
import { escapeInvisible } from '../../../text/escape-invisible.ts'
import { toShownOutput } from '../../../text/shown-output.ts'
import { IsolationOutput } from './command-line.ts'
import type { ShellReport } from './shell-state.ts'

const HostField = Type.String({ description: 'The host, as it was asked for.' })
const PortField = Type.Integer({ description: 'The port; 0 where none was named.' })

export const Network = Type.Object(
  {
    allowed: Type.Array(
      Type.Object({
        host: HostField,
        port: PortField,
        connections: Type.Integer({ description: 'How often it was connected.' }),
        sent_bytes: Type.Integer({ description: 'What went there.' }),
        received_bytes: Type.Integer({ description: 'What came back.' })
      }),
      { description: 'Hosts that it reached.' }
    ),
    refused: Type.Array(
      Type.Object({
        host: HostField,
        port: PortField,
        attempts: Type.Integer({ description: 'How often it tried.' }),
        reason: Type.String({ description: 'Why it was not let there.' })
      }),
      { description: 'Hosts that it did not reach.' }
    ),
    more: Type.Optional(Type.Integer({ description: 'Attempts at further hosts, which are counted alone.' }))
  },
  { description: 'What it tried to reach, where it was granted hosts.' }
)

export const CommandResult = Type.Object({
  stdout: Type.String({
    description:
      'Standard output as it was written; its beginning and end where it is long. Standard error, too, unless `separate_streams` was given.'
  }),
  stderr: Type.Optional(Type.String({ description: 'Standard error, likewise, if `separate_streams` was given.' })),
  output: Type.String({
    description: 'Both, likewise: in the order in which they were written, unless `separate_streams` was given.'
  }),
  exit_code: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Null when a signal ended it, or it still runs.'
  }),
  signal: Type.Union([Type.String(), Type.Null()], { description: 'The signal that ended it.' }),
  timed_out: Type.Boolean({ description: 'It was ended because its time limit passed.' }),
  out_of_memory: Type.Optional(
    Type.Boolean({ description: 'Something of it was ended because all of it took more memory than it may.' })
  ),
  duration_ms: Type.Integer({ description: 'From its start to the end of its output, or to this answer.' }),
  survivors: Type.Array(Type.Integer(), {
    description: 'Processes that it left running in the background: ended with it, unless they were to be kept.'
  }),
  survivor_names: Type.Optional(
    Type.Array(Type.String(), { description: 'Their programs, in the same order; empty where that could not be told.' })
  ),
  truncated: Type.Boolean({ description: 'Part of the output is left out here; the whole can be read by offset.' }),
  isolation: IsolationOutput,
  task_id: Type.Optional(
    Type.String({ description: 'It, or what it left, runs on as this task: see get_background_task.' })
  ),
  next_offset: Type.Optional(
    Type.Integer({ description: 'Where the output that is still to come begins, in bytes of `output`.' })
  ),
  shell: Type.Optional(
    Type.Object(
      {
        cwd: Type.String({ description: 'Folder in which the next command of the shell starts.' }),
        variables: Type.Array(Type.String(), { description: 'Names of the exported variables that it gets.' }),
        note: Type.Optional(Type.String({ description: 'The reason for which something is not carried over.' }))
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
  return refused.length === 0 ? [] : [`Kept from reaching ${refused.join(', ')}`]
}

function describeEnd(result: CommandResult): string {
  const { exit_code, signal, timed_out, out_of_memory, duration_ms, task_id, next_offset } = result
  if (task_id && exit_code === null && signal === null)
    return `It runs on as task ${task_id}; its output goes on at byte ${next_offset}`
  if (timed_out) return `Ended at its time limit, after ${duration_ms} ms`
  const how = signal === null ? `Exit code ${exit_code}${signalNote(result)}` : `Ended by ${signal}`
  return out_of_memory ? `${how}. It took more memory than it may (\`sandbox.memory_bytes\`)` : how
}

/** Exit codes by which a sandbox, like a shell, reports signals that were not sent from here. */
const SIGNAL_BY_EXIT_CODE: Readonly<Record<number, string>> = {
  132: 'SIGILL',
  134: 'SIGABRT',
  135: 'SIGBUS',
  136: 'SIGFPE',
  137: 'SIGKILL',
  139: 'SIGSEGV',
  152: 'SIGXCPU, as at the limit of processor time',
  153: 'SIGXFSZ, as at the limit of the size of a file',
  159: 'SIGSYS'
}

function signalNote({ isolation, exit_code }: CommandResult): string {
  const name = isSandbox(isolation) ? SIGNAL_BY_EXIT_CODE[exit_code ?? 0] : undefined
  return name === undefined ? '' : `: its own, or an end by ${name}`
}

const isSandbox = (isolation: CommandResult['isolation']) => isolation === 'workspace' || isolation === 'read-only'

/** Error messages of programs that indicate a sandbox restriction, by cause. */
const SANDBOX_DENIALS: readonly { pattern: RegExp; from: string; cause: keyof SandboxHints }[] = [
  {
    cause: 'network',
    pattern:
      /ENETUNREACH|EAI_AGAIN|ENOTFOUND|ECONNREFUSED|could not resolve|unknown ?host|network is (?:unreachable|down)|temporary failure in name resolution|name or service not known|no route to host/i,
    from: 'the network'
  },
  { cause: 'writing', pattern: /EROFS|read-only file system/i, from: 'writing there' },
  {
    cause: 'view',
    pattern: /EACCES|EPERM|permission denied|operation not permitted/i,
    from: 'something that is not in its view'
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
  const has = network ? 'with the network it asked for' : 'without network'
  return SANDBOX_DENIALS.filter(({ pattern }) => pattern.test(output)).map(({ cause, from }) => {
    const hint = hints[cause]
    const ran = `It ran in the sandbox \`${isolation}\`, ${has}. It may have been kept from ${from}`
    return hint === undefined ? ran : `${ran}: ask with ${hint}`
  })
}
