// Requests that submit calls, and queries of the log of calls.
import { type Static, Type } from 'typebox'
import { CALL_STATUSES } from './call-statuses.ts'
import type { Call } from './calls.ts'
import type { Problem } from './problem.ts'
import { IdempotencyKeyHeader, WaitQuery } from './request-params.ts'
import { schemaRef } from './schema-ref.ts'
import { TRACE_HEADERS } from './trace-context.ts'

/** Maximum number of calls of one request. */
export const MAX_BATCH_SIZE = 100

export const CallRequest = Type.Object(
  {
    tool: Type.String({ minLength: 1, maxLength: 256, description: 'Name of a tool that GET /tools lists.' }),
    params: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: 'Params of the tool. Default: none. Send a number that JavaScript would round as a string.'
        }
      )
    ),
    toolset: Type.Optional(
      Type.String({ maxLength: 64, description: 'Toolset that defines `tool`. Required if several do.' })
    ),
    session_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'Session, which groups calls. Default: `default`.'
      })
    ),
    workspace: Type.Optional(
      Type.String({ maxLength: 64, description: 'Workspace name. Required if no workspace is named default.' })
    ),
    context: Type.Optional(
      Type.String({ maxLength: 4_096, description: 'Purpose of the call in the conversation. Approvers see it.' })
    ),
    agent: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: 'Name of the agent, for its tools and rules.' })
    ),
    background: Type.Optional(
      Type.Boolean({ description: 'Return immediately; the call continues in the background.' })
    ),
    timeout_ms: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: "Time limit of this call, instead of the tool's; at most limits.timeout_ms."
      })
    ),
    if_match: Type.Optional(
      Type.String({
        pattern: '^(sha256:)?[0-9a-f]{64}$',
        description: 'Expected hash of the file to be written.'
      })
    ),
    executor: Type.Optional(
      Type.Literal('client', { description: 'Only decide: once the call succeeds, the client executes it.' })
    ),
    tool_call_id: Type.Optional(
      Type.String({
        pattern: '^tc_[0-9A-HJKMNP-TV-Z]{26}$',
        description: 'Id for the call: tc_ and a ULID. A repeated request returns the same call.'
      })
    )
  },
  { additionalProperties: false, title: 'CallRequest' }
)
export type CallRequest = Static<typeof CallRequest>

export const SubmitBody = Type.Object(
  {
    ...CallRequest.properties,
    dry_run: Type.Optional(
      Type.Boolean({ description: 'Dry run: return the effect without changing or recording anything.' })
    )
  },
  { additionalProperties: false, title: 'SubmitRequest' }
)

export const BatchBody = Type.Object(
  {
    calls: Type.Array(CallRequest, { minItems: 1, maxItems: MAX_BATCH_SIZE }),
    stop_on_error: Type.Optional(
      Type.Boolean({ description: 'Run the calls in sequence, and stop after a call that does not succeed.' })
    )
  },
  { additionalProperties: false, title: 'BatchRequest' }
)

export const SubmitQuery = Type.Object(
  {
    ...WaitQuery.properties,
    on_disconnect: Type.Enum(['continue', 'cancel'], {
      default: 'continue',
      description: 'If the client disconnects: continue or cancel the call.'
    })
  },
  { additionalProperties: false }
)

export const SubmitHeaders = Type.Object({
  'idempotency-key': Type.Optional(IdempotencyKeyHeader),
  'cache-control': Type.Optional(Type.String({ description: 'no-cache: do not use cached results.' })),
  ...TRACE_HEADERS
})

export const CancelRequest = Type.Optional(
  Type.Object({ reason: Type.Optional(Type.String({ maxLength: 1_024 })) }, { additionalProperties: false })
)

const FailedOutcome = Type.Object({ problem: schemaRef<Problem>('Problem') })

/** One outcome of a batch. */
const BatchOutcome = Type.Union([schemaRef<Call>('Call'), FailedOutcome, Type.Object({ skipped: Type.Literal(true) })])
export type BatchOutcome = Static<typeof BatchOutcome>

/** One of several decisions: the resulting call, or the problem that prevented it. */
export type DecisionOutcome = Exclude<BatchOutcome, { skipped: true }>

/** The response of a request for several calls. */
export const Outcomes = Type.Object(
  {
    results: Type.Array(BatchOutcome, {
      description: 'In request order: a Call, {problem}, or {skipped: true}. After 8 MiB, calls are shortened.'
    })
  },
  { title: 'Outcomes' }
)

/** The response of a decision on one call or several. */
export const CallOrOutcomes = Type.Union([schemaRef<Call>('Call'), Outcomes])

export const LogQuery = Type.Object(
  {
    status: Type.Optional(Type.Enum([...CALL_STATUSES])),
    tool: Type.Optional(Type.String()),
    session_id: Type.Optional(Type.String()),
    workspace: Type.Optional(Type.String()),
    path: Type.Optional(Type.String({ description: 'Only calls that touched this path.' })),
    id_prefix: Type.Optional(
      Type.String({
        pattern: '^tc_[0-9A-HJKMNP-TV-Z]{0,26}$',
        description: 'Prefix of tool_call_id.'
      })
    ),
    since: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only calls created at or after this time.' })
    ),
    until: Type.Optional(Type.String({ format: 'date-time', description: 'Only calls created before this time.' })),
    cursor: Type.Optional(Type.String({ description: 'Cursor of the previous page.' })),
    limit: Type.Integer({ minimum: 1, maximum: 500, default: 50 })
  },
  { additionalProperties: false }
)
export type LogQuery = Static<typeof LogQuery>
/** Selects calls of the log. */
export type LogFilter = Partial<LogQuery>

export const CallPage = Type.Object({
  calls: Type.Array(schemaRef<Call>('Call')),
  cursor: Type.Union([Type.String(), Type.Null()])
})
