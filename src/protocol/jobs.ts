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
export const InputText = Type.String({ maxLength: 65_536, description: 'Text for its standard input.' })

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
  isolation: Type.Enum([...ISOLATION_LEVELS], {
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
      description:
        '`stopped`: a caller or the time limit ended the job. `interrupted`: the server ended. `lost`: the outcome is unknown.'
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
    end: Type.Optional(Type.Boolean({ description: 'No more input will come.' })),
    resize: Type.Optional(TerminalSize)
  },
  { additionalProperties: false, minProperties: 1, title: 'JobInput' }
)
export type JobInput = Static<typeof JobInput>

export const JobPortParams = Type.Object({
  ...CallIdParams.properties,
  port: Type.Integer({ description: 'One of its `ports`.' })
})

/** A link that opens a port of a job in a browser, once. */
export const PortLink = Type.Object({ url: Type.String(), expires_at: Type.String({ format: 'date-time' }) })
export type PortLink = Static<typeof PortLink>

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
