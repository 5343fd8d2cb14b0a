// A small process that starts others and says how long each took. Its size is what makes it a floor: starting a process
// takes a process the longer the larger it is.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

export interface Command {
  file: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
  /** Files that it finds open for reading, as descriptors 3, 4, … */
  inherit?: readonly string[]
}

export interface RunResult {
  /** From the start to the end of its output. */
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

  /** Kills what it started and has not ended yet: a floor that hangs must not hold up the rest. */
  async close(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.disconnect()
    await ended
  }
}

/** How long each of so many runs took, one after the other. */
export async function measureDurations(count: number, run: () => Promise<RunResult>): Promise<number[]> {
  const times: number[] = []
  for (let i = 0; i < count; i++) times.push((await run()).ms)
  return times
}
