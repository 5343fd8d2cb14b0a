// Returns memory to the system after a busy time: V8 keeps the pages of its heap while nothing is allocated, since only allocation makes it
// collect garbage.
import { performance } from 'node:perf_hooks'
import { runInNewContext } from 'node:vm'

const CHECK_MS = 5_000
/** Shares of the time for which the event loop has work. */
const BUSY = 0.1
const IDLE = 0.02

/** Watches the event loop of this process until it ends. */
export function returnMemoryWhenIdle() {
  let before = performance.eventLoopUtilization()
  // The start leaves garbage, too.
  let wasBusy = true
  const check = () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    if (utilization > BUSY) wasBusy = true
    if (!wasBusy || utilization > IDLE) return
    wasBusy = false
    startMemoryReducer()
  }
  setInterval(check, CHECK_MS).unref()
}

/** A context that is gone makes V8 look for garbage: in small steps, while there is nothing else to do, and then it frees the pages. */
const startMemoryReducer = () => runInNewContext('0')
