// What was guarded as each command began, written down until it has ended. A server that is killed takes its commands with
// it, but not what they left; the next one knows by this what that is, and by when they were gone.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { errnoOf } from '../../files/errno.ts'

/** Commands of a server that was killed. */
interface InterruptedState {
  /** What was guarded when all of them had begun. */
  identities: ReadonlySet<string>
  /** When they were gone at the latest, in milliseconds. */
  endedBy: number
  /** To be called once what they left is dealt with. */
  forget(): void
}

interface StartRecord {
  file: string
  root: string
  identities: string[]
  /** When its server was last seen to live. */
  lastSeenMs: number
}

/** While commands run, that is noted so often. A server that was held up for longer than the grace and then killed may
 * have had a command make something that is not taken for its work. */
const TOUCH_INTERVAL_MS = 10_000
const GRACE_MS = 120_000

export class InterruptedCommands {
  readonly #folder: string
  /** Of servers before this one. */
  #interrupted: StartRecord[] | undefined
  readonly #running = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #last = 0

  /** `folder` belongs to one server at a time. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** Gives what says that the command has ended, and nothing of it is left. */
  recordStart(root: string, identities: readonly string[]): () => void {
    this.#interrupted ??= readRecords(this.#folder)
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const file = path.join(this.#folder, `${process.pid}-${Date.now()}-${++this.#last}`)
    writeFileSync(file, JSON.stringify({ root, identities }), { mode: 0o600 })
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

  /** Of the commands in a workspace that did not end; undefined where all did. */
  findInterrupted(root: string): InterruptedState | undefined {
    this.#interrupted ??= readRecords(this.#folder)
    const left = this.#interrupted.filter(one => one.root === root)
    const [first, ...others] = left
    if (!first) return undefined
    const all = others.map(({ identities }) => new Set(identities))
    return {
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
        // The state folder is gone, or cannot be written: then nobody looks there later.
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

/** A beginning that was not written whole is of a command that had not begun. */
function readRecord(file: string): StartRecord | undefined {
  try {
    const { root, identities } = JSON.parse(readFileSync(file, 'utf8')) as Pick<StartRecord, 'root' | 'identities'>
    return { file, root, identities, lastSeenMs: statSync(file).mtimeMs }
  } catch {
    rmSync(file, { force: true })
    return undefined
  }
}
