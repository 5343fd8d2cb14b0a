// Cgroups limit the memory and the number of processes of a command as a whole. A cgroup is created for each command and removed
// after it. This requires a folder in which the user may create cgroups; without one the limits are reported as missing.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { isStaleCgroup, newCgroupName } from '../processes/cgroup-names.ts'

interface CgroupLimits {
  memory_bytes: number
  processes: number
}

/** The cgroup of one command. */
export interface Cgroup {
  /** A single-threaded process joins by writing 0 into each of these. */
  joinFiles: string[]
  /** Removes the cgroup once everything in it has ended. */
  remove(): Promise<CgroupResult>
}

export interface CgroupResult {
  /** The kernel killed a process in it for exceeding the memory limit. */
  out_of_memory: boolean
}

const PREFIX = 'toolgate'
/** Killed processes leave their cgroup with a delay. */
const REMOVE_RETRY_DELAYS_MS = [0, 5, 20, 80, 320, 1_000]

export class Cgroups {
  /** Folders in which cgroups are created: one for both limits, or with cgroups v1 one for each. */
  readonly #folders: readonly string[]
  readonly #limits: CgroupLimits

  /** Returns undefined if the user may not create cgroups. */
  static find(limits: CgroupLimits): Cgroups | undefined {
    for (const folders of findCgroupFolders()) {
      const groups = new Cgroups(folders, limits)
      if (groups.#works()) return groups
    }
    return undefined
  }

  constructor(folders: readonly string[], limits: CgroupLimits) {
    this.#folders = folders
    this.#limits = limits
  }

  /** Creates a cgroup for a command, with the default limits or its own. */
  make(limits: CgroupLimits = this.#limits): Cgroup {
    const name = newCgroupName(PREFIX)
    const made: string[] = []
    try {
      for (const folder of this.#folders) {
        const group = path.join(folder, name)
        mkdirSync(group)
        made.push(group)
      }
      for (const group of made) this.#limit(group, limits)
    } catch (error) {
      for (const group of made) tryRemove(group)
      throw error
    }
    return {
      joinFiles: made.map(joinFileOf),
      async remove() {
        const out_of_memory = made.some(ranOutOfMemory)
        await removeWithRetries(made)
        return { out_of_memory }
      }
    }
  }

  /** Removes cgroups of killed servers, also in sibling cgroups: the next server may be in another. */
  sweep() {
    for (const folder of this.#folders.flatMap(own => [own, ...subfolders(path.dirname(own))])) {
      for (const name of listNames(folder)) if (isStaleCgroup(PREFIX, name)) tryRemove(path.join(folder, name))
    }
  }

  #works() {
    try {
      this.sweep()
      const { joinFiles } = this.make()
      for (const join of joinFiles) tryRemove(path.dirname(join))
      return true
    } catch {
      return false
    }
  }

  #limit(group: string, { memory_bytes, processes }: CgroupLimits) {
    const all: [string, number, 'needed' | 'better'][] = [
      ['memory.max', memory_bytes, 'needed'],
      ['memory.swap.max', 0, 'better'],
      ['memory.oom.group', 1, 'better'],
      ['memory.limit_in_bytes', memory_bytes, 'needed'],
      ['memory.memsw.limit_in_bytes', memory_bytes, 'better'],
      ['pids.max', processes, 'needed']
    ]
    let set = 0
    for (const [name, value, need] of all) {
      const file = path.join(group, name)
      if (!existsSync(file)) continue
      try {
        writeFileSync(file, String(value))
        set += need === 'needed' ? 1 : 0
      } catch (error) {
        if (need === 'needed') throw error
      }
    }
    if (set * this.#folders.length < 2) throw new Error(`the control group ${group} supports no limits`)
  }
}

/**
 * Version 1 accepts a thread that moves itself without blocking all process starts until that is done, which takes as long as the
 * rest of the sandbox.
 */
function joinFileOf(group: string): string {
  const own = path.join(group, 'tasks')
  return existsSync(own) ? own : path.join(group, 'cgroup.procs')
}

/** Files in which each version counts OOM kills. */
const OOM_COUNTER_FILES = ['memory.events', 'memory.oom_control']

const ranOutOfMemory = (group: string) =>
  OOM_COUNTER_FILES.some(name => /^oom_kill [1-9]/m.test(readFileOrEmpty(group, name)))

/** Returns an empty string if the file does not exist. */
function readFileOrEmpty(group: string, name: string): string {
  try {
    return readFileSync(path.join(group, name), 'latin1')
  } catch {
    return ''
  }
}

const subfolders = (folder: string) => listNames(folder).map(name => path.join(folder, name))

/** Returns no names if it is not a folder, or was removed concurrently. */
function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Finds the folders in which cgroups can be created, best first. */
function findCgroupFolders(): string[][] {
  try {
    const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n')
    const own = readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n')
    return [...findV2Folders(mounts, own), ...findV1Folders(mounts, own)]
  } catch {
    return []
  }
}

// Cgroups v2: one hierarchy for all limits. A cgroup with processes in it, as the server's own, cannot have children with limits;
// so they are created beside it, which a user's own services may.
function findV2Folders(mounts: readonly string[], own: readonly string[]): string[][] {
  const [, mount] = mounts.map(line => line.split(' ')).find(([, , type]) => type === 'cgroup2') ?? []
  const line = own.find(one => one.startsWith('0::'))
  if (!mount || !line) return []
  const group = line.slice('0::'.length)
  return [path.join(mount, path.dirname(group))]
    .filter(folder => {
      const has = readFileSync(path.join(folder, 'cgroup.subtree_control'), 'utf8').split(/\s+/)
      return has.includes('memory') && has.includes('pids')
    })
    .map(folder => [folder])
}

function findV1Folders(mounts: readonly string[], own: readonly string[]): string[][] {
  const folders = ['memory', 'pids'].map(controller => {
    const [, mount] =
      mounts
        .map(line => line.split(' '))
        .find(([, , type, options]) => type === 'cgroup' && options?.split(',').includes(controller)) ?? []
    const line = own.find(one => one.split(':')[1]?.split(',').includes(controller))
    const within = mount && line && path.join(mount, line.split(':').slice(2).join(':'))
    return within && existsSync(within) ? within : mount
  })
  return folders.every(folder => folder !== undefined) ? [folders] : []
}

async function removeWithRetries(groups: readonly string[]) {
  for (const pause of REMOVE_RETRY_DELAYS_MS) {
    if (pause > 0) await setTimeout(pause)
    if (groups.map(tryRemove).every(gone => gone)) return
  }
}

function tryRemove(group: string): boolean {
  try {
    rmdirSync(group)
  } catch {
    // Already removed, or still terminating; the rest is swept at the next start.
  }
  return !existsSync(group)
}
