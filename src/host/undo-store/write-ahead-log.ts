// What is about to happen to files, written down before it shows, so that the start after a kill knows what happened, can
// take back what was left half done, and can remove what was still being written. One log for each process and state
// folder: appending a line costs 2 µs, a file for each 18. Only what belongs to several files at once waits for the disk.
import { randomBytes } from 'node:crypto'
import { closeSync, fdatasync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import nodePath from 'node:path'
import { promisify } from 'node:util'
import { explainState } from '../files/errno.ts'
import { TEMP_PREFIX } from '../files/paths.ts'
import { startOf } from '../processes/pids.ts'
import { type Group, type Intent, type Line, lineOf, logsFolder, ofCalls, readLines } from './wal-records.ts'

/** Past this size the log is cleared of calls that have ended, as soon as nothing is under way. */
const LOG_LIMIT = 64 * 1024
const UNWRITTEN = 'it could not be written down'
const sync = promisify(fdatasync)

export class ChangeLog {
  /** Whether a call has not ended: until then it must be known what it did. */
  isOpen: (call: string) => boolean = () => false
  readonly #folder: string
  readonly #mark = randomBytes(9).toString('hex')
  /** Opened by the first line. */
  #fd: number | undefined
  #size = 0
  #limit = LOG_LIMIT
  #count = 0
  /** How many changes are under way. */
  #open = 0

  constructor(stateDir: string) {
    this.#folder = logsFolder(stateDir)
  }

  /** A fresh hidden name. */
  name(): string {
    return `${TEMP_PREFIX}${this.#mark}-${++this.#count}`
  }

  /** A fresh name for a file in `folder` (its absolute path), remembered until `end`. */
  begin(folder: string): string {
    const name = this.name()
    this.#append({ temp: nodePath.join(folder, name) })
    this.#open++
    return name
  }

  end() {
    if (--this.#open === 0 && this.#size >= this.#limit) this.#clear()
  }

  /** Does at once what makes changes show, between the word that it will and the word that it has. Gives their number. */
  happen(intent: Omit<Intent, 'intent'>, act: () => void): number {
    const number = ++this.#count
    this.#append({ intent: number, ...intent })
    try {
      act()
    } catch (error) {
      this.never(number)
      throw error
    }
    this.#tell({ of: number, verdict: 'done' })
    return number
  }

  /** What has shown was taken back. */
  never(number: number) {
    this.#tell({ of: number, verdict: 'never' })
  }

  /** Writes down a change of several paths, and gives its number once that is durable. It is under way until it is told
   * to have `ended` or to be `undone`. */
  async group(group: Omit<Group, 'group'>): Promise<number> {
    const number = ++this.#count
    this.#open++
    try {
      this.#append({ group: number, ...group })
      await this.#sync()
      return number
    } catch (error) {
      this.undone(number)
      throw error
    }
  }

  /** Resolves once it is durable that all of a group has happened. */
  async ended(number: number) {
    this.#append({ of: number, verdict: 'ended' })
    await this.#sync()
    this.end()
  }

  undone(number: number) {
    this.#tell({ of: number, verdict: 'undone' })
    this.end()
  }

  #append(line: Line) {
    try {
      this.#fd ??= this.#create(this.#path, [])
      this.#size += write(this.#fd, lineOf(line))
    } catch (error) {
      throw explainState(error, UNWRITTEN)
    }
  }

  async #sync() {
    await sync(this.#fd!).catch(error => {
      throw explainState(error, UNWRITTEN)
    })
  }

  /** Appends what is only told: it has happened, and that cannot fail any more. */
  #tell(line: Line) {
    try {
      this.#append(line)
    } catch {}
  }

  /** Keeps only what calls did that have not ended. */
  #clear() {
    const fresh = `${this.#path}.new`
    try {
      const fd = this.#create(fresh, ofCalls(readLines(this.#path), this.isOpen))
      renameSync(fresh, this.#path)
      closeSync(this.#fd!)
      this.#fd = fd
      this.#limit = Math.max(LOG_LIMIT, this.#size * 2)
    } catch {
      // A log that cannot be made smaller is still a log.
      rmSync(fresh, { force: true })
      this.#limit = this.#size * 2
    }
  }

  get #path() {
    return nodePath.join(this.#folder, `${process.pid}-${this.#mark}.log`)
  }

  #create(path: string, lines: Line[]): number {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const started = startOf(process.pid)
    const text = [{ pid: process.pid, ...(started !== undefined && { started }) }, ...lines].map(lineOf).join('')
    const fd = openSync(path, 'ax', 0o600)
    this.#size = write(fd, text)
    return fd
  }
}

function write(fd: number, text: string): number {
  const bytes = Buffer.from(text)
  if (writeSync(fd, bytes) === bytes.length) return bytes.length
  throw Object.assign(new Error('short write'), { code: 'ENOSPC' })
}

const logs = new Map<string, ChangeLog>()

/** This process's log in a state folder. */
export function changeLogOf(stateDir: string): ChangeLog {
  const known = logs.get(stateDir)
  if (known) return known
  const log = new ChangeLog(stateDir)
  logs.set(stateDir, log)
  return log
}

export const hasChangeLog = (stateDir: string) => logs.has(stateDir)
