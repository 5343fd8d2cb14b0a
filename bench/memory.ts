// Reads the memory use of a process from Linux's /proc.
import { readdirSync, readFileSync } from 'node:fs'

const KIB_A_MIB = 1_024

/** Returns the resident memory of the process itself, in MiB. */
export const residentMemory = (pid: number): number => readKib(`/proc/${pid}/status`, 'VmRSS') / KIB_A_MIB

/** Returns the memory of the process and its descendants, in MiB; shared pages are counted once. */
export const processTreeMemory = (pid: number): number =>
  readKib(`/proc/${pid}/smaps_rollup`, 'Pss') / KIB_A_MIB + sum(childPids(pid).map(descendantMemory))

/** A descendant may end while it is read, and a zombie has no memory: both count as 0. */
function descendantMemory(pid: number): number {
  try {
    return processTreeMemory(pid)
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return 0
    throw error
  }
}

function readKib(file: string, field: string): number {
  const found = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(file, 'utf8'))?.[1]
  if (found === undefined) throw new Error(`${file} has no field ${field}`)
  return Number(found)
}

const childPids = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap(task =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  )

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0)
