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
  const ended = exit_code === null ? 'It was killed' : `It ended with ${exit_code}`
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
    throw new ToolError('EXECUTION_ERROR', 'The output begins like JSON, but is not valid JSON.')
  }
  const [inexact] = findInexactNumbers(text)
  if (inexact)
    throw new ToolError(
      'EXECUTION_ERROR',
      `The output contains a number that cannot be represented exactly, ${toJsonPointer(inexact.path)}. Print it as a string.`
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
  throw new ToolError('EXECUTION_ERROR', `The output must have the form { ${known} }; each field is optional.`)
}
