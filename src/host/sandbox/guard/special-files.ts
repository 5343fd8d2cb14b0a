// Finds out which sockets and pipes of a workspace lead out of the sandbox. Those that commands made do not, nor does a socket whose
// program has ended: a command may use, move and remove these. A socket cannot be listened to again once it has no program.
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { errnoOf } from '../../files/errno.ts'
import { openFolder } from '../../files/open-folder.ts'
import type { Workspace } from '../../workspace.ts'
import type { GuardedEntry } from './guarded-tree.ts'

/** Sockets of this machine by the paths at which they were bound, those of sandboxed programs left out. */
const SOCKET_TABLE = '/proc/net/unix'
/** The path is the eighth field. */
const BOUND_PATH = /^(?:\S+ +){7}(.+)$/
/** Limit of the system for the address of a socket. */
const MAX_ADDRESS_BYTES = 107
const MAX_REMEMBERED = 10_000

export class SpecialFiles {
  readonly #workspace: Workspace
  /** Identities of sockets and pipes that sandboxed commands made. */
  readonly #made = new Set<string>()

  constructor(workspace: Workspace) {
    this.#workspace = workspace
  }

  /** Records entries that appeared while commands ran, but for sockets of other programs. */
  recordMade(entries: readonly GuardedEntry[]) {
    const appeared = entries.filter(one => one.hiddenByKind && !this.#made.has(one.identity))
    if (appeared.length === 0) return
    const foreign = readBoundNames()
    for (const { path: name, kind, identity } of appeared)
      if (kind !== 'socket' || (foreign && !foreign.has(path.basename(name)))) this.#made.add(identity)
    for (const identity of this.#made) {
      if (this.#made.size <= MAX_REMEMBERED) break
      this.#made.delete(identity)
    }
  }

  /** Returns the paths of entries by which a command reaches no program outside, of those hidden for their kind alone. */
  async findHarmless(entries: readonly GuardedEntry[]): Promise<Set<string>> {
    const special = entries.filter(one => one.hiddenByKind)
    if (special.length === 0) return new Set()
    const foreign = readBoundNames()
    const harmless = await Promise.all(
      special.map(async one => {
        if (this.#made.has(one.identity)) return [one.path]
        const isDead =
          one.kind === 'socket' && foreign && !foreign.has(path.basename(one.path)) && this.#isDead(one.path)
        return (await isDead) ? [one.path] : []
      })
    )
    return new Set(harmless.flat())
  }

  /** Checks if no program has the socket, by connecting to it. */
  async #isDead(name: string): Promise<boolean> {
    try {
      const folder = openFolder(this.#workspace, path.dirname(name))
      try {
        const address = `${folder.path}/${path.basename(name)}`
        return Buffer.byteLength(address) <= MAX_ADDRESS_BYTES && (await isRefused(address))
      } finally {
        folder.close()
      }
    } catch {
      return false
    }
  }
}

function isRefused(address: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect({ path: address })
  socket.on('connect', () => resolve(false)).on('error', error => resolve(errnoOf(error) === 'ECONNREFUSED'))
  return promise.finally(() => socket.destroy())
}

/** Returns the last names of paths at which programs outside of sandboxes have bound sockets; undefined if they cannot be read. */
function readBoundNames(): Set<string> | undefined {
  try {
    const lines = readFileSync(SOCKET_TABLE, 'utf8').split('\n')
    return new Set(lines.flatMap(line => BOUND_PATH.exec(line)?.[1] ?? []).map(file => path.basename(file)))
  } catch {
    return undefined
  }
}
