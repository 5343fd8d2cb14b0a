// Finds processes left by a server's commands, by Linux's list of processes.
import { readdirSync, readFileSync } from 'node:fs'
import { execaSync } from 'execa'

const CALL_ID_MARK = /(?:^|\0)TOOL_CALL_ID=([^\0/]+)/

export class OrphanTracker {
  /** Ids of calls: a process with one in its environment belongs to that call. */
  readonly calls = new Set<string>()
  readonly #marker: string
  readonly #remembered = new Set<number>()

  /** Processes with the marker among their arguments are ours too. */
  constructor(marker: string) {
    this.#marker = marker
  }

  /** Returns our running processes. */
  findMarked(): string[] {
    return processes().flatMap(pid => {
      const ours =
        readProcFile(pid, 'cmdline').includes(this.#marker) ||
        this.calls.has(CALL_ID_MARK.exec(readProcFile(pid, 'environ'))?.[1] ?? '')
      return ours && readStat(pid)?.state !== 'Z' ? [describeProcess(pid)] : []
    })
  }

  /** Records our current processes, including the server's helpers, for a later check. */
  remember(server: number) {
    for (const text of this.findMarked()) this.#remembered.add(Number.parseInt(text, 10))
    for (const pid of descendants(server)) this.#remembered.add(pid)
  }

  /** Returns recorded processes that run, or are zombies whose parent runs and does not reap them. */
  findSurvivors(): string[] {
    return [...this.#remembered].filter(pid => readStat(pid) !== undefined && !isLeftToInit(pid)).map(describeProcess)
  }

  /** Counts recorded zombies that the init process is slow to reap, or never reaps. */
  countLeftToInit(): number {
    return [...this.#remembered].filter(isLeftToInit).length
  }

  findZombies(server: number): string[] {
    return descendants(server).filter(isZombie).map(describeProcess)
  }
}

/** Returns the control groups of these servers: one in which all commands start, and one for each sandboxed command. */
export function listCgroups(servers: readonly number[]): string[] {
  const names = servers.flatMap(pid => ['-o', '-name', `toolgate-*-${pid}-*`]).slice(1)
  const options = { lines: true, reject: false } as const
  return execaSync('find', ['/sys/fs/cgroup', '-type', 'd', '(', ...names, ')'], options).stdout
}

/** Returns whether a group exists as long as its server. */
export const isPermanentCgroup = (group: string) => group.includes('/toolgate-commands-')

function descendants(server: number): number[] {
  const parents = new Map(processes().map(pid => [pid, readStat(pid)?.parent]))
  const found = [server]
  for (const one of found) for (const [pid, parent] of parents) if (parent === one) found.push(pid)
  return found
}

const processes = () => readdirSync('/proc').map(Number).filter(Boolean)
const isZombie = (pid: number) => readStat(pid)?.state === 'Z'
/** Its parent was killed: only the init process can reap it. */
const isLeftToInit = (pid: number) => isZombie(pid) && readStat(pid)?.parent === 1

function describeProcess(pid: number) {
  const { name, state, parent } = readStat(pid) ?? {}
  return `${pid} ${name} (${state}) of ${parent}: ${readProcFile(pid, 'cmdline').replaceAll('\0', ' ').slice(0, 200)}`
}

function readStat(pid: number): { name: string; state: string; parent: number } | undefined {
  const stat = readProcFile(pid, 'stat')
  const end = stat.lastIndexOf(')')
  const [state = '', parent] = stat.slice(end + 2).split(' ')
  return stat === '' ? undefined : { name: stat.slice(stat.indexOf('(') + 1, end), state, parent: Number(parent) }
}

/** Empty if the process has ended or is not readable. */
function readProcFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1')
  } catch {
    return ''
  }
}
