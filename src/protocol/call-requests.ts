// Requests that submit calls, and queries of the log of calls.
import { type Static, Type } from 'typebox'
import { CALL_STATUSES } from './calls.ts'

const MAX_BATCH_SIZE = 100

export const CallRequest = Type.Object(
  {
    tool: Type.String({ minLength: 1, maxLength: 256, description: 'Name of a tool that GET /tools lists.' }),
    params: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: "The tool's params; by default none." })
    ),
    toolset: Type.Optional(
      Type.String({ maxLength: 64, description: 'Toolset whose name `tool` is, where that is not clear by itself.' })
    ),
    session_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'Groups calls, such as one conversation. Default: default.'
      })
    ),
    workspace: Type.Optional(
      Type.String({ maxLength: 64, description: 'Name of a served root. Needed only where none is named default.' })
    ),
    context: Type.Optional(
      Type.String({ maxLength: 4_096, description: 'Where in a conversation the call arose; shown to approvers.' })
    ),
    agent: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: 'Name of the agent, for its tool set and rules.' })
    ),
    background: Type.Optional(Type.Boolean({ description: 'Answer at once; the call runs on.' })),
    timeout_ms: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: "Time limit of the run, instead of the tool's own; cut to limits.timeout_ms."
      })
    ),
    if_match: Type.Optional(
      Type.String({
        pattern: '^(sha256:)?[0-9a-f]{64}$',
        description: 'Hash that the file to be written must have, as read before.'
      })
    ),
    tool_call_id: Type.Optional(
      Type.String({
        pattern: '^tc_[0-9A-HJKMNP-TV-Z]{26}$',
        description: 'Id to give the call: tc_ and a ULID. Sent again with the same request, it gives the same call.'
      })
    )
  },
  { additionalProperties: false, title: 'CallRequest' }
)
export type CallRequest = Static<typeof CallRequest>

export const SubmitBody = Type.Object(
  {
    ...CallRequest.properties,
    dry_run: Type.Optional(Type.Boolean({ description: 'Tell what would happen; change and record nothing.' }))
  },
  { additionalProperties: false, title: 'SubmitRequest' }
)

export const BatchBody = Type.Object(
  {
    calls: Type.Array(CallRequest, { minItems: 1, maxItems: MAX_BATCH_SIZE }),
    stop_on_error: Type.Optional(
      Type.Boolean({ description: 'Run one after the other, and none after one that has not ended well.' })
    )
  },
  { additionalProperties: false, title: 'BatchRequest' }
)

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
        description: 'Only calls whose tool_call_id begins with this.'
      })
    ),
    since: Type.Optional(Type.String({ format: 'date-time', description: 'Created at or after.' })),
    until: Type.Optional(Type.String({ format: 'date-time', description: 'Created before.' })),
    cursor: Type.Optional(Type.String({ description: 'From the page before.' })),
    limit: Type.Integer({ minimum: 1, maximum: 500, default: 50 })
  },
  { additionalProperties: false }
)
export type LogQuery = Static<typeof LogQuery>
