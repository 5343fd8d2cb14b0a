// The names of files being written, kept outside the workspace, so that the start after a kill can remove what the
// killed server left. One log for each process and state folder: appending a line costs 2 µs, a file for each name 18.

import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeSync
} from 'node:fs'
import nodePath from 'node:path'
import { errnoOf } from './errno.ts'
import { TEMP_PREFIX } from './paths.ts'

/** Past this size the log is emptied as soon as nothing is being written. */
const LOG_LIMIT = 64 * 1024

export class Temps {
  readonly #fd: number
  readonly #mark = randomBytes(9).toString('hex')
  #count = 0
  #open = 0
  #size = 0

  constructor(stateDir: string) {
    const folder = logsFolder(stateDir)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#fd = openSync(nodePath.join(folder, `${process.pid}-${this.#mark}.log`), 'ax', 0o600)
  }

  /** A fresh name for a file in `folder` (its absolute path), remembered until `end`. */
  begin(folder: string): string {
    const name = `${TEMP_PREFIX}${this.#mark}-${++this.#count}`
    this.#size += writeSync(this.#fd, `${JSON.stringify(nodePath.join(folder, name))}\n`)
    this.#open++
    return name
  }

  end() {
    if (--this.#open > 0 || this.#size < LOG_LIMIT) return
    ftruncateSync(this.#fd)
    this.#size = 0
  }
}

const logs = new Map<string, Temps>()

/** This process's log in a state folder. */
export function tempsOf(stateDir: string): Temps {
  const known = logs.get(stateDir)
  if (known) return known
  const temps = new Temps(stateDir)
  logs.set(stateDir, temps)
  return temps
}

/** Removes what servers that are gone left half written. To be called at start, before the first write. */
export function sweepTemps(stateDir: string): void {
  const folder = logsFolder(stateDir)
  for (const log of namesIn(folder)) {
    if (isInUse(Number.parseInt(log, 10), stateDir)) continue
    const path = nodePath.join(folder, log)
    const kept = readFileSync(path, 'utf8')
      .split('\n')
      .filter(isTemp)
      .filter(line => !isGone(JSON.parse(line)))
    rmSync(path)
    if (kept.length > 0) appendFileSync(path, `${kept.join('\n')}\n`, { mode: 0o600 })
  }
}

const logsFolder = (stateDir: string) => nodePath.join(stateDir, 'temps')

function namesIn(folder: string) {
  try {
    return readdirSync(folder).filter(name => /^\d+-[0-9a-f]+\.log$/.test(name))
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  }
}

// In a container a server often gets the number its predecessor had: our own number is a dead one's
// then, unless we have begun a log ourselves.
function isInUse(pid: number, stateDir: string) {
  if (pid === process.pid) return logs.has(stateDir)
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errnoOf(error) === 'EPERM'
  }
}

// The last line may be torn. Nothing that does not carry our mark is ever removed.
function isTemp(line: string) {
  try {
    const path: unknown = JSON.parse(line)
    return typeof path === 'string' && nodePath.basename(path).startsWith(TEMP_PREFIX)
  } catch {
    return false
  }
}

function isGone(path: string) {
  try {
    unlinkSync(path)
    return true
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')
  }
}
