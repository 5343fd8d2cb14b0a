// Whether a change that was about to show has, when nobody said so. What is found half done is taken back.
import { closeSync, readlinkSync, unlinkSync } from 'node:fs'
import type { Change } from '../../change.ts'
import type { ChangeIntent } from '../../undo-store/wal-records.ts'
import type { Workspace } from '../../workspace.ts'
import { openWorkspace, type ResolvedEntry, resolveWorkspaceEntry } from '../paths.ts'
import { isSameInode, removeIfEmpty } from './file-operations.ts'

export function wasApplied(workspace: Workspace, { changes, temp }: ChangeIntent): boolean {
  const main = changes.at(-1)!
  return withEntries(workspace, [main.path, temp ?? main.from], (place, other) => isApplied(main, place, other))
}

/** Does something in a workspace that may not be served any more; undefined where it is gone. */
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

/** `other` is where the thing would still be: under its hidden name, or where it is moved from. */
function isApplied({ operation, kind }: Change, place: ResolvedEntry, other: ResolvedEntry | undefined): boolean {
  if (operation === 'deleted') return !place.stat
  if (!other) return kind !== 'directory' || (place.stat?.isDirectory() ?? false)
  if (!other.stat) return true
  if (operation !== 'moved') return place.stat !== undefined && isSameInode(place, other)
  if (place.stat) revertPartialMove(place, other)
  return false
}

/** A move is made in two steps where it must not overwrite: a second name, or an empty folder, comes first. */
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
