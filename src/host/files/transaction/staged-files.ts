// Staged files: new contents under hidden names beside their targets, each durable, to be published together.

import { closeSync, constants, fstatSync } from 'node:fs'
import path from 'node:path'
import type { WriteAheadLog } from '../../undo-store/write-ahead-log.ts'
import type { Workspace } from '../../workspace.ts'
import { type FilePermissions, writeDurably } from '../atomic-write.ts'
import { openSync } from '../byte-path-fs.ts'
import { contentIdentity } from '../fingerprint.ts'
import { releaseHiddenName, takeHiddenName } from '../hidden-names.ts'
import type { WriteContent } from '../write-content.ts'
import { tryRemoveHidden, withEntry } from './file-operations.ts'

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL

export class StagedFiles {
  readonly #workspace: Workspace
  readonly #log: WriteAheadLog
  readonly #signal: AbortSignal
  /** Paths that are still hidden. */
  #staged: string[] = []
  readonly #logged: string[] = []
  readonly #names: string[] = []

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
    const name = this.#log.beginFile(path.join(root, folder))
    this.#logged.push(name)
    const hidden = path.join(folder, name)
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

  /** Returns a hidden path in a folder for an entry that exists already, in use until `discard`. */
  nameIn(folder: string): string {
    const name = takeHiddenName()
    this.#names.push(name)
    return path.join(folder, name)
  }

  /** Marks all as published under their final names. */
  markCommitted() {
    this.#staged = []
  }

  /** Removes the files that are still hidden, and releases all names. */
  discard() {
    for (const hidden of this.#staged) tryRemoveHidden(this.#workspace, hidden)
    for (const name of this.#logged) this.#log.endFile(name)
    for (const name of this.#names) releaseHiddenName(name)
  }
}
