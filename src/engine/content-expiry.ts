// Limits the time for which the journal keeps the content of calls that used a file that may hold secrets.

import type { Call } from '../protocol/calls.ts'
import { steadyNow } from '../steady-time.ts'
import type { StoreWrite } from '../store/store-schema.ts'
import type { Evaluation } from './evaluation.ts'

/** Milliseconds after which the content of a call that used a sensitive file is removed. */
const SENSITIVE_CONTENT_MS = 24 * 3_600_000

/** Returns the writes that limit the time for which the content of a call is kept, if it used a sensitive file. */
export function contentExpiryWrites({ tool_call_id }: Call, evaluation: Evaluation | undefined): StoreWrite[] {
  if (!evaluation || !usesSensitiveFile(evaluation)) return []
  return [['contentExpiry', tool_call_id, new Date(steadyNow() + SENSITIVE_CONTENT_MS).toISOString()]]
}

const usesSensitiveFile = ({ paths, command }: Evaluation): boolean =>
  paths.some(({ sensitive }) => sensitive) ||
  (command?.parts ?? []).some(({ operands }) => operands.some(({ sensitive }) => sensitive))
