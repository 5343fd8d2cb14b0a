// Other processes of this user, by pid.
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

export function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Terminates a process. One that has already ended is ignored. */
export function terminate(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Resolves when the process is gone. The exit of a non-child process is not signaled, so it is polled. */
export async function waitForProcessExit(pid: number, signal: AbortSignal): Promise<void> {
  while (isProcessRunning(pid)) await setTimeout(20, undefined, { signal })
}

/**
 * Returns the start time, which distinguishes a process from a later one with the same pid; undefined if the system does not
 * report it.
 */
export function processStartTime(pid: number): string | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return fields.slice(fields.lastIndexOf(')') + 2).split(' ')[START_TIME_FIELD]
  } catch {
    return undefined
  }
}

/** Field index after the name, which may contain anything. */
const START_TIME_FIELD = 19
