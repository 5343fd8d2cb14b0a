// Health, state and statistics of the server.
import { type Static, Type } from 'typebox'
import type { Call } from './calls.ts'
import type { Job } from './jobs.ts'
import { schemaRef } from './schema-ref.ts'

export const HealthQuery = Type.Object({
  challenge: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{32}$',
      description: 'Random number as 32 hexadecimal digits, new for each request.'
    })
  ),
  key: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{16}$',
      description: 'Id of the token; the server must prove that it knows the token.'
    })
  )
})

export const Health = Type.Object({
  instance: Type.String({ description: 'Id of this server process.' }),
  version: Type.String(),
  protocol: Type.Integer(),
  proof: Type.Optional(Type.String({ description: 'Proof that the server knows the token that `key` identifies.' }))
})
export type Health = Static<typeof Health>

const Millis = Type.Union([Type.Number(), Type.Null()])
/** Counts of one tool. Durations are of the run alone, in milliseconds. */
const ToolStats = Type.Object({
  tool: Type.String(),
  total: Type.Integer(),
  success: Type.Integer(),
  error: Type.Integer(),
  rejected: Type.Integer(),
  ended_otherwise: Type.Integer({ description: 'Calls that were cancelled, interrupted or have expired.' }),
  average_ms: Millis,
  p50_ms: Millis,
  p95_ms: Millis,
  p99_ms: Millis
})
export type ToolStats = Static<typeof ToolStats>

const ApprovalWaitStats = Type.Object(
  { total: Type.Integer(), average_ms: Millis, p50_ms: Millis, p95_ms: Millis },
  { description: 'Time that the calls waited for approval.' }
)
export type ApprovalWaitStats = Static<typeof ApprovalWaitStats>

/** Calls that ended within one minute, which began at `at`. */
const MinuteStats = Type.Object({
  at: Type.String({ format: 'date-time' }),
  calls: Type.Integer(),
  errors: Type.Integer()
})
export type MinuteStats = Static<typeof MinuteStats>

/** Counts and durations since the server started. */
export const Stats = Type.Object({
  since: Type.String({ format: 'date-time' }),
  tools: Type.Array(ToolStats),
  server: Type.Object({
    uptime_ms: Type.Integer(),
    rss_bytes: Type.Integer({ description: 'Resident memory of the server.' }),
    streams: Type.Integer({ description: 'Number of open event streams.' })
  }),
  approval_wait: ApprovalWaitStats,
  minutes: Type.Array(MinuteStats, {
    description: 'Number of calls that ended in the last hour, per minute, oldest first. The last minute is incomplete.'
  })
})
export type Stats = Static<typeof Stats>

/** Maximum number of sessions that the state lists. */
export const MAX_STATE_SESSIONS = 1_000

const SessionState = Type.Enum(['idle', 'awaiting_approval', 'tool_execution'])

export const StatePage = Type.Object(
  {
    instance: Type.String(),
    journal_id: Type.String({
      description: 'Id of the journal. It changes after a restore, a repair or a loss of the journal.'
    }),
    head: Type.Integer({ description: 'Seq of the newest event; to follow changes, read /events after it.' }),
    pending: Type.Array(schemaRef<Call>('Call'), { description: 'Calls waiting for approval, oldest first.' }),
    pending_cursor: Type.Optional(
      Type.String({ description: 'More calls wait: use `cursor` for the next page of GET /approvals.' })
    ),
    running: Type.Array(schemaRef<Call>('Call'), {
      description: 'Running and queued calls, oldest first.'
    }),
    running_truncated: Type.Optional(
      Type.Literal(true, { description: 'True if more calls are running or queued: see GET /calls.' })
    ),
    jobs: Type.Array(schemaRef<Job>('Job'), { description: 'Background processes, oldest first.' }),
    delegations: Type.Array(Type.String(), {
      description: 'Ids of open delegations. All others have ended.'
    }),
    sessions: Type.Record(Type.String(), SessionState, {
      description: `Sessions with running or waiting calls, at most ${MAX_STATE_SESSIONS}.`
    }),
    sessions_truncated: Type.Optional(
      Type.Literal(true, {
        description: 'More sessions exist: see the calls of GET /approvals and GET /calls.'
      })
    )
  },
  { title: 'State' }
)
export type StatePage = Static<typeof StatePage>
/** The state of the server, with all waiting calls. */
export type State = Omit<StatePage, 'pending_cursor'>

export const Capabilities = Type.Object({}, { additionalProperties: true })

export const ConsoleFileParams = Type.Object({ file: Type.String() })
