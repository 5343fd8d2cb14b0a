// Worker thread that runs jobs one after the other.
import { parentPort } from 'node:worker_threads'
import { COMPUTE_JOBS, type ComputeJob, type ComputeJobName } from './compute-jobs.ts'

export interface ComputeRequest {
  name: ComputeJobName
  input: unknown
}
export type ComputeResponse = { output: unknown } | { failed: string }

const port = parentPort!
const post = (message: ComputeResponse) => port.postMessage(message)

port.on('message', async ({ name, input }: ComputeRequest) => {
  const { run } = COMPUTE_JOBS[name] as ComputeJob<unknown, unknown>
  try {
    post({ output: await run(input) })
  } catch (error) {
    post({ failed: (error as Error).stack ?? String(error) })
  }
})
