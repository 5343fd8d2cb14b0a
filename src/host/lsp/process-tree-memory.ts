// Memory use of a process and its descendants.
import { readdirSync, readFileSync } from 'node:fs'

const MAX_PROCESSES = 1_000

/** Returns 0 if unknown. Shared memory counts once for each process. */
export function processTreeMemory(pid: number): number {
  let bytes = 0
  const todo = [pid]
  for (let seen = 0; todo.length > 0 && seen < MAX_PROCESSES; seen++) {
    const next = todo.pop()!
    bytes += residentBytes(next)
    todo.push(...childPids(next))
  }
  return bytes
}

function residentBytes(pid: number): number {
  const [, kib = '0'] = /^VmRSS:\s+(\d+) kB$/m.exec(readOrEmpty(`/proc/${pid}/status`)) ?? []
  return Number(kib) * 1024
}

function childPids(pid: number): number[] {
  return threadIds(pid).flatMap(thread =>
    readOrEmpty(`/proc/${pid}/task/${thread}/children`).split(' ').map(Number).filter(Boolean)
  )
}

function threadIds(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** Returns an empty string if the file is gone. */
function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
