// Schemas that routes share: those that the API document defines once, and the responses with a problem.
import type { TSchema } from 'typebox'
import { Approval, Call, CallError, CallResult, Preview } from '../protocol/calls.ts'
import { ContentRemoval } from '../protocol/content-removal.ts'
import { AlwaysOption, ApprovedBy, GivenApproval, SavedRule } from '../protocol/decisions.ts'
import { ERRORS, type ErrorCode } from '../protocol/error-codes.ts'
import { FileChange } from '../protocol/file-change.ts'
import { Job } from '../protocol/jobs.ts'
import { Problem } from '../protocol/problem.ts'
import { schemaRef } from '../protocol/schema-ref.ts'
import { SetSessionMode } from '../protocol/session-mode.ts'
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
  GivenApproval,
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

/** Returns a response with a call. */
export const callResponse = (description: string) => ({
  description,
  content: { 'application/json': { schema: schemaRef('Call') } }
})

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
