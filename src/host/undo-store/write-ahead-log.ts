// What is about to happen to files, written down before it shows, so that the start after a kill knows what happened, can
// take back what was left half done, and can remove what was still being written. One log for each process and state
// folder: appending a line costs 2 µs, a file for each 18. Only what belongs to several files at once waits for the disk.
import { randomBytes } from 'node:crypto'
import { closeSync, fdatasync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import nodePath from 'node:path'
import { promisify } from 'node:util'
import { toStateFolderError } from '../files/errno.ts'
import { TEMP_PREFIX } from '../files/paths.ts'
import { processStartTime } from '../processes/pids.ts'
import {
  type ChangeGroup,
  type ChangeIntent,
  encodeRecord,
  filterByCalls,
  readRecords,
  type WalRecord,
  walFolder
} from './wal-records.ts'

/** Past this size the log is cleared of calls that have ended, as soon as nothing is under way. */
const MAX_LOG_BYTES = 64 * 1024
const NOT_WRITTEN = 'it could not be written down'
const sync = promisify(fdatasync)

export class WriteAheadLog {
  /** Whether a call has not ended: until then it must be known what it did. */
  isCallOpen: (call: string) => boolean = () => false
  readonly #folder: string
  readonly #mark = randomBytes(9).toString('hex')
  /** Opened by the first line. */
  #fd: number | undefined
  #size = 0
  #compactAt = MAX_LOG_BYTES
  #count = 0
  /** How many changes are under way. */
  #pendingChanges = 0

  constructor(stateDir: string) {
    this.#folder = walFolder(stateDir)
  }

  /** A fresh hidden name. */
  newHiddenName(): string {
    return `${TEMP_PREFIX}${this.#mark}-${++this.#count}`
  }

  /** A fresh name for a file in `folder` (its absolute path), remembered until `endFile`. */
  beginFile(folder: string): string {
    const name = this.newHiddenName()
    this.#append({ temp: nodePath.join(folder, name) })
    this.#pendingChanges++
    return name
  }

  endFile() {
    if (--this.#pendingChanges === 0 && this.#size >= this.#compactAt) this.#compact()
  }

  /** Does at once what makes changes show, between the word that it will and the word that it has. Gives their number. */
  logAndApply(intent: Omit<ChangeIntent, 'intent'>, act: () => void): number {
    const number = ++this.#count
    this.#append({ intent: number, ...intent })
    try {
      act()
    } catch (error) {
      this.markReverted(number)
      throw error
    }
    this.#tryAppend({ of: number, verdict: 'done' })
    return number
  }

  /** What has shown was taken back. */
  markReverted(number: number) {
    this.#tryAppend({ of: number, verdict: 'never' })
  }

  /** Writes down a change of several paths, and gives its number once that is durable. It is under way until it is told
   * to have `commitGroup` or to be `rollBackGroup`. */
  async beginGroup(group: Omit<ChangeGroup, 'group'>): Promise<number> {
    const number = ++this.#count
    this.#pendingChanges++
    try {
      this.#append({ group: number, ...group })
      await this.#sync()
      return number
    } catch (error) {
      this.rollBackGroup(number)
      throw error
    }
  }

  /** Resolves once it is durable that all of a group has happened. */
  async commitGroup(number: number) {
    this.#append({ of: number, verdict: 'ended' })
    await this.#sync()
    this.endFile()
  }

  rollBackGroup(number: number) {
    this.#tryAppend({ of: number, verdict: 'undone' })
    this.endFile()
  }

  #append(line: WalRecord) {
    try {
      this.#fd ??= this.#create(this.#path, [])
      this.#size += write(this.#fd, encodeRecord(line))
    } catch (error) {
      throw toStateFolderError(error, NOT_WRITTEN)
    }
  }

  async #sync() {
    await sync(this.#fd!).catch(error => {
      throw toStateFolderError(error, NOT_WRITTEN)
    })
  }

  /** Appends what is only told: it has happened, and that cannot fail any more. */
  #tryAppend(line: WalRecord) {
    try {
      this.#append(line)
    } catch {}
  }

  /** Keeps only what calls did that have not ended. */
  #compact() {
    const fresh = `${this.#path}.new`
    try {
      const fd = this.#create(fresh, filterByCalls(readRecords(this.#path), this.isCallOpen))
      renameSync(fresh, this.#path)
      closeSync(this.#fd!)
      this.#fd = fd
      this.#compactAt = Math.max(MAX_LOG_BYTES, this.#size * 2)
    } catch {
      // A log that cannot be made smaller is still a log.
      rmSync(fresh, { force: true })
      this.#compactAt = this.#size * 2
    }
  }

  get #path() {
    return nodePath.join(this.#folder, `${process.pid}-${this.#mark}.log`)
  }

  #create(path: string, lines: WalRecord[]): number {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const started = processStartTime(process.pid)
    const text = [{ pid: process.pid, ...(started !== undefined && { started }) }, ...lines].map(encodeRecord).join('')
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

const logs = new Map<string, WriteAheadLog>()

/** This process's log in a state folder. */
export function writeAheadLogFor(stateDir: string): WriteAheadLog {
  const known = logs.get(stateDir)
  if (known) return known
  const log = new WriteAheadLog(stateDir)
  logs.set(stateDir, log)
  return log
}

export const hasWriteAheadLog = (stateDir: string) => logs.has(stateDir)
