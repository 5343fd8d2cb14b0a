// What servers that were killed left: files half written, changes of several files half made, and changes that were made
// though their call could not record them. To be looked at when a server starts, before it changes anything itself.
import { appendFileSync, readdirSync, realpathSync, rmSync, unlinkSync } from 'node:fs'
import path from 'node:path'
import { errnoOf } from '../files/errno.ts'
import { TEMP_PREFIX } from '../files/paths.ts'
import { dropHidden, takeBack } from '../files/transaction/file-operations.ts'
import { hasHappened, inWorkspace } from '../files/transaction/interrupted-changes.ts'
import type { Change } from '../host.ts'
import { isRunning, startOf } from '../processes/pids.ts'
import { removeImageTemps } from './blob-gc.ts'
import { imagesFolder } from './undo-storage.ts'
import { type Group, type Intent, type Line, lineOf, logsFolder, readLines, type Verdict } from './wal-records.ts'
import { hasChangeLog } from './write-ahead-log.ts'

interface Leftovers {
  /** What calls had changed, by their ids, oldest first. */
  changes: ReadonlyMap<string, readonly Change[]>
  /** To be called once that is durable elsewhere. */
  forget(): void
}

/** Takes back what was half made, removes what was half written, and gives what was changed. */
export function clearLeftovers(stateDir: string): Leftovers {
  removeImageTemps(imagesFolder(stateDir))
  const logs = logsIn(logsFolder(stateDir)).filter(({ lines }) => !isInUse(lines, stateDir))
  const changes = new Map<string, Change[]>()
  for (const log of logs) {
    log.clear()
    for (const { call, changes: made } of log.happened())
      if (call !== undefined) changes.set(call, [...(changes.get(call) ?? []), ...made])
  }
  const forget = () => {
    for (const log of logs) log.remove()
  }
  return { changes, forget }
}

/** The log of a server that is gone. */
class DeadLog {
  readonly lines: readonly Line[]
  readonly #path: string
  readonly #verdicts = new Map<number, Verdict>()
  /** Something of it could not be cleared, and is tried again at the next start. */
  #stuck = false

  constructor(path: string) {
    this.#path = path
    this.lines = readLines(path)
    for (const line of this.lines) if ('of' in line) this.#verdicts.set(line.of, line.verdict)
  }

  clear() {
    for (const line of this.lines.toReversed()) if ('group' in line) this.#settle(line)
    for (const line of this.lines) if ('intent' in line) this.#decide(line)
    for (const line of this.lines) if ('temp' in line && !('root' in line) && !isGone(line.temp)) this.#stuck = true
  }

  happened(): (Intent | Group)[] {
    return this.lines.filter(
      (line): line is Intent | Group =>
        ('intent' in line && this.#verdicts.get(line.intent) === 'done') ||
        ('group' in line && this.#verdicts.get(line.group) === 'ended')
    )
  }

  remove() {
    if (!this.#stuck) rmSync(this.#path, { force: true })
  }

  #settle({ group, root, motions }: Group) {
    const verdict = this.#verdicts.get(group)
    if (verdict === 'undone') return
    const clear = verdict === undefined ? takeBack : dropHidden
    const stuck = inWorkspace(root, workspace => clear(workspace, motions))
    if (stuck && stuck.length > 0) this.#stuck = true
    else if (verdict === undefined) this.#judge(group, 'undone')
  }

  #decide(intent: Intent) {
    if (this.#verdicts.has(intent.intent)) return
    const has = inWorkspace(intent.root, workspace => hasHappened(workspace, intent))
    this.#judge(intent.intent, has ? 'done' : 'never')
  }

  /** Written down, for it cannot be seen any more once all is cleared. */
  #judge(number: number, verdict: Verdict) {
    this.#verdicts.set(number, verdict)
    appendFileSync(this.#path, lineOf({ of: number, verdict }))
  }
}

function logsIn(folder: string): DeadLog[] {
  try {
    const names = readdirSync(folder)
    // A log that was being made smaller: the old one is still whole.
    for (const name of names) if (name.endsWith('.new')) rmSync(path.join(folder, name))
    return names.filter(name => name.endsWith('.log')).map(name => new DeadLog(path.join(folder, name)))
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  }
}

// In a container a server often gets the number its predecessor had: our own number is a dead one's then, unless we have
// begun a log ourselves.
function isInUse(lines: readonly Line[], stateDir: string): boolean {
  const writer = lines.find(line => 'pid' in line)
  if (!writer) return false
  if (writer.pid === process.pid) return hasChangeLog(realpathSync(stateDir))
  return isRunning(writer.pid) && (writer.started === undefined || writer.started === startOf(writer.pid))
}

/** Nothing that does not carry our mark is ever removed. */
function isGone(temp: string): boolean {
  if (!path.basename(temp).startsWith(TEMP_PREFIX)) return true
  try {
    unlinkSync(temp)
    return true
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')
  }
}
