// The error of a command that one of its limits ended: its exit code alone does not show that.
import type { CallViewError, CallViewResult } from '../call-view.ts'

interface LimitedData {
  exit_code: number | null
  timed_out?: boolean
  out_of_memory?: boolean
  duration_ms?: number
  stdout?: string
  stderr?: string
  output?: string
}

/** Returns the error of a command that its time or memory limit ended; undefined for any other. `details` has what it printed. */
export function limitFailure({ data }: CallViewResult): CallViewError | undefined {
  const { exit_code, timed_out, out_of_memory, duration_ms, stdout, stderr, output } = data as LimitedData
  const details = { stdout: stdout ?? output ?? '', ...(stderr !== undefined && { stderr }) }
  if (timed_out)
    return {
      code: 'TIMEOUT',
      message: `The time limit was exceeded after ${duration_ms} ms.`,
      recoverable: false,
      details
    }
  if (!out_of_memory || exit_code === 0) return undefined
  const message = 'The memory limit was exceeded (`sandbox.memory_bytes`).'
  return { code: 'EXECUTION_ERROR', message, recoverable: false, details }
}
