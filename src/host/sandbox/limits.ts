// Resource limits of a sandboxed command, and how its wrapper program sets each.
import { existsSync, readFileSync } from 'node:fs'
import { release } from 'node:os'
import type { Config } from '../../config/schema.ts'
import { quoteArgv } from '../../text/shell-quote.ts'
import { type Cgroup, type CgroupResult, Cgroups } from './cgroups.ts'
import type { UsageLimits } from './sandbox.ts'

type Limits = Pick<Config['sandbox'], 'memory_bytes' | 'processes' | 'cpu_seconds' | 'file_bytes' | 'open_files'>

/** Limits of one command. */
interface AppliedLimits {
  /** Lines for the prelude, and arguments before the program in the sandbox, that set them. */
  shellLines: readonly string[]
  argvPrefix: readonly string[]
  /** Limits of each process, as numbers; Infinity for none. */
  perProcess: Readonly<Record<'core' | 'cpu' | 'fsize' | 'nofile', number>>
  /** A single-threaded process joins the command's control group by writing 0 into each of these. */
  joinFiles: readonly string[]
  /** Releases the limits once everything has ended. */
  remove(): Promise<CgroupResult>
}

const PRLIMIT = ['/usr/bin/prlimit', '/bin/prlimit'].find(file => existsSync(file))
/** Unit in bytes in which `ulimit` expresses file sizes. */
const BLOCK = 512

export class Limiter {
  /** Limits that are unavailable here. */
  readonly lacks: readonly string[]
  readonly #limits: Limits
  readonly #groups: Cgroups | undefined

  constructor(limits: Limits) {
    this.#limits = { ...limits, open_files: Math.min(limits.open_files, readHardLimit('Max open files')) }
    this.#groups = Cgroups.find(limits)
    this.lacks = this.#groups ? [] : lacksWithoutCgroups()
  }

  /** `own` overrides the default limits for one command. */
  apply(own: Partial<UsageLimits> = {}): AppliedLimits {
    const { open_files = Number.POSITIVE_INFINITY } = own
    const limits = { ...this.#limits, ...own, open_files: Math.min(this.#limits.open_files, open_files) }
    const perProcess = { core: 0, cpu: limits.cpu_seconds, fsize: limits.file_bytes, nofile: limits.open_files }
    const byWrapper = this.#groups ? limitByCgroup(this.#groups.make(limits), limits) : limitByPrlimit(limits)
    return { joinFiles: [], ...byWrapper, perProcess }
  }
}

type LimitsByWrapper = Omit<AppliedLimits, 'joinFiles' | 'perProcess'> & Partial<Pick<AppliedLimits, 'joinFiles'>>

function limitByCgroup(group: Cgroup, { cpu_seconds, file_bytes, open_files }: Limits): LimitsByWrapper {
  const shellLines = [
    'ulimit -c 0',
    `ulimit -n ${open_files}`,
    `ulimit -f ${Math.ceil(file_bytes / BLOCK)}`,
    `ulimit -t ${orUnlimited(cpu_seconds)}`,
    ...group.joinFiles.map(file => `echo 0 >${quoteArgv([file])}`)
  ]
  return { shellLines, argvPrefix: [], joinFiles: group.joinFiles, remove: group.remove }
}

function limitByPrlimit({ cpu_seconds, file_bytes, open_files, processes }: Limits): LimitsByWrapper {
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
  const memory = 'a memory limit: this user cannot create control groups'
  if (!PRLIMIT) return [memory, 'limits for processes, files and CPU time: prlimit is missing']
  return canLimitProcesses() ? [memory] : [memory, 'a limit for processes']
}

/** Since 5.14 the kernel counts the processes of each user namespace separately, but not those of root. */
function canLimitProcesses(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return process.getuid?.() !== 0 && (major > 5 || (major === 5 && minor >= 14))
}

/** Returns the hard limit, which an unprivileged process cannot exceed. */
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
