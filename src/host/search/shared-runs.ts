// Runs that concurrent requests share: each request gets the result of a run that began after it. At most one run of a kind goes on at a
// time, and one more waits; a run begins once a turn of the event loop brings no further request, so that those which come together share
// it, and ends early once no request waits for it any more.
import { setImmediate as turn } from 'node:timers/promises'
import { awaitTurn } from '../../time-limit.ts'
import type { CountListener } from './ripgrep.ts'

interface Requester {
  /** Ends the request, and not the run that others wait for. */
  signal: AbortSignal
  onCount: CountListener
}

interface SharedRun<T> {
  readonly requesters: Set<Requester>
  readonly abort: AbortController
  readonly begun: Promise<void>
  readonly result: Promise<T>
}

interface RunsOfKind<T> {
  running?: SharedRun<T>
  next?: SharedRun<T>
}

export class SharedRuns<T> {
  readonly #kinds = new Map<string, RunsOfKind<T>>()

  /** Returns the result of the next run of this kind, which `work` makes unless it is planned already. */
  async request(kind: string, requester: Requester, work: (run: Requester) => Promise<T>): Promise<T> {
    const { signal } = requester
    signal.throwIfAborted()
    const runs = this.#kinds.get(kind) ?? {}
    this.#kinds.set(kind, runs)
    runs.next ??= this.#plan(kind, runs, work)
    const run = runs.next
    run.requesters.add(requester)
    const aborted = Promise.withResolvers<never>()
    const leave = () => {
      run.requesters.delete(requester)
      if (run.requesters.size === 0) run.abort.abort(signal.reason)
      aborted.reject(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    try {
      await awaitTurn(Promise.race([run.begun, aborted.promise]), signal)
      return await Promise.race([run.result, aborted.promise])
    } finally {
      signal.removeEventListener('abort', leave)
      run.requesters.delete(requester)
    }
  }

  #plan(kind: string, runs: RunsOfKind<T>, work: (run: Requester) => Promise<T>): SharedRun<T> {
    const requesters = new Set<Requester>()
    const abort = new AbortController()
    const onCount = (files: number) => {
      for (const requester of requesters) requester.onCount(files)
    }
    const before = runs.running ? runs.running.result.catch(() => {}) : Promise.resolve()
    const begun = before
      .then(() => awaitQuiet(requesters))
      .then(() => {
        runs.running = run
        delete runs.next
      })
    const result = begun
      .then(() => {
        abort.signal.throwIfAborted()
        return work({ signal: abort.signal, onCount })
      })
      .finally(() => {
        delete runs.running
        if (!runs.next) this.#kinds.delete(kind)
      })
    // Every request may have left.
    result.catch(() => {})
    const run: SharedRun<T> = { requesters, abort, begun, result }
    return run
  }
}

/** More turns than these are not waited for: requests may come all the time. */
const MAX_TURNS = 16

/** Waits for a turn of the event loop in which no request comes. */
async function awaitQuiet(requesters: ReadonlySet<Requester>) {
  for (let left = MAX_TURNS, known = -1; left > 0 && requesters.size !== known; left--) {
    known = requesters.size
    await turn()
  }
}
