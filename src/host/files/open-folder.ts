// Opens a folder of a workspace one component at a time, so that none of them can be swapped for a link. The path is canonical:
// relative to the root, without links.

import { closeSync, constants } from 'node:fs'
import { ToolError } from '../../errors.ts'
import type { Workspace } from '../workspace.ts'
import { openSync } from './byte-path-fs.ts'

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY

interface OpenFolder {
  /** Path by which any process of the server reaches the folder while it is open. */
  path: string
  /** `device:inode` of the folder, if another one could be at the path by then: it is compared when the path is opened. */
  identity?: string
  close(): void
}

/** Opens a folder. Fails with FILE_NOT_FOUND or NOT_A_DIRECTORY, also if a link has replaced a folder. */
export function openFolder(workspace: Workspace, path: string): OpenFolder {
  const names = path === '.' ? [] : path.split('/')
  if (names.includes('..') || names.includes(''))
    throw new ToolError('INVALID_PATH', `${path} is not a canonical path.`)
  const { dirAccess } = workspace
  let fd = openSync(`${dirAccess.entryPrefix(workspace, workspace.fd, '')}.`, FOLDER)
  let folder = ''
  for (const name of names) {
    fd = step(dirAccess.entryPrefix(workspace, fd, folder) + name, fd, dirAccess.noFollowFlags, path)
    folder = folder === '' ? name : `${folder}/${name}`
  }
  try {
    dirAccess.verify(workspace, fd, folder)
  } catch (error) {
    closeSync(fd)
    throw error
  }
  return { ...dirAccess.externalFolder(workspace, fd, folder), close: () => closeSync(fd) }
}

function step(door: string, above: number, noLinks: number, path: string) {
  try {
    return openSync(door, FOLDER | noLinks)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new ToolError('FILE_NOT_FOUND', `${path} does not exist.`, { path })
    if (code === 'EACCES') throw new ToolError('PERMISSION_DENIED', `${path} cannot be opened.`, { path })
    if (code === 'ENOTDIR' || code === 'ELOOP')
      throw new ToolError('NOT_A_DIRECTORY', `${path} is not a folder.`, { path })
    throw error
  } finally {
    closeSync(above)
  }
}
