// Runs a program and collects its complete standard output.
import type { RunOptions, ShellResult } from '../../../host/processes/processes.ts'
import type { RunContext } from '../../../tool/contexts.ts'
import type { Progress } from '../../../tool/result.ts'

/** Maximum number of bytes of standard output. */
const MAX_STDOUT_BYTES = 16 * 1024 * 1024

export interface CollectedOutput extends ShellResult {
  fullStdout: string
  /** `printed` is complete. */
  isComplete: boolean
}

/** Yields output as it arrives, throttled to the newest; `toMessage` may convert it to progress messages. */
export async function* collect(
  { host: { processes }, command: { isolation } }: RunContext,
  options: RunOptions,
  toMessage: (text: string) => string | undefined = () => undefined
): AsyncGenerator<Progress, CollectedOutput, void> {
  const running = processes.run({ isolation, ...options })
  let step = await running.next()
  try {
    for (; !step.done; step = await running.next()) {
      const delta = step.value
      yield { delta }
      const message = delta.stream === 'stdout' ? toMessage(delta.text) : undefined
      if (message !== undefined) yield { message }
    }
    const { text: printed, isComplete } = await processes.capturedStdout(MAX_STDOUT_BYTES)
    return { ...step.value, fullStdout: printed, isComplete }
  } finally {
    if (!step.done) await running.return(undefined as never)
  }
}
