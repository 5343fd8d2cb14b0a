// Gives the owner of a folder the right to read and change it.
import { chmodSync, closeSync, constants, fchmodSync, fstatSync } from 'node:fs'
import { ToolError } from '../../errors.ts'
import type { Workspace } from '../workspace.ts'
import { listReadable, openSync } from './byte-path-fs.ts'
import { errnoOf } from './errno.ts'
import { openFolder } from './open-folder.ts'

const OWNER_RIGHTS = 0o700
const MODE_BITS = 0o7777
/** Opens without the right to read; Node does not name it. */
const O_PATH = process.platform === 'linux' ? 0o10_000_000 : 0
const FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** Opens a folder for its owner, never a link in its place. Returns false if it is open already. */
export function openForOwner(folder: string): boolean {
  const fd = openSync(folder, FOLDER)
  try {
    const { mode } = fstatSync(fd)
    if (isOpen(mode)) return false
    // A descriptor that may not be read has no fchmod.
    if (O_PATH === 0) fchmodSync(fd, toOpenMode(mode))
    else chmodSync(`/proc/self/fd/${fd}`, toOpenMode(mode))
    return true
  } finally {
    closeSync(fd)
  }
}

/** Opens a folder of a workspace for its owner; '.' is the root. Returns false if it is open already, or that is not possible. */
export function openWorkspaceFolder(workspace: Workspace, path: string): boolean {
  if (path === '.') return openRoot(workspace.fd)
  const slash = path.lastIndexOf('/')
  const parent = slash < 0 ? '.' : path.slice(0, slash)
  return inFolder(workspace, parent, prefix => openForOwner(`${prefix}/${path.slice(slash + 1)}`)) ?? false
}

/** Opens a folder of a workspace and those in it for their owner. Returns false if the folder is open already, or that is not possible. */
export function openWorkspaceTree(workspace: Workspace, path: string): boolean {
  if (!openWorkspaceFolder(workspace, path)) return false
  const waiting = [path]
  for (const folder of waiting)
    for (const name of inFolder(workspace, folder, listFolders) ?? []) {
      const inner = folder === '.' ? name : `${folder}/${name}`
      openWorkspaceFolder(workspace, inner)
      waiting.push(inner)
    }
  return true
}

function openRoot(fd: number): boolean {
  const { mode } = fstatSync(fd)
  if (isOpen(mode)) return false
  fchmodSync(fd, toOpenMode(mode))
  return true
}

const isOpen = (mode: number) => (mode & OWNER_RIGHTS) === OWNER_RIGHTS

const toOpenMode = (mode: number) => (mode & MODE_BITS) | OWNER_RIGHTS

const listFolders = (folder: string) =>
  listReadable(folder)
    .filter(one => one.isDirectory())
    .map(({ name }) => name)

function inFolder<T>(workspace: Workspace, path: string, work: (folder: string) => T): T | undefined {
  try {
    const folder = openFolder(workspace, path)
    try {
      return work(folder.path)
    } finally {
      folder.close()
    }
  } catch (error) {
    if (!(error instanceof ToolError) && errnoOf(error) === undefined) throw error
    return undefined
  }
}
