// Write-ahead log of file mutations: intents are logged before they become visible, so that the start after a kill can determine
// what happened, roll back partial transactions, and remove partial files. One log per process and state folder: appending a line
// costs 2 µs, one file per record 18. Only multi-file transactions wait for the disk.
import { randomBytes } from 'node:crypto'
import { closeSync, fdatasync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import nodePath from 'node:path'
import { promisify } from 'node:util'
import { toStateFolderError } from '../files/errno.ts'
import { releaseHiddenName, takeHiddenName } from '../files/hidden-names.ts'
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

/** Beyond this size the log is compacted, removing ended calls, as soon as no change is in flight. */
const MAX_LOG_BYTES = 64 * 1024
const NOT_WRITTEN = 'the change could not be recorded'
const sync = promisify(fdatasync)

export class WriteAheadLog {
  /** Checks if a call has not ended: until then its records are needed. */
  isCallOpen: (call: string) => boolean = () => false
  readonly #folder: string
  readonly #mark = randomBytes(9).toString('hex')
  /** Opened on the first append. */
  #fd: number | undefined
  #size = 0
  #compactAt = MAX_LOG_BYTES
  #count = 0
  /** Number of changes in flight. */
  #pendingChanges = 0

  constructor(stateDir: string) {
    this.#folder = walFolder(stateDir)
  }

  /** Generates a name for a temporary file in `folder` (its absolute path), logged until `endFile`. */
  beginFile(folder: string): string {
    const name = takeHiddenName()
    this.#append({ temp: nodePath.join(folder, name) })
    this.#pendingChanges++
    return name
  }

  endFile(name: string) {
    releaseHiddenName(name)
    this.#endChange()
  }

  #endChange() {
    if (--this.#pendingChanges === 0 && this.#size >= this.#compactAt) this.#compact()
  }

  /** Applies a visible change synchronously between its intent and its completion record. Returns its number. */
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

  /** Records that a visible change was reverted. */
  markReverted(number: number) {
    this.#tryAppend({ of: number, verdict: 'never' })
  }

  /** Logs a transaction and returns its number once that is durable. It is in flight until `commitGroup` or `rollBackGroup`. */
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

  /** Resolves once the commit of the group is durable. */
  async commitGroup(number: number) {
    this.#append({ of: number, verdict: 'ended' })
    await this.#sync()
    this.#endChange()
  }

  rollBackGroup(number: number) {
    this.#tryAppend({ of: number, verdict: 'undone' })
    this.#endChange()
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

  /** Appends an informational record: the change has happened, so a failure is ignored. */
  #tryAppend(line: WalRecord) {
    try {
      this.#append(line)
    } catch {}
  }

  /** Rewrites the log with only the records of open calls. */
  #compact() {
    const fresh = `${this.#path}.new`
    try {
      const fd = this.#create(fresh, filterByCalls(readRecords(this.#path), this.isCallOpen))
      renameSync(fresh, this.#path)
      closeSync(this.#fd!)
      this.#fd = fd
      this.#compactAt = Math.max(MAX_LOG_BYTES, this.#size * 2)
    } catch {
      // Without compaction the log is still valid.
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

/** Returns this process's log in a state folder. */
export function writeAheadLogFor(stateDir: string): WriteAheadLog {
  const known = logs.get(stateDir)
  if (known) return known
  const log = new WriteAheadLog(stateDir)
  logs.set(stateDir, log)
  return log
}

export const hasWriteAheadLog = (stateDir: string) => logs.has(stateDir)
