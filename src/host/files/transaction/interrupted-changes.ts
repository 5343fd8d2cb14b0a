// Crash recovery of changes without a completion record: determines if they were applied, and reverts those applied partially.

import { closeSync } from 'node:fs'
import type { Change } from '../../change.ts'
import type { ChangeIntent } from '../../undo-store/wal-records.ts'
import type { Workspace } from '../../workspace.ts'
import { readlinkSync, unlinkSync } from '../byte-path-fs.ts'
import { openWorkspace, type ResolvedEntry, resolveWorkspaceEntry } from '../paths.ts'
import { isSameInode, removeIfEmpty } from './file-operations.ts'

export function wasApplied(workspace: Workspace, { changes, temp }: ChangeIntent): boolean {
  const main = changes.at(-1)!
  return withEntries(workspace, [main.path, temp ?? main.from], (place, other) => isApplied(main, place, other))
}

/** Runs work in a workspace that may not be served any more; returns undefined if it no longer exists. */
export function withWorkspace<T>(root: string, work: (workspace: Workspace) => T): T | undefined {
  let workspace: Workspace
  try {
    workspace = openWorkspace('left', root)
  } catch {
    return undefined
  }
  try {
    return work(workspace)
  } finally {
    closeSync(workspace.fd)
  }
}

/** `other` is the entry's other possible path: its hidden name, or the source of its move. */
function isApplied({ operation, kind }: Change, place: ResolvedEntry, other: ResolvedEntry | undefined): boolean {
  if (operation === 'deleted') return !place.stat
  if (!other) return kind !== 'directory' || (place.stat?.isDirectory() ?? false)
  if (!other.stat) return true
  if (operation !== 'moved') return place.stat !== undefined && isSameInode(place, other)
  if (place.stat) revertPartialMove(place, other)
  return false
}

/** A non-overwriting move takes two steps: a second name, or an empty folder, comes first. */
function revertPartialMove(place: ResolvedEntry, from: ResolvedEntry) {
  if (from.stat!.isDirectory()) removeIfEmpty(place)
  else if (isSameInode(place, from) || isSameLink(place, from)) unlinkSync(place.accessPath)
}

const isSameLink = (a: ResolvedEntry, b: ResolvedEntry) =>
  a.stat!.isSymbolicLink() && b.stat!.isSymbolicLink() && readlinkSync(a.accessPath) === readlinkSync(b.accessPath)

function withEntries<T>(
  workspace: Workspace,
  [path, second]: [string, (string | undefined)?],
  work: (place: ResolvedEntry, other: ResolvedEntry | undefined) => T
): T {
  const place = resolveWorkspaceEntry(workspace, path)
  const other = second === undefined ? undefined : resolveWorkspaceEntry(workspace, second)
  try {
    return work(place, other)
  } finally {
    place.close()
    other?.close()
  }
}
