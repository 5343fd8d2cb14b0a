// Waiting with a limit: what never comes fails the test with what was awaited, instead of hanging it.
import { type ChildProcess, type ExecFileOptions, execFile } from 'node:child_process'
import events from 'node:events'
import { statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

/** How long anything is awaited unless the caller names another limit. A run on a busy machine stretches every limit. */
export const LIMIT_MS = 30_000 * Number(process.env.TEST_LIMIT_FACTOR ?? 1)

const POLL_MS = 10

/** Resolves as the promise does, or rejects with `what` once the limit has passed. */
export async function within<T>(what: string, promise: PromiseLike<T>, limitMs = LIMIT_MS): Promise<T> {
  const timer = new AbortController()
  const expired = delay(limitMs, undefined, { signal: timer.signal }).then(
    () => Promise.reject(new Error(`timed out after ${limitMs} ms waiting for ${what}`)),
    () => new Promise<never>(() => {})
  )
  try {
    return await Promise.race([promise, expired])
  } finally {
    timer.abort()
  }
}

/** Looks again until the condition gives something truthy, and resolves to that; for what announces itself by no event. */
export async function waitUntil<T>(
  what: string,
  condition: () => T | Promise<T>,
  limitMs = LIMIT_MS
): Promise<Exclude<T, false | undefined | null | 0 | ''>> {
  const end = performance.now() + limitMs
  for (;;) {
    const found = await condition()
    if (found) return found as Exclude<T, false | undefined | null | 0 | ''>
    if (performance.now() > end) throw new Error(`timed out after ${limitMs} ms waiting for ${what}`)
    await delay(POLL_MS)
  }
}

/** Waits until these files were last changed so long ago that a cache may trust their times. */
export const untilOlderThan = (ms: number, ...files: string[]) =>
  waitUntil(`${files.join(', ')} to be older than ${ms} ms`, () =>
    files.every(file => Date.now() - statSync(file).ctimeMs >= ms)
  )

/** Resolves with the arguments of the next event, as `once` of node:events does, but with a limit. */
export async function once(emitter: NodeJS.EventEmitter | EventTarget, event: string, limitMs = LIMIT_MS) {
  const of = emitter.constructor.name
  return within(`the event "${event}" of ${/^[AEIOU]/.test(of) ? 'an' : 'a'} ${of}`, nextEvent(emitter, event), limitMs)
}

// biome-ignore lint/suspicious/noExplicitAny: as node:events declares it
function nextEvent(emitter: NodeJS.EventEmitter | EventTarget, event: string): Promise<any[]> {
  return emitter instanceof EventTarget ? events.once(emitter, event) : events.once(emitter, event)
}

/** Runs a program to its end and resolves with what it printed; rejects as execFile does, also when it takes too long. */
export const run = (program: string, args: readonly string[], options: ExecFileOptions = {}) =>
  promisify(execFile)(program, args, { timeout: LIMIT_MS, killSignal: 'SIGKILL', ...options, encoding: 'utf8' })

/** Resolves with what `close` says of a process once it has ended, however long it lives: await it `within` a limit. */
export const exitOf = (child: ChildProcess) =>
  new Promise<{ code: number | null; signal: NodeJS.Signals | null }>(resolve =>
    child.once('close', (code, signal) => resolve({ code, signal }))
  )
