// New contents that wait under hidden names beside their places, each durable, to be shown together.
import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import path from 'node:path'
import type { Workspace } from '../../host.ts'
import type { ChangeLog } from '../../undo-store/write-ahead-log.ts'
import { type Bits, durable, type Fill } from '../atomic-write.ts'
import { identityOf } from '../fingerprint.ts'
import { at, isDropped } from './file-operations.ts'

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL

export class HiddenFiles {
  readonly #workspace: Workspace
  readonly #log: ChangeLog
  readonly #signal: AbortSignal
  /** Those that are still hidden. */
  #hidden: string[] = []
  #begun = 0

  constructor(workspace: Workspace, log: ChangeLog, signal: AbortSignal) {
    this.#workspace = workspace
    this.#log = log
    this.#signal = signal
  }

  /** Writes a content under a hidden name in a folder that is there. Gives the name's path, and what tells the file. */
  async write(folder: string, fill: Fill, bits: Bits): Promise<{ hidden: string; is: string; mode: bigint }> {
    const { root, doors } = this.#workspace
    const hidden = path.join(folder, this.#log.begin(path.join(root, folder)))
    this.#begun += 1
    this.#hidden.push(hidden)
    const fd = at(this.#workspace, hidden, ({ door }) => openSync(door, NEW_FILE | doors.noLinks, bits.new ?? 0o600))
    try {
      await durable(fd, fill, bits, this.#signal)
      const stat = fstatSync(fd, { bigint: true })
      return { hidden, is: identityOf(stat), mode: stat.mode }
    } finally {
      closeSync(fd)
    }
  }

  /** They all have got their names. */
  shown() {
    this.#hidden = []
  }

  /** Removes what is still hidden. */
  end() {
    for (const hidden of this.#hidden) isDropped(this.#workspace, hidden)
    for (; this.#begun > 0; this.#begun -= 1) this.#log.end()
  }
}
