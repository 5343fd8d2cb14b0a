// What a hook says, read strictly: what is no answer is a failure of the hook, never an answer that lets a call through.
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { ToolError } from '../../errors.ts'
import type { HookSaid } from '../../host/hooks/hook-runner.ts'

export const HookAnswer = Type.Object(
  {
    decision: Type.Optional(Type.Enum(['allow', 'refuse'])),
    reason: Type.Optional(Type.String()),
    params: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    context: Type.Optional(Type.String())
  },
  { additionalProperties: false }
)
export type HookAnswer = Static<typeof HookAnswer>

/** A program refuses with this exit code, and says why on standard error. */
const REFUSES = 2

export function answerOf(said: HookSaid): HookAnswer {
  if ('answer' in said) return checked(said.answer ?? {})
  const { stdout, stderr, exit_code } = said
  if (exit_code === REFUSES) return { ...answerIn(stdout), decision: 'refuse', ...reasonIn(stdout, stderr) }
  if (exit_code === 0) return answerIn(stdout)
  const ended = exit_code === null ? 'It was killed' : `It ended with ${exit_code}`
  throw new ToolError('EXECUTION_ERROR', `${ended}${stderr.trim() && `: ${stderr.trim()}`}.`)
}

/** What is printed is an answer where it is an object of JSON; anything else is talk. */
function answerIn(stdout: string): HookAnswer {
  const text = stdout.trim()
  if (!text.startsWith('{')) return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ToolError('EXECUTION_ERROR', 'What it printed begins as JSON, but is none.')
  }
  return checked(value)
}

const reasonIn = (stdout: string, stderr: string) => {
  const reason = answerIn(stdout).reason ?? stderr.trim()
  return reason === '' ? {} : { reason }
}

function checked(value: unknown): HookAnswer {
  if (Value.Check(HookAnswer, value)) return value
  const known = Object.keys(HookAnswer.properties).join(', ')
  throw new ToolError('EXECUTION_ERROR', `What it answered is not of the form { ${known} }, each of them optional.`)
}
