// What was guarded as each command began, written down until it has ended. A server that is killed takes its commands with
// it, but not what they left; the next one knows by this what that is, and by when they were gone.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { errnoOf } from '../../files/errno.ts'

/** Commands of a server that was killed. */
interface Left {
  /** What was guarded when all of them had begun. */
  identities: ReadonlySet<string>
  /** When they were gone at the latest, in milliseconds. */
  gone_by: number
  /** To be called once what they left is dealt with. */
  forget(): void
}

interface Beginning {
  file: string
  root: string
  identities: string[]
  /** When its server was last seen to live. */
  seen: number
}

/** While commands run, that is noted so often. A server that was held up for longer than the grace and then killed may
 * have had a command make something that is not taken for its work. */
const NOTE_MS = 10_000
const GRACE_MS = 120_000

export class Unfinished {
  readonly #folder: string
  /** Of servers before this one. */
  #left: Beginning[] | undefined
  readonly #running = new Set<string>()
  #noting: NodeJS.Timeout | undefined
  #last = 0

  /** `folder` belongs to one server at a time. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** Gives what says that the command has ended, and nothing of it is left. */
  began(root: string, identities: readonly string[]): () => void {
    this.#left ??= beginningsIn(this.#folder)
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    const file = path.join(this.#folder, `${process.pid}-${Date.now()}-${++this.#last}`)
    writeFileSync(file, JSON.stringify({ root, identities }), { mode: 0o600 })
    this.#running.add(file)
    this.#noting ??= setInterval(() => this.#note(), NOTE_MS).unref()
    return () => {
      rmSync(file, { force: true })
      this.#running.delete(file)
      if (this.#running.size > 0) return
      clearInterval(this.#noting)
      this.#noting = undefined
    }
  }

  /** Of the commands in a workspace that did not end; undefined where all did. */
  left(root: string): Left | undefined {
    this.#left ??= beginningsIn(this.#folder)
    const left = this.#left.filter(one => one.root === root)
    const [first, ...others] = left
    if (!first) return undefined
    const all = others.map(({ identities }) => new Set(identities))
    return {
      identities: new Set(first.identities.filter(one => all.every(set => set.has(one)))),
      gone_by: Math.max(...left.map(({ seen }) => seen)) + GRACE_MS,
      forget: () => {
        for (const { file } of left) rmSync(file, { force: true })
      }
    }
  }

  #note() {
    const now = new Date()
    for (const file of this.#running)
      try {
        utimesSync(file, now, now)
      } catch {
        // The state folder is gone, or cannot be written: then nobody looks there later.
      }
  }
}

function beginningsIn(folder: string): Beginning[] {
  try {
    return readdirSync(folder)
      .map(name => read(path.join(folder, name)))
      .filter(one => one !== undefined)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  }
}

/** A beginning that was not written whole is of a command that had not begun. */
function read(file: string): Beginning | undefined {
  try {
    const { root, identities } = JSON.parse(readFileSync(file, 'utf8')) as Pick<Beginning, 'root' | 'identities'>
    return { file, root, identities, seen: statSync(file).mtimeMs }
  } catch {
    rmSync(file, { force: true })
    return undefined
  }
}
