// Whether a sandbox was set up, told by bubblewrap itself: it writes down how the program ended only where that was started.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { quoteArgv } from '../../../text/shell-quote.ts'

/** The first that a sandbox inherits; that is for reading, so it is opened anew. */
const STATUS_FD = 3
const PREFIX = 'status-'

interface SetupStatus {
  /** To be inherited first of all. */
  inheritedFile: string
  /** For the prelude. */
  shellLines: readonly string[]
  /** For bubblewrap. */
  args: readonly string[]
  /** Once everything has ended: whether the program was started. Asked once. */
  hasStarted(): boolean
}

let last = 0

export function trackSetup(folder: string): SetupStatus {
  const file = path.join(folder, `${PREFIX}${process.pid}-${++last}`)
  const hasStarted = () => {
    const told = existsSync(file) ? readFileSync(file, 'utf8') : ''
    rmSync(file, { force: true })
    return told.includes('"exit-code"')
  }
  return {
    inheritedFile: '/dev/null',
    shellLines: [`exec ${STATUS_FD}>${quoteArgv([file])}`],
    args: ['--json-status-fd', String(STATUS_FD)],
    hasStarted
  }
}

/** Removes what a server that was killed had yet to ask. Only for who has the state folder: no other server is at work. */
export function removeStaleSetupStatus(folder: string) {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) if (name.startsWith(PREFIX)) rmSync(path.join(folder, name), { force: true })
}
