// Running one program for its output: all that it prints to standard output is at hand when it has ended.
import type { RunOptions, ShellResult } from '../../../host/processes/processes.ts'
import type { Context, Progress } from '../../../tool/tool.ts'

/** What is read of standard output. */
const MOST_BYTES = 16 * 1024 * 1024

export interface Collected extends ShellResult {
  printed: string
  /** `printed` is all there was. */
  whole: boolean
}

/** Tells output as it comes, or the newest of it; `told` may turn that into words of progress. */
export async function* collect(
  { host: { processes }, isolation }: Context,
  options: RunOptions,
  told: (text: string) => string | undefined = () => undefined
): AsyncGenerator<Progress, Collected, void> {
  const running = processes.run({ isolation, ...options })
  let step = await running.next()
  try {
    for (; !step.done; step = await running.next()) {
      const delta = step.value
      yield { delta }
      const message = delta.stream === 'stdout' ? told(delta.text) : undefined
      if (message !== undefined) yield { message }
    }
    const { text: printed, whole } = await processes.printed(MOST_BYTES)
    return { ...step.value, printed, whole }
  } finally {
    if (!step.done) await running.return(undefined as never)
  }
}
