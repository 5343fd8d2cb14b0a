// Threads that write stores. Starting one takes a tenth of a second of processor time, so that a process which opens one store
// after another keeps the thread of a closed store for the next.
import { Worker } from 'node:worker_threads'

/** Maximum number of threads that wait for a store. */
const MAX_IDLE_THREADS = 4

const idle = new Set<Worker>()

/** Returns a thread without a store and without listeners. It keeps the process alive until it is released. */
export function acquireWriterThread(): Worker {
  const [rested] = idle
  if (rested === undefined) return startThread()
  idle.delete(rested)
  removeListeners(rested)
  rested.ref()
  return rested
}

/** Takes back a thread whose store is closed. */
export function releaseWriterThread(thread: Worker) {
  removeListeners(thread)
  if (idle.size === MAX_IDLE_THREADS) {
    void thread.terminate()
    return
  }
  const forget = () => idle.delete(thread)
  thread.on('error', forget).on('exit', forget)
  thread.unref()
  idle.add(thread)
}

/** Keeps the listeners by which Node.js refers to the thread's port. */
function removeListeners(thread: Worker) {
  for (const event of ['message', 'error', 'exit']) thread.removeAllListeners(event)
}

function startThread(): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new Worker(new URL(`./store-worker.${extension}`, import.meta.url), {
    // Its objects live for one batch; a larger heap would only be retained.
    resourceLimits: { maxYoungGenerationSizeMb: 8 }
  })
}
