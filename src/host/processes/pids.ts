// Other processes of this user, by their id.
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

/** Asks the process to end. One that has ended already is as well. */
export function terminate(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Resolves when the process is gone. Nothing tells of the end of a process that is not ours, so it is looked at. */
export async function waitForProcessExit(pid: number, signal: AbortSignal): Promise<void> {
  while (isProcessRunning(pid)) await setTimeout(20, undefined, { signal })
}

/** What tells a process from a later one of the same number; undefined where the system does not say. */
export function processStartTime(pid: number): string | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return fields.slice(fields.lastIndexOf(')') + 2).split(' ')[START_TIME_FIELD]
  } catch {
    return undefined
  }
}

/** Its place after the name, which may hold anything. */
const START_TIME_FIELD = 19
