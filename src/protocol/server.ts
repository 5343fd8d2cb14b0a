// Health and statistics of the server.
import { type Static, Type } from 'typebox'

export const Health = Type.Object({
  instance: Type.String({ description: 'Id of this run of the server.' }),
  version: Type.String(),
  protocol: Type.Integer(),
  proof: Type.Optional(Type.String({ description: 'That the server knows the token with this `key`.' }))
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
  ended_otherwise: Type.Integer({ description: 'Cancelled, interrupted, expired.' }),
  average_ms: Millis,
  p50_ms: Millis,
  p95_ms: Millis,
  p99_ms: Millis
})
export type ToolStats = Static<typeof ToolStats>

const ApprovalWaitStats = Type.Object(
  { total: Type.Integer(), average_ms: Millis, p50_ms: Millis, p95_ms: Millis },
  { description: 'How long calls waited for a decision.' }
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
    rss_bytes: Type.Integer({ description: 'Resident memory.' }),
    streams: Type.Integer({ description: 'Open event streams.' })
  }),
  approval_wait: ApprovalWaitStats,
  minutes: Type.Array(MinuteStats, {
    description: 'Calls that ended in the last hour, minute by minute, oldest first; the last one goes on.'
  })
})
export type Stats = Static<typeof Stats>
