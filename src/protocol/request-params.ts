// Params that several requests have: ids, digests, wait times, pages of lists.
import { Type } from 'typebox'
import { TRACE_HEADERS } from './trace-context.ts'

/** Maximum number of items of a page. */
export const MAX_PAGE_ITEMS = 500

export const CallIdParams = Type.Object({ id: Type.String({ description: 'tool_call_id' }) })

/** Body of a request that needs none: nothing, or an empty object. */
export const NoBody = Type.Optional(Type.Object({}, { additionalProperties: false }))

export const WaitMsParam = Type.Integer({
  minimum: 0,
  maximum: 600_000,
  description: 'Maximum time to wait with the response.'
})

/** Identifies one front end among several of the same kind. */
export const ClientIdParam = Type.String({
  pattern: '^[\\x21-\\x7e]{1,64}$',
  description: 'Id of this front end. Default: the name of the client.'
})

/** Select a page of a list. */
export const PAGE_PARAMS = {
  cursor: Type.Optional(Type.String({ maxLength: 8_192, description: 'Cursor of the previous page.' })),
  limit: Type.Integer({ minimum: 1, maximum: MAX_PAGE_ITEMS, default: MAX_PAGE_ITEMS })
}
export const PageParams = Type.Object(PAGE_PARAMS, { additionalProperties: false })

export const NextCursor = Type.Optional(
  Type.String({
    description: 'URL of the next page, if any. A page of large items can have fewer than `limit`.'
  })
)

export const DigestParam = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'Digest of the preview that was shown.'
})

export const IdempotencyKeyHeader = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'The same key with the same request returns the same call.'
})
export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(IdempotencyKeyHeader),
  ...TRACE_HEADERS
})

export const ToolsetParam = Type.Optional(
  Type.String({ maxLength: 64, description: 'Toolset whose format the response uses.' })
)

/** Queries of requests that are answered with a call. */
export const WaitMsQuery = Type.Object({ wait_ms: Type.Optional(WaitMsParam) }, { additionalProperties: false })
export const WaitQuery = Type.Object(
  { ...WaitMsQuery.properties, toolset: ToolsetParam },
  { additionalProperties: false }
)
