// What a sandboxed command may use up, and by which program around it that is set.
import { existsSync, readFileSync } from 'node:fs'
import { release } from 'node:os'
import type { Config } from '../../../config/schema.ts'
import { quoteArgv } from '../../../text/shell-quote.ts'
import { type Cgroup, type CgroupResult, Cgroups } from '../cgroups.ts'
import type { UsageLimits } from '../sandbox.ts'

type Limits = Pick<Config['sandbox'], 'memory_bytes' | 'processes' | 'cpu_seconds' | 'file_bytes' | 'open_files'>

/** How one command is bounded: lines for the prelude, and what goes before the program in the sandbox. */
interface AppliedLimits {
  shellLines: readonly string[]
  argvPrefix: readonly string[]
  /** Once everything has ended. */
  remove(): Promise<CgroupResult>
}

const PRLIMIT = ['/usr/bin/prlimit', '/bin/prlimit'].find(file => existsSync(file))
/** In which `ulimit` tells the size of a file. */
const BLOCK = 512

export class Limiter {
  /** What cannot be limited here. */
  readonly lacks: readonly string[]
  readonly #limits: Limits
  readonly #groups: Cgroups | undefined

  constructor(limits: Limits) {
    this.#limits = { ...limits, open_files: Math.min(limits.open_files, readHardLimit('Max open files')) }
    this.#groups = Cgroups.find(limits)
    this.lacks = this.#groups ? [] : lacksWithoutCgroups()
  }

  /** `own` is what one command may use up, where that is not what all may. */
  apply(own: Partial<UsageLimits> = {}): AppliedLimits {
    const limits = { ...this.#limits, ...own }
    return this.#groups ? limitByCgroup(this.#groups.make(limits), limits) : limitByPrlimit(limits)
  }
}

function limitByCgroup(group: Cgroup, { cpu_seconds, file_bytes, open_files }: Limits): AppliedLimits {
  const shellLines = [
    'ulimit -c 0',
    `ulimit -n ${open_files}`,
    `ulimit -f ${Math.ceil(file_bytes / BLOCK)}`,
    `ulimit -t ${orUnlimited(cpu_seconds)}`,
    ...group.joinFiles.map(file => `echo 0 >${quoteArgv([file])}`)
  ]
  return { shellLines, argvPrefix: [], remove: group.remove }
}

function limitByPrlimit({ cpu_seconds, file_bytes, open_files, processes }: Limits): AppliedLimits {
  const argvPrefix = PRLIMIT
    ? [
        PRLIMIT,
        '--core=0',
        `--nofile=${open_files}`,
        `--fsize=${file_bytes}`,
        `--cpu=${orUnlimited(cpu_seconds)}`,
        ...(canLimitProcesses() ? [`--nproc=${processes}`] : []),
        '--'
      ]
    : []
  return { shellLines: [], argvPrefix, remove: async () => ({ out_of_memory: false }) }
}

const orUnlimited = (limit: number) => (Number.isFinite(limit) ? String(limit) : 'unlimited')

function lacksWithoutCgroups(): string[] {
  const memory = 'a limit for memory: this user may not make control groups'
  if (!PRLIMIT) return [memory, 'limits for processes, files and processor time: there is no prlimit']
  return canLimitProcesses() ? [memory] : [memory, 'a limit for processes']
}

/** Since 5.14 the kernel counts the processes of each user namespace by itself, but none of root's. */
function canLimitProcesses(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return process.getuid?.() !== 0 && (major > 5 || (major === 5 && minor >= 14))
}

/** What nobody without more rights can go above. */
function readHardLimit(name: string): number {
  try {
    const line = readFileSync('/proc/self/limits', 'utf8')
      .split('\n')
      .find(one => one.startsWith(name))
    const [, hard] = line?.slice(name.length).trim().split(/\s+/) ?? []
    return Number(hard) || Number.POSITIVE_INFINITY
  } catch {
    return Number.POSITIVE_INFINITY
  }
}
