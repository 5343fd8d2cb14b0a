// Time that no change of the system's clock moves. What expires is compared with it within one run of the server: a clock that is set
// ahead for a moment, or back, ends nothing early and keeps nothing longer.
import { uptime } from 'node:os'

/** Difference between the clocks that is no jump: clocks are adjusted in small steps all the time. */
const MIN_JUMP_MS = 5_000
/** Milliseconds between two looks at the clocks. */
export const CLOCK_CHECK_MS = 10_000

/** Milliseconds since 1970 at which this process began, plus the time for which the machine has slept since. */
let origin = Date.now() - performance.now()

/** Returns the time in milliseconds since 1970: that of the system's clock at the start of the process, and what has passed since. */
export const steadyNow = () => origin + performance.now()

/** A difference between the system's clock and the time that has passed. */
interface ClockJump {
  /** By how much the clock was set ahead; negative if it was set back. */
  set_ms: number
  /** For how long the machine slept: that time counts as passed. */
  slept_ms: number
}

interface Reading {
  system: number
  passed: number
  /** With the time for which the machine slept, where the system counts it. */
  awakeAndAsleep: number
}

/** Listeners of all servers in this process: one timer reads the clocks for them. */
const listeners = new Set<(jump: ClockJump) => void>()
let timer: NodeJS.Timeout | undefined
let last: Reading

/** Looks at the clocks every ten seconds, and reports jumps. Returns a function that ends it. */
export function watchClock(onJump: (jump: ClockJump) => void): () => void {
  listeners.add(onJump)
  if (!timer) {
    last = readClocks()
    timer = setInterval(lookAtClocks, CLOCK_CHECK_MS)
    timer.unref()
  }
  return () => {
    listeners.delete(onJump)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function lookAtClocks() {
  const now = readClocks()
  const jump = compareReadings(last, now)
  last = now
  if (!jump) return
  origin += jump.slept_ms
  for (const listener of listeners) listener(jump)
}

/** Reads the clocks again if the thread was interrupted between them: their difference would count as a jump. */
function readClocks(tries = MAX_READINGS): Reading {
  const passed = performance.now()
  const reading = { system: Date.now(), passed, awakeAndAsleep: uptime() * 1_000 }
  return performance.now() - passed < 1 || tries <= 1 ? reading : readClocks(tries - 1)
}

function compareReadings(before: Reading, after: Reading): ClockJump | undefined {
  const passed = after.passed - before.passed
  const slept = roundJump(after.awakeAndAsleep - before.awakeAndAsleep - passed)
  const slept_ms = Math.max(0, slept)
  const set_ms = roundJump(after.system - before.system - passed - slept_ms)
  return slept_ms === 0 && set_ms === 0 ? undefined : { set_ms, slept_ms }
}

/** Number of attempts to read the clocks without an interruption. */
const MAX_READINGS = 5
/** Clocks that are read one after the other differ by some milliseconds. */
const PRECISION_MS = 10

const roundJump = (ms: number) => (Math.abs(ms) < MIN_JUMP_MS ? 0 : Math.round(ms / PRECISION_MS) * PRECISION_MS)
