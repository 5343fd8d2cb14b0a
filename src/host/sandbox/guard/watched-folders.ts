// Remembers which folders of a workspace have not changed since a scan looked at them, from the events of the watcher, so that a scan
// need not look at each of thousands again. Events are complete on local file systems of Linux, which queue them before a system call
// returns; elsewhere nothing is remembered.
import { readFileSync, statfsSync } from 'node:fs'
import path from 'node:path'
import type { WatchEvents, Watcher } from '../../watch/watcher.ts'

/** Numbers of `statfs(2)`: ext2 to ext4, XFS, Btrfs, F2FS, ZFS, tmpfs. Others may be changed by another machine, without an event. */
const LOCAL_FILE_SYSTEMS = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x01021994])
const MOUNTS = '/proc/self/mountinfo'

export class WatchedFolders {
  readonly #watcher: Watcher | undefined
  /** Folders that were looked at while they were watched, and of which there has been no event since. The root is empty. */
  readonly #unchanged = new Set<string>()
  /** A mount covers a folder without an event. */
  #mounts = ''
  #isSubscribed = false

  constructor(root: string, watcher: Watcher | undefined) {
    this.#watcher = watcher && hasCompleteEvents(root) ? watcher : undefined
  }

  /** Resolves once all changes made before the call are known. */
  async settle() {
    if (!this.#watcher) return
    if (!this.#isSubscribed) this.#watcher.subscribe(events => this.#onEvents(events))
    this.#isSubscribed = true
    await this.#watcher.settled()
    const mounts = readFileSync(MOUNTS, 'latin1')
    if (mounts !== this.#mounts || !this.#watcher.isLive) this.#unchanged.clear()
    this.#mounts = mounts
  }

  /** Checks if nothing in a folder, nor its own attributes, has changed since it was noted. */
  isUnchanged(folder: string): boolean {
    return this.#unchanged.has(folder)
  }

  /** Notes that a folder is being looked at, if further changes of it will be known. Call it before the look. */
  note(folder: string) {
    if (this.#watcher?.isLive && this.#watcher.isWatching(folder === '' ? '.' : folder)) this.#unchanged.add(folder)
  }

  /** Forgets a folder: the next scan looks at it again. */
  forget(folder: string) {
    this.#unchanged.delete(folder === '.' ? '' : folder)
  }

  #onEvents({ paths, folders, gone, everything }: WatchEvents) {
    if (everything) this.#unchanged.clear()
    for (const changed of paths) {
      this.forget(changed)
      this.forget(path.dirname(changed))
    }
    for (const changed of [...folders, ...gone]) this.forget(changed)
  }
}

function hasCompleteEvents(root: string): boolean {
  if (process.platform !== 'linux') return false
  try {
    return LOCAL_FILE_SYSTEMS.has(statfsSync(root).type)
  } catch {
    return false
  }
}
