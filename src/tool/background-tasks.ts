// What runs on after the answer was given. A job is a process that outlives its call; it goes by that call's id. A task
// is a job, or a call that was sent to the background.
import { type Static, type TProperties, Type } from 'typebox'
import type { Command, StopSignal } from '../host/processes/command/command.ts'
import type { IsolationLevel } from '../host/sandbox/isolation-levels.ts'
import { quarantineFields } from './quarantine-report.ts'

/** How a job stands. `exited`: it ended by itself. `stopped`: somebody ended it, or its time limit did. `interrupted`: the
 * server ended, and it with it. `lost`: what runs commands died under it, so how it ended is not known. */
export const JOB_STATUSES = ['running', 'exited', 'stopped', 'interrupted', 'lost'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

/** How a task stands: as a job does, or as a call. */
export const TASK_STATUSES = [
  ...JOB_STATUSES,
  'awaiting_approval',
  'queued',
  'success',
  'error',
  'rejected',
  'cancelled',
  'expired'
] as const

/** What keeps a command. Written out, since a tool's contract loads nothing of the machine. */
export const JOB_ISOLATION_LEVELS = [
  'none',
  'workspace',
  'strict',
  'container'
] as const satisfies readonly IsolationLevel[]

/** What is written to a task at once. */
export const InputText = Type.String({ maxLength: 65_536, description: 'What is written to its standard input.' })

/** The size of a terminal. */
export const TerminalSize = Type.Object(
  {
    cols: Type.Integer({ minimum: 1, maximum: 1_000, description: 'Columns.' }),
    rows: Type.Integer({ minimum: 1, maximum: 1_000, description: 'Rows.' })
  },
  { additionalProperties: false, description: 'Size of its terminal.' }
)
export type TerminalSize = Static<typeof TerminalSize>

const Time = (description: string) => Type.String({ format: 'date-time', description })

const originFields = {
  task_id: Type.String({ description: 'Id of the call that started it.' }),
  tool: Type.String({ description: 'The tool of that call.' }),
  session_id: Type.String({ description: 'The session of that call.' }),
  workspace: Type.String({ description: 'The workspace it runs in.' }),
  client: Type.String({ description: 'Who sent that call.' })
} satisfies TProperties

const commandFields = {
  command: Type.String({ description: 'The command line.' }),
  cwd: Type.String({ description: 'Folder it runs in, relative to the workspace root.' }),
  description: Type.Optional(Type.String({ description: 'What it is for, as the caller says.' })),
  isolation: Type.Enum(JOB_ISOLATION_LEVELS, {
    description: 'What keeps it from the rest of the machine.'
  }),
  interactive: Type.Boolean({ description: 'It takes input.' }),
  pty: Type.Optional(TerminalSize)
} satisfies TProperties

const endFields = {
  ended_at: Type.Optional(Time('When it ended, or was found to have.')),
  exit_code: Type.Optional(Type.Union([Type.Integer(), Type.Null()], { description: 'Null when a signal ended it.' })),
  signal: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'The signal that ended it.' })),
  duration_ms: Type.Optional(Type.Integer({ description: 'From its start to the end of its output.' })),
  survivors: Type.Optional(
    Type.Array(Type.Integer(), { description: 'Processes that it left running; they were ended with it.' })
  ),
  ...quarantineFields,
  reason: Type.Optional(Type.String({ description: 'Why it ended, where it did not by itself.' }))
} satisfies TProperties

export const Job = Type.Object(
  {
    ...originFields,
    ...commandFields,
    status: Type.Enum([...JOB_STATUSES], {
      description: '`stopped`: somebody ended it. `interrupted`: the server ended. `lost`: nobody knows how it ended.'
    }),
    started_at: Time('ISO 8601, UTC.'),
    ...endFields,
    output_bytes: Type.Integer({ description: 'What it has printed so far.' })
  },
  { title: 'Job' }
)
export type Job = Static<typeof Job>

/** A job, or a call in the background, as it stands. */
export const BackgroundTask = Type.Object(
  {
    ...originFields,
    kind: Type.Enum(['job', 'call'] as const, {
      description: '`job`: a process that runs on after its call. `call`: a call in the background.'
    }),
    status: Type.String({ description: 'Status of the job, or of the call.' }),
    started_at: Time('When the job started, or the call was made.'),
    ...Type.Partial(Type.Object(commandFields)).properties,
    ...endFields,
    output_bytes: Type.Optional(Type.Integer({ description: 'What it has printed so far.' }))
  },
  { title: 'Task' }
)
export type BackgroundTask = Static<typeof BackgroundTask>

/** A running command, as far as a job needs it. */
export type JobCommand = Pick<
  Command,
  'isolation' | 'ended' | 'deltas' | 'write' | 'endInput' | 'resize' | 'kill' | 'stop' | 'detach'
>

/** What the tool that starts a job says of it. */
export type JobDescription = Pick<Job, 'command' | 'cwd' | 'description' | 'interactive' | 'pty'>

/** Part of what a task printed, in bytes of its stream. */
export interface OutputPageQuery {
  stream: 'stdout' | 'stderr' | 'output'
  offset: number
  limit: number
  wait_ms: number
  signal?: AbortSignal
}

export interface OutputPage {
  text: string
  offset: number
  next_offset: number
  /** No more will come. */
  ended: boolean
  /** The middle that was over the limit and not kept. */
  dropped?: { from: number; bytes: number }
}

/** What is written to a running task. */
export interface TaskInput {
  text?: string | undefined
  /** No more input will come. */
  end?: boolean | undefined
  resize?: TerminalSize | undefined
}

/** The tasks of the workspace, as a tool may deal with them. Whatever names one that is not there: NOT_FOUND. */
export interface BackgroundTasks {
  /** Throws OVERLOADED where as many jobs run as may. */
  assertCapacity(): void
  /** Takes over a command of this call, under the call's id: from then on it lives without it, and its output is told on.
   * Whoever calls this reads `deltas` no more. Resolves once that is durable. Rejects with OVERLOADED where as many jobs
   * run as may; then the command is the call's as before. Its time limit stays as it is. */
  adopt(command: JobCommand, facts: JobDescription): Promise<Job>
  /** Newest first. */
  list(): Promise<BackgroundTask[]>
  get(task_id: string): BackgroundTask
  /** Resolves at the task's end, or after the wait. */
  wait(task_id: string, options: { ms: number; signal?: AbortSignal }): Promise<BackgroundTask>
  /** What it printed; waits for more where there is none yet. */
  output(task_id: string, query: OutputPageQuery): Promise<OutputPage>
  /** The result of a call in the background; undefined where it has not ended, or for a job. */
  result(task_id: string): Promise<{ title: string; content: string; data: unknown } | undefined>
  /** Sends the signal and resolves once it ended or a moment has passed; without one it is asked to end, and made to. */
  stop(task_id: string, signal?: StopSignal): Promise<BackgroundTask>
  /** CONFLICT where it takes no input. */
  input(task_id: string, input: TaskInput): Promise<void>
}
