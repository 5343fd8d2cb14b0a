// A small process that starts others and measures their duration. It is a floor because of its size: starting a process takes
// longer from a larger process.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

export interface Command {
  file: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
  /** Files opened for reading, as descriptors 3, 4, … */
  inherit?: readonly string[]
}

export interface RunResult {
  /** From start to the end of output. */
  ms: number
  code: number | null
  stdout: string
}

export class BenchSpawner {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, (ran: RunResult) => void>()
  #last = 0

  constructor(script: string) {
    this.#child = fork(script, { execArgv: [] })
    this.#child.on('message', ({ id, ran }: { id: number; ran: RunResult }) => {
      this.#waiting.get(id)?.(ran)
      this.#waiting.delete(id)
    })
  }

  run(command: Command): Promise<RunResult> {
    const { promise, resolve } = Promise.withResolvers<RunResult>()
    this.#waiting.set(++this.#last, resolve)
    this.#child.send({ id: this.#last, command })
    return promise
  }

  /** Kills started processes that still run: a floor that hangs must not block the rest. */
  async close(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.disconnect()
    await ended
  }
}

/** Returns the durations of this many sequential runs. */
export async function measureDurations(count: number, run: () => Promise<RunResult>): Promise<number[]> {
  const times: number[] = []
  for (let i = 0; i < count; i++) times.push((await run()).ms)
  return times
}
