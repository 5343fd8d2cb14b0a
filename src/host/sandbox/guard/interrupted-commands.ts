// Records the guarded entries at the start of each command, until it has ended. Commands end with a killed server, but the files
// they left do not; from the records the next server determines which those are, and by when the commands had ended.

import { rmSync, utimesSync } from 'node:fs'
import path from 'node:path'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from '../../files/byte-path-fs.ts'
import { errnoOf } from '../../files/errno.ts'

/** Access of a command with write access, as its guard has it. */
type RecordedAccess = 'writes-ordinary' | 'writes' | 'writes-all'

/** Commands of a killed server. */
interface InterruptedState {
  /** The access that guards most, of those that they had. */
  access: RecordedAccess
  /** Guarded entries when all of them had begun. */
  identities: ReadonlySet<string>
  /** Latest time, in milliseconds, at which they had ended. */
  endedBy: number
  /** Call once their files are dealt with. */
  forget(): void
}

interface CommandStart {
  identities: readonly string[]
  access: RecordedAccess
}

interface StartRecord extends CommandStart {
  file: string
  root: string
  /** Time of the server's last sign of life. */
  lastSeenMs: number
}

/**
 * Interval in which records are touched while commands run. If a server was blocked for longer than the grace time and then
 * killed, an entry made by its command may not be attributed to it.
 */
const TOUCH_INTERVAL_MS = 10_000
const GRACE_MS = 120_000

export class InterruptedCommands {
  readonly #folder: string
  /** Records of previous servers. */
  #interrupted: StartRecord[] | undefined
  readonly #running = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #last = 0

  /** `folder` belongs to one server at a time. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** Records a start; returns a function to call when the command has ended and nothing of it is left. */
  recordStart(root: string, { identities, access }: CommandStart): () => void {
    this.#interrupted ??= readRecords(this.#folder)
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const file = path.join(this.#folder, `${process.pid}-${Date.now()}-${++this.#last}`)
    writeFileSync(file, JSON.stringify({ root, identities, access }), { mode: 0o600 })
    this.#running.add(file)
    this.#timer ??= setInterval(() => this.#touchRecords(), TOUCH_INTERVAL_MS).unref()
    return () => {
      rmSync(file, { force: true })
      this.#running.delete(file)
      if (this.#running.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  /** Returns the interrupted commands of a workspace; undefined if all ended. */
  findInterrupted(root: string): InterruptedState | undefined {
    this.#interrupted ??= readRecords(this.#folder)
    const left = this.#interrupted.filter(one => one.root === root)
    const [first, ...others] = left
    if (!first) return undefined
    const all = others.map(({ identities }) => new Set(identities))
    return {
      access: left.some(({ access }) => access === 'writes-ordinary') ? 'writes-ordinary' : 'writes',
      identities: new Set(first.identities.filter(one => all.every(set => set.has(one)))),
      endedBy: Math.max(...left.map(({ lastSeenMs }) => lastSeenMs)) + GRACE_MS,
      forget: () => {
        for (const { file } of left) rmSync(file, { force: true })
      }
    }
  }

  #touchRecords() {
    const now = new Date()
    for (const file of this.#running)
      try {
        utimesSync(file, now, now)
      } catch {
        // The state folder is gone or not writable: then no later server reads it.
      }
  }
}

function readRecords(folder: string): StartRecord[] {
  try {
    return readdirSync(folder)
      .map(name => readRecord(path.join(folder, name)))
      .filter(one => one !== undefined)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  }
}

/** An incomplete record belongs to a command that had not begun. */
function readRecord(file: string): StartRecord | undefined {
  try {
    const { root, identities, access = 'writes' } = JSON.parse(readFileSync(file, 'utf8')) as StartRecord
    return { file, root, identities, access, lastSeenMs: statSync(file).mtimeMs }
  } catch {
    rmSync(file, { force: true })
    return undefined
  }
}
