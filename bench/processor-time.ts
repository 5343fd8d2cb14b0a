// Reads the processor time of a process from Linux's /proc, in nanoseconds.
import { readdirSync, readFileSync } from 'node:fs'

/** Returns the time for which the threads of the process ran; those that have ended do not count. */
export function processorTime(pid: number): number {
  return readdirSync(`/proc/${pid}/task`)
    .map(task => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]))
    .reduce((sum, time) => sum + time, 0)
}
