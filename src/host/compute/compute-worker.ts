// A thread that works out one job after the other.
import { parentPort } from 'node:worker_threads'
import { JOBS, type Job, type JobName } from './compute-jobs.ts'

export interface ToThread {
  name: JobName
  input: unknown
}
export type FromThread = { output: unknown } | { failed: string }

const port = parentPort!
const answer = (message: FromThread) => port.postMessage(message)

port.on('message', async ({ name, input }: ToThread) => {
  const { run } = JOBS[name] as Job<unknown, unknown>
  try {
    answer({ output: await run(input) })
  } catch (error) {
    answer({ failed: (error as Error).stack ?? String(error) })
  }
})
