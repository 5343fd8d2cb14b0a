// Starts the helper process and waits until it is ready, in a limited number of attempts with a backoff between them. While it
// cannot be started, the server does everything else.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { EXHAUSTED, ToolError } from '../../../errors.ts'
import { pauseAndRead } from '../pause-and-read.ts'

/** Pauses in milliseconds between attempts. */
const BACKOFF_MS = [100, 400] as const
/** Shorter than the time limit of the tools that only read, so that their calls fail with the reason. */
const READY_TIMEOUT_MS = 8_000
/** Time in milliseconds for the last output of a helper that ended. */
const DRAIN_MS = 200
const MAX_PRINTED_CHARS = 1_000

export interface HelperProgram {
  file: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  /** Names of what it consists of, for the message of a failure. */
  programs: string
}

/** A failed attempt. */
interface StartFailure {
  /** A sentence without its full stop. */
  cause: string
  /** Code of the system's error. */
  errno?: string | undefined
  printed?: string
  /** Another attempt would only take as long again. */
  isFinal?: boolean
}

const STOPPED: StartFailure = { cause: 'The helper process was stopped' }

/**
 * Resolves with a helper that has reported to be ready. Rejects with OVERLOADED if the system is out of processes, memory or
 * descriptors, else with EXECUTION_ERROR. An abort ends the attempt at once. `findProgram` is called for each attempt.
 */
export async function startHelper(findProgram: () => HelperProgram, stop: AbortSignal): Promise<ChildProcess> {
  for (let attempts = 1; ; attempts += 1) {
    const program = findProgram()
    const started = stop.aborted ? STOPPED : await attemptStart(program, stop)
    if (!('cause' in started)) return started
    if (stop.aborted) throw new ToolError('EXECUTION_ERROR', 'The server is shutting down.')
    const pause = BACKOFF_MS[attempts - 1]
    if (started.isFinal || pause === undefined) throw toStartError(started, attempts, program.programs)
    // An abort is reported after the next attempt, which does not begin.
    await delay(pause, undefined, { signal: stop }).catch(() => {})
  }
}

async function attemptStart(program: HelperProgram, stop: AbortSignal): Promise<ChildProcess | StartFailure> {
  let helper: ChildProcess
  try {
    helper = spawn(program.file, program.args, {
      // Its own session shields it from a terminal's interrupt: the server ends commands in order.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: program.env
    })
  } catch (error) {
    return toStartFailure(error as NodeJS.ErrnoException)
  }
  const output = new HelperOutput(helper)
  const exited = new Promise<void>(resolve => helper.once('exit', () => resolve()).once('error', () => resolve()))
  const failure = await waitUntilReady(helper, stop)
  if (!failure) {
    output.forward()
    return helper
  }
  killGroup(helper)
  await exited
  const printed = await output.readAll()
  if (helper.connected) helper.disconnect()
  return { ...failure, printed }
}

/** Resolves with what prevents it, if anything does. */
async function waitUntilReady(helper: ChildProcess, stop: AbortSignal): Promise<StartFailure | undefined> {
  const { promise, resolve } = Promise.withResolvers<StartFailure | undefined>()
  const timer = setTimeout(resolve, READY_TIMEOUT_MS, {
    cause: `The helper process was not ready within ${READY_TIMEOUT_MS / 1_000} s`,
    isFinal: true
  })
  const onStop = () => resolve(STOPPED)
  stop.addEventListener('abort', onStop)
  helper.once('message', () => resolve(undefined))
  helper.once('exit', (code, signal) => {
    const end = signal ? `was killed by ${signal}` : `ended with code ${code}`
    resolve({ cause: `The helper process ${end} before it was ready` })
  })
  // Stays: an error of a ready helper's channel is followed by its exit.
  helper.on('error', error => resolve(toStartFailure(error)))
  const failure = await promise
  clearTimeout(timer)
  stop.removeEventListener('abort', onStop)
  return failure
}

/** Error output of a helper. It is kept until the helper is ready, and goes to that of the server from then on. */
class HelperOutput {
  readonly #stream: Socket | null
  readonly #closed: Promise<void>
  #text = ''

  constructor({ stderr }: ChildProcess) {
    // A system out of descriptors starts none.
    this.#stream = stderr as Socket | null
    this.#closed = new Promise(resolve => (stderr ? stderr.once('close', resolve) : resolve()))
    this.#stream?.on('data', this.#keep).on('error', () => {})
  }

  forward() {
    this.#stream?.off('data', this.#keep)
    process.stderr.write(this.#text)
    this.#stream?.on('data', bytes => process.stderr.write(bytes))
    this.#stream?.unref()
  }

  async readAll(): Promise<string> {
    await Promise.race([this.#closed, pauseAndRead(DRAIN_MS)])
    this.#stream?.destroy()
    const text = this.#text.trim()
    // A word that is cut might be a secret that is no longer recognized as one.
    return text.length > MAX_PRINTED_CHARS ? text.slice(0, MAX_PRINTED_CHARS).replace(/\S*$/, '…') : text
  }

  readonly #keep = (bytes: Buffer) => {
    if (this.#text.length <= MAX_PRINTED_CHARS) this.#text += bytes.toString('utf8')
  }
}

const toStartFailure = (error: NodeJS.ErrnoException): StartFailure => ({
  cause: `Error: ${error.message}`,
  errno: error.code
})

function toStartError({ cause, printed, errno = '' }: StartFailure, attempts: number, programs: string): ToolError {
  const failed = attempts > 1 ? `failed ${attempts} times` : 'failed'
  const output = printed ? `, and printed "${printed}"` : ''
  const hint = EXHAUSTED[errno]
  return new ToolError(
    hint ? 'OVERLOADED' : 'EXECUTION_ERROR',
    `No program can be started: the helper process that starts them ${failed}. ${cause}${output}. ` +
      `${hint ?? `Check that the user of the server may run ${programs}`}, and retry: each call tries again.`
  )
}

/** Its pid is that of its group. */
function killGroup({ pid }: ChildProcess) {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
