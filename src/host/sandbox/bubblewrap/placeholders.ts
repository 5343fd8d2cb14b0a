// What has to be hidden may be gone by the time its stand-in is mounted over it. Then bubblewrap makes an empty file in its
// place to mount that on, and leaves it there.
import { lstatSync, unlinkSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../../errors.ts'
import { errnoOf } from '../../files/errno.ts'
import { openFolder } from '../../files/open-folder.ts'
import type { Workspace } from '../../workspace.ts'
import { type GuardedEntry, inodeIdentity } from '../guard/guarded-tree.ts'

/** As bubblewrap makes it, and hardly anybody else. */
const PLACEHOLDER_MODE = 0o100_444n

/** Removes such files, where the command's own look found others. */
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
    // It is gone, with its folder perhaps, or may not be removed.
    if (!(error instanceof ToolError) && errnoOf(error) === undefined) throw error
  }
}
