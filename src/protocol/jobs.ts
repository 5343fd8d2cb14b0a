// Jobs and other background tasks. A job is a process that outlives its call and has that call's id. A task is a job, or a call that was
// moved to the background.
import { type Static, type TProperties, Type } from 'typebox'
import { ISOLATION_LEVELS } from './isolation-levels.ts'
import { quarantineFields } from './quarantine-report.ts'
import { CallIdParams } from './request-params.ts'
import { schemaRef } from './schema-ref.ts'

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

/** Input to a task in one request. */
export const InputText = Type.String({ maxLength: 65_536, description: 'Text to write to standard input.' })

export const TerminalSize = Type.Object(
  {
    cols: Type.Integer({ minimum: 1, maximum: 1_000, description: 'Columns.' }),
    rows: Type.Integer({ minimum: 1, maximum: 1_000, description: 'Rows.' })
  },
  { additionalProperties: false, title: 'TerminalSize', description: 'Terminal size.' }
)
export type TerminalSize = Static<typeof TerminalSize>

/** A port of a job that is reachable through the server. */
export const JobPort = Type.Object({
  port: Type.Integer({ description: 'Port number.' }),
  url: Type.String({
    description: 'URL of the port at the server while the job runs. Requires a token, or a link to open it.'
  })
})
export type JobPort = Static<typeof JobPort>

const Time = (description: string) => Type.String({ format: 'date-time', description })

const originFields = {
  task_id: Type.String({ description: 'Id of the call that started the job.' }),
  tool: Type.String({ description: 'Tool that started the job.' }),
  session_id: Type.String({ description: 'Session of the call that started the job.' }),
  workspace: Type.String({ description: 'Workspace of the job.' }),
  client: Type.String({ description: 'Client that sent the call.' })
} satisfies TProperties

const commandFields = {
  command: Type.String({ description: 'Command line.' }),
  cwd: Type.String({ description: 'Working directory, relative to the workspace root.' }),
  description: Type.Optional(Type.String({ description: 'Purpose, as given by the caller.' })),
  isolation: Type.Enum([...ISOLATION_LEVELS], {
    description: 'Isolation.'
  }),
  interactive: Type.Boolean({ description: 'True if the command accepts input.' }),
  pty: Type.Optional(TerminalSize),
  ports: Type.Optional(Type.Array(JobPort, { description: 'Ports that the server makes reachable.' }))
} satisfies TProperties

const endFields = {
  ended_at: Type.Optional(Time('Time when the job ended, or when the server noticed it.')),
  exit_code: Type.Optional(Type.Union([Type.Integer(), Type.Null()], { description: 'null if ended by a signal.' })),
  signal: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'Signal that ended it.' })),
  duration_ms: Type.Optional(Type.Integer({ description: 'Time from start to end of output.' })),
  survivors: Type.Optional(
    Type.Array(Type.Integer(), { description: 'Processes that it left running; they were terminated.' })
  ),
  ...quarantineFields,
  reason: Type.Optional(Type.String({ description: 'Reason why the job was ended.' }))
} satisfies TProperties

export const Job = Type.Object(
  {
    ...originFields,
    ...commandFields,
    status: Type.Enum([...JOB_STATUSES], {
      description:
        '`stopped`: a caller or the time limit ended the job. `interrupted`: the server ended. `lost`: the outcome is unknown.'
    }),
    started_at: Time('ISO 8601, UTC.'),
    ...endFields,
    output_bytes: Type.Integer({ description: "Size of the job's output so far." }),
    truncated: Type.Optional(
      Type.Literal(true, {
        description: 'True in lists if texts or lists of the job are shortened.'
      })
    ),
    href: Type.Optional(Type.String({ description: 'URL of the job with all details.' }))
  },
  { title: 'Job' }
)
export type Job = Static<typeof Job>

export const JobsQuery = Type.Object(
  {
    status: Type.Optional(Type.Enum([...JOB_STATUSES])),
    session_id: Type.Optional(Type.String()),
    workspace: Type.Optional(Type.String())
  },
  { additionalProperties: false }
)
export type JobQuery = Static<typeof JobsQuery>

export const JobList = Type.Object({ jobs: Type.Array(schemaRef<Job>('Job')) })

/** Input to a job. */
export const JobInput = Type.Object(
  {
    text: Type.Optional(InputText),
    end: Type.Optional(Type.Boolean({ description: 'Close standard input after the text.' })),
    resize: Type.Optional(TerminalSize)
  },
  { additionalProperties: false, minProperties: 1, title: 'JobInput' }
)
export type JobInput = Static<typeof JobInput>

export const JobPortParams = Type.Object({
  ...CallIdParams.properties,
  port: Type.Integer({ description: "Port number; one of the job's `ports`." })
})

/** A link that opens a port of a job in a browser, once. */
export const PortLink = Type.Object({ url: Type.String(), expires_at: Type.String({ format: 'date-time' }) })
export type PortLink = Static<typeof PortLink>

/** A job, or a background call, in its current state. */
export const BackgroundTask = Type.Object(
  {
    ...originFields,
    kind: Type.Enum(['job', 'call'] as const, {
      description: 'Kind of entry. `job`: a command in the background. `call`: a call in the background.'
    }),
    status: Type.String({ description: 'Status of the job or call.' }),
    started_at: Time('Time when the job started, or when the call was made.'),
    ...Type.Partial(Type.Object(commandFields)).properties,
    ...endFields,
    output_bytes: Type.Optional(Type.Integer({ description: 'Size of the output so far.' }))
  },
  { title: 'Task' }
)
export type BackgroundTask = Static<typeof BackgroundTask>
