// Holding open what a sandboxed command may not change, so that nothing can take its place on the way into the sandbox.
import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../../errors.ts'
import { errnoOf } from '../../files/errno.ts'
import { openFolder } from '../../files/open-folder.ts'
import type { Workspace } from '../../host.ts'
import { type Guarded, identityOf } from '../guard/guarded-tree.ts'
import { isBeneath } from '../path-within.ts'

export interface Held {
  path: string
  descriptor: number
  /** A name for it that any process of ours can open. */
  door: string
}

interface Wanted {
  kept: readonly Guarded[]
  /** Held too where it is in none of these. */
  inside: readonly string[]
  pinned: readonly string[]
}

/** Opens files and folders. STALE_FILE where one is not what it was any more. */
export function hold(workspace: Workspace, { kept, inside, pinned }: Wanted) {
  const descriptors: number[] = []
  const close = () => {
    for (const descriptor of descriptors.splice(0)) closeSync(descriptor)
  }
  const holdOne = (name: string, identity?: string): Held => {
    const descriptor = openEntry(workspace, name, identity)
    descriptors.push(descriptor)
    return { path: path.join(workspace.root, name), descriptor, door: `/proc/${process.pid}/fd/${descriptor}` }
  }
  try {
    const plain = kept.filter(({ kind }) => kind === 'file' || kind === 'folder')
    const held = plain.map(one => holdOne(one.path, one.identity))
    const isHeld = (name: string) => held.some(one => isBeneath(path.join(workspace.root, name), one.path))
    const further = inside.filter(name => !isHeld(name)).map(name => holdOne(name))
    return { held: [...held, ...further], pinned: pinned.map(name => holdOne(name)), close }
  } catch (error) {
    close()
    throw error
  }
}

const stale = (name: string) => new ToolError('STALE_FILE', `${name} was replaced meanwhile; try again.`)

function openEntry(workspace: Workspace, name: string, identity: string | undefined): number {
  const folder = openAbove(workspace, name)
  try {
    const flags = constants.O_RDONLY | constants.O_NONBLOCK | workspace.doors.noLinks
    const descriptor = openSync(`${folder.path}/${path.basename(name)}`, flags)
    if (identity === undefined || identityOf(fstatSync(descriptor, { bigint: true })) === identity) return descriptor
    closeSync(descriptor)
    throw stale(name)
  } catch (error) {
    throw ['ENOENT', 'ELOOP'].includes(errnoOf(error) ?? '') ? stale(name) : error
  } finally {
    folder.close()
  }
}

function openAbove(workspace: Workspace, name: string) {
  try {
    return openFolder(workspace, path.dirname(name))
  } catch (error) {
    const isGone = error instanceof ToolError && ['FILE_NOT_FOUND', 'NOT_A_DIRECTORY'].includes(error.code)
    throw isGone ? stale(name) : error
  }
}
