// Exit codes, and their mapping from errors.
import { ToolgateError } from '../client/error.ts'
import { ToolError } from '../errors.ts'
import { didYouMean, joinHints } from './did-you-mean.ts'

export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  unreachable: 3,
  auth: 4,
  rejected: 5,
  conflict: 6,
  expired: 7,
  timeout: 124,
  interrupted: 130,
  /** As for a program terminated by SIGPIPE. */
  brokenPipe: 141
} as const

/** A failure reported on one line: the cause and, with `hint`, the resolution. */
export class CliError extends Error {
  readonly exit: number
  readonly code: string
  readonly hint: string | undefined

  constructor(message: string, { exit, code, hint }: { exit: number; code: string; hint?: string }) {
    super(message)
    this.name = 'CliError'
    this.exit = exit
    this.code = code
    this.hint = hint
  }
}

export const usageError = (message: string, hint?: string) =>
  new CliError(message, { exit: EXIT.usage, code: 'USAGE', ...(hint && { hint }) })

/** Parses one of several choices; throws a usage error otherwise. `what`: the flag or argument. */
export function parseChoice<const T extends string>(what: string, given: string, names: readonly T[]): T {
  const found = names.find(name => name === given)
  if (found !== undefined) return found
  throw usageError(
    `Invalid ${what}: ${given}.`,
    joinHints(didYouMean(given, names), `Expected one of: ${names.join(', ')}.`)
  )
}

export interface CliFailure {
  exit: number
  code: string
  message: string
  hint?: string | undefined
  /** Id of a refused request in the server's log. */
  request_id?: string | undefined
}

const FAILURES_BY_CODE: Record<string, { exit: number; hint?: string }> = {
  UNREACHABLE: { exit: EXIT.unreachable, hint: 'Start a server with: toolgate serve' },
  UNAUTHORIZED: { exit: EXIT.auth, hint: 'The token is not valid for this server: check TOOLGATE_TOKEN_FILE.' },
  FORBIDDEN: { exit: EXIT.auth },
  CONFLICT: { exit: EXIT.conflict },
  PREVIEW_CHANGED: { exit: EXIT.conflict, hint: 'Review the preview again with: toolgate approve' },
  INVALID_PARAMS: { exit: EXIT.usage },
  TIMEOUT: { exit: EXIT.timeout }
}

/** Returns undefined for an internal error of this program. */
export function toCliFailure(error: unknown): CliFailure | undefined {
  if (error instanceof CliError) return { exit: error.exit, code: error.code, message: error.message, hint: error.hint }
  if (error instanceof ToolgateError) {
    const request_id = error.problem?.request_id
    const message = formatErrorMessage(error)
    return { exit: EXIT.failed, code: error.code, message, ...FAILURES_BY_CODE[error.code], request_id }
  }
  if (error instanceof ToolError)
    return { exit: EXIT.failed, code: error.code, message: error.message, ...FAILURES_BY_CODE[error.code] }
  if (error instanceof Error && error.name === 'TimeoutError')
    return { exit: EXIT.timeout, code: 'TIMEOUT', message: 'The time given with --timeout has passed.' }
  if (error instanceof Error && error.name === 'AbortError')
    return { exit: EXIT.interrupted, code: 'INTERRUPTED', message: 'Interrupted.' }
  return undefined
}

/** Names fields rather than their pointers in the body, which are unknown to a person at the command line. */
function formatErrorMessage({ message, problem }: ToolgateError): string {
  const errors = problem?.errors ?? []
  const messages = errors.map(({ pointer, message }) => `${fieldName(pointer)} ${message}`)
  const [first] = errors
  const plain =
    first && message.startsWith(`${first.pointer} `)
      ? fieldName(first.pointer) + message.slice(first.pointer.length)
      : message
  return messages.length > 1 ? `${plain} All errors: ${messages.join('; ')}.` : plain
}

const fieldName = (pointer: string) => pointer.replace(/^\/(?:params\/|match\/)?/, '').replaceAll('/', '.')
