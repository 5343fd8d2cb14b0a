// Whether a change that was about to show has, when nobody said so. What is found half done is taken back.
import { closeSync, readlinkSync, unlinkSync } from 'node:fs'
import type { Change, Workspace } from '../../host.ts'
import type { Intent } from '../../undo-store/wal-records.ts'
import { openWorkspace, type Place, walkToEntry } from '../paths.ts'
import { isSame, removeEmpty } from './file-operations.ts'

export function hasHappened(workspace: Workspace, { changes, temp }: Intent): boolean {
  const main = changes.at(-1)!
  return looked(workspace, [main.path, temp ?? main.from], (place, other) => judge(main, place, other))
}

/** Does something in a workspace that may not be served any more; undefined where it is gone. */
export function inWorkspace<T>(root: string, work: (workspace: Workspace) => T): T | undefined {
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
function judge({ operation, kind }: Change, place: Place, other: Place | undefined): boolean {
  if (operation === 'deleted') return !place.stat
  if (!other) return kind !== 'directory' || (place.stat?.isDirectory() ?? false)
  if (!other.stat) return true
  if (operation !== 'moved') return place.stat !== undefined && isSame(place, other)
  if (place.stat) takeBackHalf(place, other)
  return false
}

/** A move is made in two steps where it must not overwrite: a second name, or an empty folder, comes first. */
function takeBackHalf(place: Place, from: Place) {
  if (from.stat!.isDirectory()) removeEmpty(place)
  else if (isSame(place, from) || isSameLink(place, from)) unlinkSync(place.door)
}

const isSameLink = (a: Place, b: Place) =>
  a.stat!.isSymbolicLink() && b.stat!.isSymbolicLink() && readlinkSync(a.door) === readlinkSync(b.door)

function looked<T>(
  workspace: Workspace,
  [path, second]: [string, (string | undefined)?],
  work: (place: Place, other: Place | undefined) => T
): T {
  const place = walkToEntry(workspace, path)
  const other = second === undefined ? undefined : walkToEntry(workspace, second)
  try {
    return work(place, other)
  } finally {
    place.close()
    other?.close()
  }
}
