// Placeholders left by bubblewrap: if a hidden entry disappears before it is covered, bubblewrap creates an empty file as the
// mount point, and leaves it behind.

import path from 'node:path'
import { ToolError } from '../../../errors.ts'
import { lstatSync, unlinkSync } from '../../files/byte-path-fs.ts'
import { errnoOf } from '../../files/errno.ts'
import { openFolder } from '../../files/open-folder.ts'
import type { Workspace } from '../../workspace.ts'
import { type GuardedEntry, inodeIdentity } from '../guard/guarded-tree.ts'

/** Mode used by bubblewrap, and by hardly any other program. */
const PLACEHOLDER_MODE = 0o100_444n

/** Removes the placeholders that the command's own scan has missed. */
export function removePlaceholders(workspace: Workspace, hidden: readonly GuardedEntry[]): void {
  for (const one of hidden) if (one.kind !== 'folder') removePlaceholder(workspace, one)
}

function removePlaceholder(workspace: Workspace, { path: name, identity }: GuardedEntry) {
  try {
    const folder = openFolder(workspace, path.dirname(name))
    try {
      const entry = `${folder.path}/${path.basename(name)}`
      const stat = lstatSync(entry, { bigint: true })
      if (stat.size === 0n && (stat.mode | 0o444n) === PLACEHOLDER_MODE && inodeIdentity(stat) !== identity)
        unlinkSync(entry)
    } finally {
      folder.close()
    }
  } catch (error) {
    // The entry, and perhaps its folder, is gone or may not be removed.
    if (!(error instanceof ToolError) && errnoOf(error) === undefined) throw error
  }
}
