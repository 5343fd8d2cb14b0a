// Staged files: new contents under hidden names beside their targets, each durable, to be published together.

import { closeSync, constants, fstatSync } from 'node:fs'
import path from 'node:path'
import type { WriteAheadLog } from '../../undo-store/write-ahead-log.ts'
import type { Workspace } from '../../workspace.ts'
import { type FilePermissions, writeDurably } from '../atomic-write.ts'
import { openSync } from '../byte-path-fs.ts'
import { contentIdentity } from '../fingerprint.ts'
import type { WriteContent } from '../write-content.ts'
import { tryRemoveHidden, withEntry } from './file-operations.ts'

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL

export class StagedFiles {
  readonly #workspace: Workspace
  readonly #log: WriteAheadLog
  readonly #signal: AbortSignal
  /** Paths that are still hidden. */
  #staged: string[] = []
  #openCount = 0

  constructor(workspace: Workspace, log: WriteAheadLog, signal: AbortSignal) {
    this.#workspace = workspace
    this.#log = log
    this.#signal = signal
  }

  /** Writes content under a hidden name in an existing folder. Returns the name's path, and the file's identity. */
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

  /** Marks all as published under their final names. */
  markCommitted() {
    this.#staged = []
  }

  /** Removes the files that are still hidden. */
  discard() {
    for (const hidden of this.#staged) tryRemoveHidden(this.#workspace, hidden)
    for (; this.#openCount > 0; this.#openCount -= 1) this.#log.endFile()
  }
}
