// Running one program for its output: all that it prints to standard output is at hand when it has ended.
import type { RunOptions, ShellResult } from '../../../host/processes/processes.ts'
import type { Context, Progress } from '../../../tool/tool.ts'

/** What is read of standard output. */
const MAX_STDOUT_BYTES = 16 * 1024 * 1024

export interface CollectedOutput extends ShellResult {
  fullStdout: string
  /** `printed` is all there was. */
  isComplete: boolean
}

/** Tells output as it comes, or the newest of it; `toMessage` may turn that into words of progress. */
export async function* collect(
  { host: { processes }, isolation }: Context,
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
