// A cgroup that contains every command from its start, as the last safety net: a process cannot leave it. Without permission to
// create one, commands are found only by their sessions and marks.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isStaleCgroup, newCgroupName } from '../cgroup-names.ts'

const PREFIX = 'toolgate-commands'
/** With cgroups v1 one hierarchy is enough, and these limit nothing by themselves. */
const V1_HIERARCHIES = ['freezer', 'name=systemd', 'pids']

/**
 * Time in milliseconds for the helper of a killed server to end commands and to remove its folder: it needs less than a second.
 */
const HELPER_GRACE_MS = 3_000
/** Maximum number of looks until killed processes have ended; one is in the kernel for longer only rarely. */
const MAX_LOOKS = 100
const LOOK_INTERVAL_MS = 10

export interface SpawnerCgroup {
  folder: string
  /** A process joins by writing its pid into this file. */
  joinFile: string
  /** Kills all processes in it. */
  killAll(): void
  /** Removes it if it is empty. */
  remove(): void
  /** Kills all processes in it and removes it, once they have ended. */
  destroy(): Promise<void>
}

export function createSpawnerCgroup(): SpawnerCgroup | undefined {
  if (process.platform !== 'linux') return undefined
  for (const place of findCgroupFolders()) {
    const folder = join(place, newCgroupName(PREFIX))
    try {
      removeStaleCgroups(place)
      mkdirSync(folder)
    } catch {
      continue
    }
    // Version 1 moves a single thread at once, whereas moving a process waits for all others to stop.
    const tasks = join(folder, 'tasks')
    return {
      folder,
      joinFile: existsSync(tasks) ? tasks : join(folder, 'cgroup.procs'),
      killAll: () => end(folder),
      remove: () => void remove(folder),
      destroy: () => destroy(folder)
    }
  }
  return undefined
}

let probing: Promise<boolean> | undefined

/** Checks if a process can be put into a cgroup here, by trying it with one. The answer is valid for this process. */
export const canUseCgroups = (): Promise<boolean> => (probing ??= probeCgroups())

async function probeCgroups(): Promise<boolean> {
  const group = createSpawnerCgroup()
  if (!group) return false
  try {
    const { execa } = await import('execa')
    const { failed } = await execa('/bin/sh', ['-c', 'echo 0 > "$0"', group.joinFile], {
      stdio: 'ignore',
      reject: false
    })
    return !failed
  } finally {
    await group.destroy()
  }
}

/** Kills and removes what killed servers left behind; if the helper of one is about to do so, only the remainder. */
function removeStaleCgroups(place: string) {
  for (const name of readdirSync(place)) {
    if (!isStaleCgroup(PREFIX, name)) continue
    const folder = join(place, name)
    const clearFolder = () => {
      end(folder)
      remove(folder)
    }
    if (hasHelper(folder)) setTimeout(clearFolder, HELPER_GRACE_MS).unref()
    else clearFolder()
  }
}

/** Checks if the helper of the cgroup's server still runs: it has the cgroup among its arguments. */
function hasHelper(folder: string): boolean {
  return membersOf(folder).some(pid => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(folder)
    } catch {
      return false
    }
  })
}

function end(folder: string) {
  for (const pid of membersOf(folder))
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Already gone.
    }
}

function membersOf(folder: string): number[] {
  try {
    const lines = readFileSync(join(folder, 'cgroup.procs'), 'latin1').split('\n')
    // Processes of another namespace show as 0, which would mean the own process group.
    return lines.map(Number).filter(pid => pid > 0)
  } catch {
    return []
  }
}

/** Removes an empty cgroup; returns whether it is gone. */
function remove(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch (error) {
    // The helper removes it when it ends. Otherwise killed processes are still terminating; the next server removes it.
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

async function destroy(folder: string) {
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    end(folder)
    if (remove(folder)) return
    await delay(LOOK_INTERVAL_MS)
  }
}

/** Finds folders in which cgroups can be created: in the server's own cgroup of each hierarchy. */
function findCgroupFolders(): string[] {
  try {
    const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n')
    const own = readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n')
    const placed = (tree: string, mounted: (type: string, options: string[]) => boolean) => {
      const [, at] =
        mounts.map(line => line.split(' ')).find(([, , type, some]) => mounted(type!, some!.split(','))) ?? []
      const line = own.find(one => one.split(':')[1]?.split(',').includes(tree))
      return at && line ? [join(at, line.slice(line.indexOf(':', line.indexOf(':') + 1) + 1))] : []
    }
    return [
      ...placed('', type => type === 'cgroup2'),
      ...V1_HIERARCHIES.flatMap(tree => placed(tree, (type, options) => type === 'cgroup' && options.includes(tree)))
    ].filter(place => existsSync(place))
  } catch {
    return []
  }
}
