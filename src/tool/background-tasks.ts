// Background tasks: work that continues after the response. A job is a process that outlives its call and has that call's id. A
// task is a job, or a call that was moved to the background.
import { type Static, type TProperties, Type } from 'typebox'
import type { Command, StopSignal } from '../host/processes/command/command.ts'
import type { IsolationLevel } from '../host/sandbox/isolation-levels.ts'
import { quarantineFields } from './quarantine-report.ts'

/**
 * Statuses of a job. `exited`: it ended by itself. `stopped`: a caller or its timeout stopped it. `interrupted`: it ended with
 * the server. `lost`: the process that runs commands died, so its outcome is unknown.
 */
export const JOB_STATUSES = ['running', 'exited', 'stopped', 'interrupted', 'lost'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

/** Statuses of a task: those of jobs and calls. */
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

/** Isolation levels of a job. Repeated here, since a tool's contract must not load host modules. */
export const JOB_ISOLATION_LEVELS = [
  'none',
  'workspace',
  'read-only',
  'container'
] as const satisfies readonly IsolationLevel[]

/** Input to a task in one request. */
export const InputText = Type.String({ maxLength: 65_536, description: 'What is written to its standard input.' })

export const TerminalSize = Type.Object(
  {
    cols: Type.Integer({ minimum: 1, maximum: 1_000, description: 'Columns.' }),
    rows: Type.Integer({ minimum: 1, maximum: 1_000, description: 'Rows.' })
  },
  { additionalProperties: false, title: 'TerminalSize', description: 'Size of a terminal.' }
)
export type TerminalSize = Static<typeof TerminalSize>

/** A port of a job that is reachable through the server. */
export const JobPort = Type.Object({
  port: Type.Integer({ description: 'The port that it listens on.' }),
  url: Type.String({ description: 'Its address at the server, while it runs. It needs a token, or a link to open it.' })
})
export type JobPort = Static<typeof JobPort>

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
  pty: Type.Optional(TerminalSize),
  ports: Type.Optional(Type.Array(JobPort, { description: 'Ports of it that the server makes reachable.' }))
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
    output_bytes: Type.Integer({ description: 'What it has printed so far.' }),
    truncated: Type.Optional(
      Type.Literal(true, {
        description: 'Only in lists: it is too large for them, so that texts and lists of it are cut.'
      })
    ),
    href: Type.Optional(Type.String({ description: 'The whole of a truncated one.' }))
  },
  { title: 'Job' }
)
export type Job = Static<typeof Job>

/** A job, or a background call, in its current state. */
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

/** The part of a running command that a job needs. */
export type JobCommand = Pick<
  Command,
  'isolation' | 'ended' | 'connectPort' | 'deltas' | 'write' | 'endInput' | 'resize' | 'kill' | 'stop' | 'detach'
>

/** Metadata of a job from the tool that starts it. */
export interface JobDescription extends Pick<Job, 'command' | 'cwd' | 'description' | 'interactive' | 'pty'> {
  /** Ports to make reachable. */
  ports?: readonly number[]
}

/** A range of a task's output, in bytes of its stream. */
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
  /** No more output will come. */
  ended: boolean
  /** The dropped middle of output over the limit. */
  dropped?: { from: number; bytes: number }
}

/** Input to a running task. */
export interface TaskInput {
  text?: string | undefined
  /** No more input will come. */
  end?: boolean | undefined
  resize?: TerminalSize | undefined
}

/** The tasks of the workspace, as available to tools. Unknown ids throw NOT_FOUND. */
export interface BackgroundTasks {
  /** Aborts when the call should continue without its waiters; see the trait `detachable`. */
  detachSignal: AbortSignal
  /** Throws OVERLOADED if the maximum number of jobs runs. */
  assertCapacity(): void
  /**
   * Adopts a command of this call, under the call's id: it then outlives the call, and its output is published. The caller must
   * no longer read `deltas`. Resolves once that is durable. Rejects with OVERLOADED if the maximum number of jobs runs; the
   * command then still belongs to the call. Its timeout does not change.
   */
  adopt(command: JobCommand, facts: JobDescription): Promise<Job>
  /** Lists tasks, newest first. */
  list(): Promise<BackgroundTask[]>
  get(task_id: string): BackgroundTask
  /** Resolves at the task's end, or after `ms` milliseconds. */
  wait(task_id: string, options: { ms: number; signal?: AbortSignal }): Promise<BackgroundTask>
  /** Reads output; waits for more if there is none yet. */
  output(task_id: string, query: OutputPageQuery): Promise<OutputPage>
  /** Returns the result of a background call; undefined if it has not ended, or for a job. */
  result(task_id: string): Promise<{ title: string; content: string; data: unknown } | undefined>
  /** Sends the signal; without one, terminates the task, by force if necessary. Resolves once it has ended or after a timeout. */
  stop(task_id: string, signal?: StopSignal): Promise<BackgroundTask>
  /** Sends input. Throws CONFLICT if the task accepts none. */
  input(task_id: string, input: TaskInput): Promise<void>
}
