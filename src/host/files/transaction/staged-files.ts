// New contents that wait under hidden names beside their places, each durable, to be shown together.
import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import path from 'node:path'
import type { WriteAheadLog } from '../../undo-store/write-ahead-log.ts'
import type { Workspace } from '../../workspace.ts'
import { type FilePermissions, writeDurably } from '../atomic-write.ts'
import { contentIdentity } from '../fingerprint.ts'
import type { WriteContent } from '../write-content.ts'
import { tryRemoveHidden, withEntry } from './file-operations.ts'

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL

export class StagedFiles {
  readonly #workspace: Workspace
  readonly #log: WriteAheadLog
  readonly #signal: AbortSignal
  /** Those that are still hidden. */
  #staged: string[] = []
  #openCount = 0

  constructor(workspace: Workspace, log: WriteAheadLog, signal: AbortSignal) {
    this.#workspace = workspace
    this.#log = log
    this.#signal = signal
  }

  /** Writes a content under a hidden name in a folder that is there. Gives the name's path, and what tells the file. */
  async write(
    folder: string,
    fill: WriteContent,
    bits: FilePermissions
  ): Promise<{ hidden: string; is: string; mode: bigint }> {
    const { root, dirAccess } = this.#workspace
    const hidden = path.join(folder, this.#log.beginFile(path.join(root, folder)))
    this.#openCount += 1
    this.#staged.push(hidden)
    const fd = withEntry(this.#workspace, hidden, ({ accessPath }) =>
      openSync(accessPath, NEW_FILE | dirAccess.noFollowFlags, bits.forNew ?? 0o600)
    )
    try {
      await writeDurably(fd, fill, bits, this.#signal)
      const stat = fstatSync(fd, { bigint: true })
      return { hidden, is: contentIdentity(stat), mode: stat.mode }
    } finally {
      closeSync(fd)
    }
  }

  /** They all have got their names. */
  markCommitted() {
    this.#staged = []
  }

  /** Removes what is still hidden. */
  discard() {
    for (const hidden of this.#staged) tryRemoveHidden(this.#workspace, hidden)
    for (; this.#openCount > 0; this.#openCount -= 1) this.#log.endFile()
  }
}
