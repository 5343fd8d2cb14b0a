// Classifies errors of MCP servers.
import { ToolError } from '../../errors.ts'
import { sanitizeText } from './sanitize.ts'

/**
 * Kind of an error, as far as it matters:
 * - `said`: the server answered with an error, or with something that is no result.
 * - `gone`: its process or connection has ended.
 * - `forgotten`: it has lost the session, and has not taken the request.
 * - `elsewhere`: the address does not serve this protocol.
 * - `login`: a person must authorize the access.
 * - `scope`: a person must authorize further access; the rest works.
 * - `hopeless`: retries are useless until something is changed here.
 */
type McpErrorKind = 'said' | 'gone' | 'forgotten' | 'elsewhere' | 'login' | 'scope' | 'hopeless' | 'other'

interface McpFailure {
  kind: McpErrorKind
  message: string
}

/** The process or connection of a server has ended. */
export class McpConnectionClosedError extends Error {}

/** The server's configuration is invalid. */
export class McpConfigurationError extends Error {}

const MAX_ERROR_CHARACTERS = 2_000
const PERMANENT_ERROR_CODES: ReadonlySet<string> = new Set(['SANDBOX_UNAVAILABLE', 'URL_BLOCKED', 'INVALID_PARAMS'])
const NOT_MCP_STATUSES: ReadonlySet<number> = new Set([400, 404, 405, 406, 415, 501])

export async function classifyMcpError(error: unknown): Promise<McpFailure> {
  const kind = await errorKind(error)
  return {
    kind,
    message: LOGIN_MESSAGES[kind] ?? sanitizeText(rootMessage(error), MAX_ERROR_CHARACTERS)
  }
}

const LOGIN_MESSAGES: Partial<Record<McpErrorKind, string>> = {
  login: 'the server requires a login',
  scope: 'the server requires a login with more scopes'
}

async function errorKind(error: unknown): Promise<McpErrorKind> {
  if (error instanceof McpConnectionClosedError) return 'gone'
  const causes = [...errorCauses(error)]
  if (
    causes.some(
      each =>
        each instanceof McpConfigurationError || (each instanceof ToolError && PERMANENT_ERROR_CODES.has(each.code))
    )
  )
    return 'hopeless'
  const { InsufficientScopeError, ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } =
    await import('@modelcontextprotocol/client')
  if (causes.some(each => each instanceof InsufficientScopeError)) return 'scope'
  if (error instanceof UnauthorizedError) return 'login'
  if (error instanceof ProtocolError) return 'said'
  const odd: readonly unknown[] = [SdkErrorCode.InvalidResult, SdkErrorCode.UnsupportedResultType]
  if (error instanceof SdkError && odd.includes(error.code)) return 'said'
  if (error instanceof SdkHttpError && (error.status === 401 || error.status === 403)) return 'login'
  if (error instanceof SdkHttpError && NOT_MCP_STATUSES.has(error.status))
    return error.status === 404 ? 'forgotten' : 'elsewhere'
  if (causes.some(each => (each as NodeJS.ErrnoException).code === 'ECONNREFUSED')) return 'forgotten'
  const over: readonly unknown[] = [SdkErrorCode.ConnectionClosed, SdkErrorCode.NotConnected, SdkErrorCode.SendFailed]
  if (error instanceof SdkError && over.includes(error.code)) return 'gone'
  return 'other'
}

/** The root cause has the most specific message. */
function rootMessage(error: unknown): string {
  const last = [...errorCauses(error)].at(-1) as { message?: unknown; code?: unknown }
  return String(last.message || last.code || error)
}

function* errorCauses(error: unknown): Generator<unknown> {
  const seen = new Set<unknown>()
  for (let at = error; at instanceof Error && !seen.has(at); at = at.cause) {
    seen.add(at)
    yield at
    // Several addresses of one name were tried.
    if (at instanceof AggregateError) for (const each of at.errors.slice(0, 1)) yield* errorCauses(each)
  }
}
