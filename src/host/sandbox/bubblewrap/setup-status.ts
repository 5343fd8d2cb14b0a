// Detects if a sandbox was set up, from bubblewrap's status: it writes the program's exit code only if the program was started.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { quoteArgv } from '../../../text/shell-quote.ts'

/** The first descriptor that a sandbox inherits; it is open for reading, so it is reopened. */
const STATUS_FD = 3
const PREFIX = 'status-'

interface SetupStatus {
  /** File to be inherited first of all. */
  inheritedFile: string
  /** Lines for the prelude. */
  shellLines: readonly string[]
  /** Arguments for bubblewrap. */
  args: readonly string[]
  /** Returns true if the program has replaced the sandbox's own one, or has ended. */
  hasBegun(): boolean
  /** Returns true if the program was started. Call once, after everything has ended. */
  hasStarted(): boolean
}

let last = 0

export function trackSetup(folder: string): SetupStatus {
  const file = path.join(folder, `${PREFIX}${process.pid}-${++last}`)
  const hasStarted = () => {
    const status = existsSync(file) ? readFileSync(file, 'utf8') : ''
    rmSync(file, { force: true })
    return status.includes('"exit-code"')
  }
  const hasBegun = () => {
    const status = existsSync(file) ? readFileSync(file, 'utf8') : ''
    const init = /"child-pid": *(\d+)/.exec(status)?.[1]
    return status.includes('"exit-code"') || (init !== undefined && startedPrograms(init).length > 0)
  }
  return {
    inheritedFile: '/dev/null',
    shellLines: [`exec ${STATUS_FD}>${quoteArgv([file])}`],
    args: ['--json-status-fd', String(STATUS_FD)],
    hasBegun,
    hasStarted
  }
}

/** Returns the children of the first process of a sandbox that are no longer bubblewrap itself. */
function startedPrograms(init: string): string[] {
  try {
    const children = readFileSync(`/proc/${init}/task/${init}/children`, 'utf8').trim().split(' ').filter(Boolean)
    return children.filter(pid => readFileSync(`/proc/${pid}/comm`, 'utf8').trim() !== 'bwrap')
  } catch {
    return []
  }
}

/** Name prefix of policies, to which the launcher for Landlock appends its reports. */
export const POLICY_PREFIX = 'confined-'
/** Name prefix of files with arguments for bubblewrap. */
export const ARGUMENTS_PREFIX = 'arguments-'

/** Name prefix of copies of folders in which what a command writes is discarded. */
export const DISCARDED_PREFIX = 'discarded-'

const RUN_FILE_PREFIXES = [PREFIX, POLICY_PREFIX, ARGUMENTS_PREFIX, DISCARDED_PREFIX]

/** Removes the files that runs of a killed server have left. Requires exclusive use of the state folder. */
export function removeStaleRunFiles(folder: string) {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder))
    if (RUN_FILE_PREFIXES.some(prefix => name.startsWith(prefix)))
      rmSync(path.join(folder, name), { recursive: true, force: true })
}
