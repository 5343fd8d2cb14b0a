// Shared schemas of routes: named objects, problems, and wait times.
import { type TSchema, Type } from 'typebox'
import { MAX_PAGE_ITEMS } from '../engine/list-page.ts'
import { Approval, Call, CallError, CallResult, Preview } from '../protocol/calls.ts'
import { ContentRemoval } from '../protocol/content-removal.ts'
import { AlwaysOption, ApprovedBy, SavedRule, SetSessionMode } from '../protocol/decisions.ts'
import { ERRORS, type ErrorCode } from '../protocol/error-codes.ts'
import { FileChange } from '../protocol/file-change.ts'
import { Job } from '../protocol/jobs.ts'
import { Problem } from '../protocol/problem.ts'
import { UndoFile } from '../protocol/undo.ts'

declare module 'fastify' {
  interface FastifySchema {
    operationId?: string
    summary?: string
    description?: string
    tags?: readonly string[]
  }
}

/** Objects that the API document defines once. */
export const SHARED_SCHEMAS: Record<string, TSchema> = {
  Call,
  Approval,
  AlwaysOption,
  ApprovedBy,
  CallError,
  ContentRemoval,
  FileChange,
  Preview,
  Result: CallResult,
  Rule: SavedRule,
  SessionMode: SetSessionMode,
  UndoFile,
  Job,
  Problem
}

/** Returns a reference to one of the shared objects. */
export const schemaRef = (name: keyof typeof SHARED_SCHEMAS) => Type.Unsafe<unknown>({ $ref: `${name}#` })

/** Returns a response with a call. */
export const callResponse = (description: string) => ({
  description,
  content: { 'application/json': { schema: schemaRef('Call') } }
})

/** The response of a request for several calls. */
export const Outcomes = Type.Object(
  {
    results: Type.Array(
      Type.Union([
        schemaRef('Call'),
        Type.Object({ problem: schemaRef('Problem') }),
        Type.Object({ skipped: Type.Literal(true) })
      ]),
      {
        description:
          'In the order of the request: a Call, {problem}, or {skipped: true}. Up to 8 MiB of calls are whole, the others truncated.'
      }
    )
  },
  { title: 'Outcomes' }
)

/** Codes with which tools refuse a request as they evaluate it: to run, to show what it would do, or to explain it. */
export const EVALUATION_ERRORS = [
  'UNKNOWN_TOOL',
  'INVALID_PATH',
  'SENSITIVE_PATH',
  'FILE_NOT_FOUND',
  'FILE_EXISTS',
  'NOT_A_FILE',
  'NOT_A_DIRECTORY',
  'PERMISSION_DENIED',
  'BINARY_FILE',
  'TOO_LARGE',
  'OLD_TEXT_NOT_FOUND',
  'AMBIGUOUS_MATCH',
  'STALE_FILE',
  'UNDO_CONFLICT',
  'COMMAND_BLOCKED',
  'URL_BLOCKED',
  'CONFLICT',
  'NOT_FOUND',
  'EXECUTION_ERROR',
  'SANDBOX_UNAVAILABLE',
  'WORKSPACE_GONE',
  'LSP_UNAVAILABLE',
  'DELEGATE_UNAVAILABLE',
  'TIMEOUT'
] as const satisfies ErrorCode[]

/** Codes that every route may answer with. */
const COMMON_ERRORS = [
  'UNAUTHORIZED',
  'FORBIDDEN',
  'TOO_LARGE',
  'QUOTA_EXCEEDED',
  'OVERLOADED',
  'DISK_FULL',
  'INTERNAL'
] as const satisfies ErrorCode[]

/** Returns the problem responses of a route: of its codes by status, and as `default` of those that every route has. */
export const problemResponses = (...codes: ErrorCode[]): Record<string, ReturnType<typeof problemResponse>> => {
  const ownStatuses = new Set([...codes, 'INVALID_PARAMS' as const].map(code => ERRORS[code].status))
  const all = new Set<ErrorCode>([...codes, 'INVALID_PARAMS', ...COMMON_ERRORS])
  const byStatus = Map.groupBy(all, code => ERRORS[code].status)
  const own = [...byStatus].filter(([status]) => ownStatuses.has(status))
  const others = COMMON_ERRORS.map(code => `${code} (${ERRORS[code].status})`)
  return {
    ...Object.fromEntries(own.map(([status, same]) => [status, problemResponse(same)])),
    default: problemResponse(others)
  }
}

const problemResponse = (codes: readonly string[]) => ({
  description: `${codes.join(', ')}.`,
  content: { 'application/problem+json': { schema: schemaRef('Problem') } }
})

export const WaitMsParam = Type.Integer({
  minimum: 0,
  maximum: 600_000,
  description: 'How long the answer may be held.'
})

/** Identifies one front end among several of the same kind. */
export const ClientIdParam = Type.String({
  pattern: '^[\\x21-\\x7e]{1,64}$',
  description: 'Which front end this is; by default the name that the client calls itself.'
})

/** Select a page of a list. */
export const PAGE_PARAMS = {
  cursor: Type.Optional(Type.String({ maxLength: 8_192, description: 'From the page before.' })),
  limit: Type.Integer({ minimum: 1, maximum: MAX_PAGE_ITEMS, default: MAX_PAGE_ITEMS })
}
export const PageParams = Type.Object(PAGE_PARAMS, { additionalProperties: false })

export const NextCursor = Type.Optional(
  Type.String({
    description: 'Leads to the next page, if there is one. A page of large items is shorter than `limit`.'
  })
)

export const DigestParam = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'Digest of the preview that was shown.'
})

export const IdempotencyKeyHeader = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'The same key with the same request gives the same call.'
})

export const CallIdParams = Type.Object({ id: Type.String({ description: 'tool_call_id' }) })
