// What of a workspace a sandboxed command may not change or see, found by going through its folders. What a folder holds is
// read once and again when the folder has changed, so that a second look costs one question to the disk for each folder.
import { type BigIntStats, lstatSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { errnoOf } from '../../files/errno.ts'
import type { GuardedNames, Meaning } from './guarded-names.ts'
import { type Entry, entriesOf } from './scan-folder.ts'

export interface Guarded extends Meaning {
  /** Relative to the root. */
  path: string
  kind: 'file' | 'folder' | 'link' | 'other'
  /** Tells it from whatever takes its place. */
  identity: string
  /** When it came to be, in milliseconds; what is written to it or moved does not change that. 0 where nobody knows. */
  born: number
  /** Where a link leads. */
  target?: string
}

/** What was seen in one look. */
interface Look {
  /** How many folders there are. */
  folders: number
  guarded: Guarded[]
  /** Folders, relative to the root, that the server cannot look into although a command may. */
  shut: string[]
}

interface Folder {
  changed: bigint
  identity: string
  /** It may have changed again within the time that the disk tells apart. */
  unsure: boolean
  folders: string[]
  guarded: Guarded[]
  shut: string[]
}

/** In bytes, as the system counts. */
const LONGEST_PATH = process.platform === 'linux' ? 4_096 : 1_024
const LONGEST_NAME = 256
/** How finely a file system tells times, at worst. */
const TICK_NS = 20_000_000n
/** The server does other things in between. */
const SLICE_MS = 5

export class GuardedTree {
  readonly #root: string
  readonly #names: GuardedNames
  readonly #mostFolders: number
  #folders = new Map<string, Folder>()
  /** One look is taken at a time, so that however many ask, the server is kept from nothing else for long. */
  #last: Promise<unknown> = Promise.resolve()
  /** A look that has not begun: it serves all who ask meanwhile. */
  #next: Promise<Look | undefined> | undefined

  constructor(root: string, names: GuardedNames, mostFolders: number) {
    this.#root = root
    this.#names = names
    this.#mostFolders = mostFolders
  }

  /** All that is guarded; undefined where there are too many folders. */
  look(): Promise<Look | undefined> {
    this.#next ??= this.#last.then(() => {
      this.#next = undefined
      return this.#look()
    })
    this.#last = this.#next.catch(() => {})
    return this.#next
  }

  async #look(): Promise<Look | undefined> {
    const seen = new Map<string, Folder>()
    const waiting = ['']
    let since = performance.now()
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (seen.size >= this.#mostFolders) return undefined
      const folder = this.#folder(name)
      if (!folder) continue
      seen.set(name, folder)
      for (const one of folder.folders) waiting.push(one)
      if (performance.now() - since > SLICE_MS) {
        await setImmediate()
        since = performance.now()
      }
    }
    this.#folders = seen
    const all = [...seen.values()]
    return {
      folders: seen.size,
      guarded: all.flatMap(({ guarded }) => guarded),
      shut: all.flatMap(({ shut }) => shut)
    }
  }

  #folder(name: string): Folder | undefined {
    const stat = statOf(path.join(this.#root, name))
    if (!stat?.isDirectory()) return undefined
    const known = this.#folders.get(name)
    const isKnown = known && !known.unsure && known.changed === stat.ctimeNs && known.identity === identityOf(stat)
    return isKnown ? known : this.#read(name, stat)
  }

  #read(name: string, stat: BigIntStats): Folder {
    const readAt = BigInt(Date.now()) * 1_000_000n
    const { entries, shut } = entriesOf(path.join(this.#root, name), stat)
    const meanings = this.#names.in(
      name,
      entries.map(entry => entry.name)
    )
    for (const { name: door } of entries.filter(({ isDoor }) => isDoor))
      meanings.set(door, { kept: meanings.get(door)?.kept ?? false, sensitive: true })
    const at = (entry: string) => (name === '' ? entry : `${name}/${entry}`)
    const within = entries.filter(one => one.isFolder && this.#names.looksInto(name, one.name))
    const canLook = (one: Entry) => one.isText && this.#isReached(at(one.name))
    const unnamed = entries.filter(one => !one.isText && meanings.has(one.name))
    return {
      changed: stat.ctimeNs,
      identity: identityOf(stat),
      // Also where the clock has been put back since.
      unsure: readAt - stat.ctimeNs < TICK_NS,
      folders: within.filter(canLook).map(one => at(one.name)),
      guarded: [...meanings].flatMap(([entry, meaning]) => this.#guarded(at(entry), meaning)),
      shut: [
        ...(shut ? [name === '' ? '.' : name] : []),
        ...[...within.filter(one => !canLook(one)), ...unnamed].map(one => at(one.name))
      ]
    }
  }

  /** Whether the system takes a path to what lies directly in a folder. */
  #isReached(folder: string) {
    return Buffer.byteLength(path.join(this.#root, folder)) < LONGEST_PATH - LONGEST_NAME
  }

  #guarded(name: string, meaning: Meaning): Guarded[] {
    const file = path.join(this.#root, name)
    const stat = statOf(file)
    if (!stat) return []
    const entry = { ...meaning, path: name, ...factsOf(stat) }
    return [stat.isSymbolicLink() ? { ...entry, target: targetOf(file) } : entry]
  }
}

export const factsOf = (stat: BigIntStats): Pick<Guarded, 'identity' | 'born' | 'kind'> => ({
  identity: identityOf(stat),
  born: Number(stat.birthtimeNs / 1_000_000n),
  kind: kindOf(stat)
})

/** The time of birth tells a file from a later one that was given the same number, as happens at once. */
export const identityOf = (stat: BigIntStats) => `${stat.dev}:${stat.ino}:${stat.birthtimeNs}:${kindOf(stat)}`

function kindOf(stat: BigIntStats): Guarded['kind'] {
  if (stat.isSymbolicLink()) return 'link'
  return stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other'
}

// What is gone or may not be looked at has nothing to guard.
function statOf(file: string): BigIntStats | undefined {
  try {
    return lstatSync(file, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return undefined
  }
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link)
  } catch {
    return ''
  }
}
