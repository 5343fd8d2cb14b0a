// Measures other load on the machine: a figure taken under load means little, so the load is reported with it.
import { cpus } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

const SAMPLE_MS = 500

/** Returns the share of the processors that other processes use now, 0 to 1. */
export async function otherCpuShare(): Promise<number> {
  const before = cpuTimes()
  await pause(SAMPLE_MS)
  const after = cpuTimes()
  return 1 - (after.idle - before.idle) / (after.all - before.all)
}

function cpuTimes() {
  let idle = 0
  let all = 0
  for (const { times } of cpus()) {
    idle += times.idle
    all += Object.values(times).reduce((a, b) => a + b, 0)
  }
  return { idle, all }
}
