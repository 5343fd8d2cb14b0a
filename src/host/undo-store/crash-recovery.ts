// Crash recovery: removes partial files, rolls back partial transactions, and reports changes that killed servers applied but
// could not record for their calls. Runs when a server starts, before it changes anything itself.

import { appendFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { Change } from '../change.ts'
import { readdirSync, realpathSync, unlinkSync } from '../files/byte-path-fs.ts'
import { errnoOf } from '../files/errno.ts'
import { TEMP_PREFIX } from '../files/hidden-names.ts'
import { removeHidden, rollBack } from '../files/transaction/file-operations.ts'
import { wasApplied, withWorkspace } from '../files/transaction/interrupted-changes.ts'
import { isProcessRunning, processStartTime } from '../processes/pids.ts'
import { removeBlobTemps } from './blob-gc.ts'
import { blobsFolder } from './undo-storage.ts'
import {
  type ChangeGroup,
  type ChangeIntent,
  type ChangeOutcome,
  encodeRecord,
  readRecords,
  type WalRecord,
  walFolder
} from './wal-records.ts'
import { hasWriteAheadLog } from './write-ahead-log.ts'

interface RecoveredChanges {
  /** Recovered changes by call id, oldest first. */
  changes: ReadonlyMap<string, readonly Change[]>
  /** Discards the recovered logs. Call once the changes are durable elsewhere. */
  forget(): void
}

/** Rolls back partial transactions, removes partial files, and returns the changes that were applied. */
export function recoverInterruptedWrites(stateDir: string): RecoveredChanges {
  removeBlobTemps(blobsFolder(stateDir))
  const logs = staleLogsIn(walFolder(stateDir)).filter(({ lines }) => !isInUse(lines, stateDir))
  const changes = new Map<string, Change[]>()
  for (const log of logs) {
    log.recover()
    for (const { call, changes: made } of log.applied())
      if (call !== undefined) changes.set(call, [...(changes.get(call) ?? []), ...made])
  }
  const forget = () => {
    for (const log of logs) log.remove()
  }
  return { changes, forget }
}

/** The log of a terminated server. */
class StaleLog {
  readonly lines: readonly WalRecord[]
  readonly #path: string
  readonly #outcomes = new Map<number, ChangeOutcome>()
  /** Something could not be cleaned up; the next start retries. */
  #isIncomplete = false

  constructor(path: string) {
    this.#path = path
    this.lines = readRecords(path)
    for (const line of this.lines) if ('of' in line) this.#outcomes.set(line.of, line.verdict)
  }

  recover() {
    for (const line of this.lines.toReversed()) if ('group' in line) this.#recoverGroup(line)
    for (const line of this.lines) if ('intent' in line) this.#recoverIntent(line)
    for (const line of this.lines)
      if ('temp' in line && !('root' in line) && !tryRemoveTemp(line.temp)) this.#isIncomplete = true
  }

  applied(): (ChangeIntent | ChangeGroup)[] {
    return this.lines.filter(
      (line): line is ChangeIntent | ChangeGroup =>
        ('intent' in line && this.#outcomes.get(line.intent) === 'done') ||
        ('group' in line && this.#outcomes.get(line.group) === 'ended')
    )
  }

  remove() {
    if (!this.#isIncomplete) rmSync(this.#path, { force: true })
  }

  #recoverGroup({ group, root, motions }: ChangeGroup) {
    const verdict = this.#outcomes.get(group)
    if (verdict === 'undone') return
    const clear = verdict === undefined ? rollBack : removeHidden
    const stuck = withWorkspace(root, workspace => clear(workspace, motions))
    if (stuck && stuck.length > 0) this.#isIncomplete = true
    else if (verdict === undefined) this.#recordOutcome(group, 'undone')
  }

  #recoverIntent(intent: ChangeIntent) {
    if (this.#outcomes.has(intent.intent)) return
    const has = withWorkspace(intent.root, workspace => wasApplied(workspace, intent))
    this.#recordOutcome(intent.intent, has ? 'done' : 'never')
  }

  /** Records the outcome, since it can no longer be determined after the cleanup. */
  #recordOutcome(number: number, verdict: ChangeOutcome) {
    this.#outcomes.set(number, verdict)
    appendFileSync(this.#path, encodeRecord({ of: number, verdict }))
  }
}

function staleLogsIn(folder: string): StaleLog[] {
  try {
    const names = readdirSync(folder)
    // Removes an interrupted log compaction: the old log is still complete.
    for (const name of names) if (name.endsWith('.new')) rmSync(path.join(folder, name))
    return names.filter(name => name.endsWith('.log')).map(name => new StaleLog(path.join(folder, name)))
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  }
}

// In a container a server often gets its predecessor's pid: a log with the own pid is then stale, unless this process has begun
// one itself.
function isInUse(lines: readonly WalRecord[], stateDir: string): boolean {
  const writer = lines.find(line => 'pid' in line)
  if (!writer) return false
  if (writer.pid === process.pid) return hasWriteAheadLog(realpathSync(stateDir))
  return (
    isProcessRunning(writer.pid) && (writer.started === undefined || writer.started === processStartTime(writer.pid))
  )
}

/** Only names with the server's prefix are ever removed. */
function tryRemoveTemp(temp: string): boolean {
  if (!path.basename(temp).startsWith(TEMP_PREFIX)) return true
  try {
    unlinkSync(temp)
    return true
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')
  }
}
