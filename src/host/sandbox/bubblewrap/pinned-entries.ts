// Pins entries that a sandboxed program may not change by holding them open, so that they cannot be replaced before they are
// mounted.

import { closeSync, constants, fstatSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../../errors.ts'
import { openSync } from '../../files/byte-path-fs.ts'
import { errnoOf } from '../../files/errno.ts'
import { openFolder } from '../../files/open-folder.ts'
import type { Workspace } from '../../workspace.ts'
import { type GuardedEntry, inodeIdentity } from '../guard/guarded-tree.ts'
import { isWithin } from '../path-within.ts'

export interface PinnedEntry {
  path: string
  fd: number
  /** Path by which any process of the server can open it. */
  procPath: string
}

interface PinRequest {
  readOnly: readonly GuardedEntry[]
  /** Pinned too if it is in none of these. */
  inside: readonly string[]
  pinned: readonly string[]
}

/** Opens files and folders. Throws STALE_FILE if one has been replaced. */
export function pinEntries(workspace: Workspace, { readOnly, inside, pinned }: PinRequest) {
  const descriptors: number[] = []
  const close = () => {
    for (const descriptor of descriptors.splice(0)) closeSync(descriptor)
  }
  const holdOne = (name: string, identity?: string): PinnedEntry => {
    const fd = openIfSame(workspace, name, identity)
    descriptors.push(fd)
    return { path: path.join(workspace.root, name), fd, procPath: `/proc/${process.pid}/fd/${fd}` }
  }
  try {
    const plain = readOnly.filter(({ kind }) => kind === 'file' || kind === 'folder')
    const held = plain.map(one => holdOne(one.path, one.identity))
    const isHeld = (name: string) => held.some(one => isWithin(path.join(workspace.root, name), one.path))
    const further = inside.filter(name => !isHeld(name)).map(name => holdOne(name))
    return { held: [...held, ...further], pinned: pinned.map(name => holdOne(name)), close }
  } catch (error) {
    close()
    throw error
  }
}

const replacedError = (name: string) =>
  new ToolError('STALE_FILE', `${name} was replaced while the command was starting. Run the command again.`)

function openIfSame(workspace: Workspace, name: string, identity: string | undefined): number {
  const folder = openParent(workspace, name)
  try {
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | workspace.dirAccess.noFollowFlags
    const descriptor = openSync(`${folder.path}/${path.basename(name)}`, flags)
    if (identity === undefined || inodeIdentity(fstatSync(descriptor, { bigint: true })) === identity) return descriptor
    closeSync(descriptor)
    throw replacedError(name)
  } catch (error) {
    throw ['ENOENT', 'ELOOP'].includes(errnoOf(error) ?? '') ? replacedError(name) : error
  } finally {
    folder.close()
  }
}

function openParent(workspace: Workspace, name: string) {
  try {
    return openFolder(workspace, path.dirname(name))
  } catch (error) {
    const isGone = error instanceof ToolError && ['FILE_NOT_FOUND', 'NOT_A_DIRECTORY'].includes(error.code)
    throw isGone ? replacedError(name) : error
  }
}
