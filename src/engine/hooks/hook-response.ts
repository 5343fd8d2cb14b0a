// Strict parser of hook responses: an invalid response is a failure of the hook, and never allows a call.
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { ToolError } from '../../errors.ts'
import type { HookOutput } from '../../host/hooks/hook-runner.ts'
import { findInexactNumbers } from '../../text/json-numbers.ts'
import { toJsonPointer } from '../../text/json-pointer.ts'

export const HookResponse = Type.Object(
  {
    decision: Type.Optional(Type.Enum(['allow', 'refuse'])),
    reason: Type.Optional(Type.String()),
    params: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    context: Type.Optional(Type.String())
  },
  { additionalProperties: false }
)
export type HookResponse = Static<typeof HookResponse>

/** Exit code with which a program refuses; the reason is on standard error. */
const REFUSE_EXIT_CODE = 2

export function parseHookResponse(output: HookOutput): HookResponse {
  if ('answer' in output) return validateResponse(output.answer ?? {})
  const { stdout, stderr, exit_code } = output
  if (exit_code === REFUSE_EXIT_CODE)
    return { ...parseStdout(stdout), decision: 'refuse', ...findReason(stdout, stderr) }
  if (exit_code === 0) return parseStdout(stdout)
  const ended = exit_code === null ? 'The hook was killed' : `The hook ended with exit code ${exit_code}`
  throw new ToolError('EXECUTION_ERROR', `${ended}${stderr.trim() && `: ${stderr.trim()}`}.`)
}

/** Parses standard output: a JSON object is a response; anything else is ignored. */
function parseStdout(stdout: string): HookResponse {
  const text = stdout.trim()
  if (!text.startsWith('{')) return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ToolError('EXECUTION_ERROR', 'The hook printed invalid JSON.')
  }
  const [inexact] = findInexactNumbers(text)
  if (inexact)
    throw new ToolError(
      'EXECUTION_ERROR',
      `The hook printed a number that cannot be represented exactly, at ${toJsonPointer(inexact.path)}. Print the number as a string.`
    )
  return validateResponse(value)
}

const findReason = (stdout: string, stderr: string) => {
  const reason = parseStdout(stdout).reason ?? stderr.trim()
  return reason === '' ? {} : { reason }
}

function validateResponse(value: unknown): HookResponse {
  if (Value.Check(HookResponse, value)) return value
  const known = Object.keys(HookResponse.properties).join(', ')
  throw new ToolError('EXECUTION_ERROR', `The hook's output must be an object { ${known} }. Each field is optional.`)
}
