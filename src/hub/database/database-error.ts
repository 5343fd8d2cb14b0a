// Errors of the database as clients of the hub get them.
import { ToolError } from '../../errors.ts'

/** Classes of SQLSTATE: connection, resources, operator intervention, such as a restart; serialization failures. */
const TEMPORARY_CLASSES: readonly string[] = ['08', '53', '57', '40']
/** The statement took longer than the limit. */
const QUERY_CANCELED = '57014'
/** Values that the database cannot store, such as a text with a zero character or a date of the year 0. */
const DATA_EXCEPTION = '22'

/** Returns the error for a failed query: a database that is away is no fault of the request, and a value that cannot be stored is. */
export function toHubError(error: unknown): unknown {
  if (error instanceof ToolError) return error
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (code.startsWith(DATA_EXCEPTION))
    return new ToolError('INVALID_PARAMS', `The database of the hub cannot store the request: ${message}.`, undefined, {
      cause: error
    })
  if (code === QUERY_CANCELED)
    return new ToolError(
      'OVERLOADED',
      'The database of the hub canceled the request, because it took too long. Nothing was stored. Search fewer calls, for example those of one server, or send the request again.',
      { retry_after_s: 1 },
      { cause: error }
    )
  const isTemporary =
    TEMPORARY_CLASSES.includes(code.slice(0, 2)) ||
    /^E[A-Z]+$/.test(code) ||
    /timeout|terminated|ended|closed/i.test(message)
  if (!isTemporary) return error
  return new ToolError(
    'OVERLOADED',
    `The database of the hub does not respond (${message}). Nothing was stored. Send the request again.`,
    { retry_after_s: 1 },
    { cause: error }
  )
}
