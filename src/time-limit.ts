// Time limits of work that shares the server with other work: what counts is the time for which it could run. Time does not count for which
// it waited for its turn, nor for which the event loop was busy beyond a timer's time: its own results may have been there all along.

/** Interval at which the lateness of the event loop is measured, while there are time limits. */
const TICK_MS = 50

/** Measures how late the event loop is, in total. */
class LoopLateness {
  #total = 0
  #limits = 0
  #due = 0
  #timer: NodeJS.Timeout | undefined

  /** Returns the milliseconds by which timers were late so far, together. Only differences mean something. */
  now(): number {
    return this.#total + (this.#timer ? Math.max(0, performance.now() - this.#due) : 0)
  }

  enter() {
    this.#limits += 1
    if (!this.#timer) this.#schedule()
  }

  leave() {
    this.#limits -= 1
  }

  #schedule() {
    this.#due = performance.now() + TICK_MS
    this.#timer = setTimeout(() => this.#tick(), TICK_MS).unref()
  }

  #tick() {
    this.#total = this.now()
    this.#timer = undefined
    if (this.#limits > 0) this.#schedule()
  }
}

const lateness = new LoopLateness()
const limits = new WeakMap<AbortSignal, TimeLimit>()

export class TimeLimit {
  readonly #onExceeded: () => void
  /** Milliseconds that are left, as of the last time that the clock was started. */
  #left: number
  #startedAt = 0
  #lateAtStart = 0
  #timer: NodeJS.Timeout | undefined
  #pauses = 0
  #isOver = false

  /** Starts the clock. `onExceeded` is called once, unless the limit is ended before. */
  constructor(ms: number, onExceeded: () => void) {
    this.#left = ms
    this.#onExceeded = onExceeded
    lateness.enter()
    this.#start()
  }

  /** Stops the clock until the returned function is called. */
  pause(): () => void {
    if (this.#pauses === 0) this.#stop()
    this.#pauses += 1
    let isPaused = true
    return () => {
      if (!isPaused) return
      isPaused = false
      this.#pauses -= 1
      if (this.#pauses === 0 && !this.#isOver) this.#start()
    }
  }

  /** Ends the limit: it is not exceeded any more. */
  end() {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    lateness.leave()
  }

  #start() {
    this.#startedAt = performance.now()
    this.#lateAtStart = lateness.now()
    this.#timer = setTimeout(() => this.#check(), this.#left)
  }

  #stop() {
    clearTimeout(this.#timer)
    const late = lateness.now() - this.#lateAtStart
    this.#left = Math.max(0, this.#left - (performance.now() - this.#startedAt - late))
  }

  #check() {
    this.#stop()
    if (this.#left >= 1) return this.#start()
    this.end()
    this.#onExceeded()
  }
}

/** Makes this the limit of the work that the signal ends. */
export function setTimeLimit(signal: AbortSignal, limit: TimeLimit) {
  limits.set(signal, limit)
}

/** Awaits a turn that work has to wait for since other work is ahead. That time does not count for its limit. */
export async function awaitTurn<T>(turn: Promise<T>, signal: AbortSignal): Promise<T> {
  const resume = limits.get(signal)?.pause()
  try {
    return await turn
  } finally {
    resume?.()
  }
}
