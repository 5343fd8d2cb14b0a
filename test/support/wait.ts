// Waits with a limit: a wait that never ends fails the test with its description, instead of hanging it.
import { type ChildProcess, type ExecFileOptions, execFile } from 'node:child_process'
import events from 'node:events'
import { statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

/** No wait has a shorter limit: it ends what hangs, and measures nothing. */
const MIN_LIMIT_MS = 120_000

/** Default limit of any wait in milliseconds. A run stretches it as far as the machine is slow or busy. */
export let LIMIT_MS = Math.round(MIN_LIMIT_MS * Number(process.env.TEST_LIMIT_FACTOR ?? 1))

export function setLimitFactor(factor: number) {
  LIMIT_MS = Math.round(MIN_LIMIT_MS * factor)
}

const POLL_MS = 10

/** Settles like the promise, or rejects with `what` after the limit. */
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

/** Polls until the condition returns a truthy value, and resolves to that; for changes without an event. */
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

/** Waits until the last change of these files is so long ago that a cache may trust their times. */
export const untilOlderThan = (ms: number, ...files: string[]) =>
  waitUntil(`${files.join(', ')} to be older than ${ms} ms`, () =>
    files.every(file => Date.now() - statSync(file).ctimeMs >= ms)
  )

/** Resolves with the arguments of the next event, like `once` of node:events, but with a limit. */
export async function once(emitter: NodeJS.EventEmitter | EventTarget, event: string, limitMs = LIMIT_MS) {
  const of = emitter.constructor.name
  return within(`the event "${event}" of ${/^[AEIOU]/.test(of) ? 'an' : 'a'} ${of}`, nextEvent(emitter, event), limitMs)
}

// biome-ignore lint/suspicious/noExplicitAny: as node:events declares it
function nextEvent(emitter: NodeJS.EventEmitter | EventTarget, event: string): Promise<any[]> {
  return emitter instanceof EventTarget ? events.once(emitter, event) : events.once(emitter, event)
}

/** Runs a program to its end and resolves with its output; rejects like execFile, also on a timeout. */
export const run = (program: string, args: readonly string[], options: ExecFileOptions = {}) =>
  promisify(execFile)(program, args, { timeout: LIMIT_MS, killSignal: 'SIGKILL', ...options, encoding: 'utf8' })

/** Resolves with the arguments of a process's `close` event, without a limit: await it `within` one. */
export const exitOf = (child: ChildProcess) =>
  new Promise<{ code: number | null; signal: NodeJS.Signals | null }>(resolve =>
    child.once('close', (code, signal) => resolve({ code, signal }))
  )
