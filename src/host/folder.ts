// Opens a folder of a workspace by descriptors, one component after the other, so that none of them can be exchanged
// for a link on the way. The path is canonical: relative to the root, without links.
import { closeSync, constants, openSync } from 'node:fs'
import { join } from 'node:path'
import { ToolError } from '../errors.ts'
import type { Workspace } from './host.ts'

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants

export interface OpenFolder {
  /** A path by which any process of ours reaches the folder while it is open, whatever happens to its name. */
  path: string
  close(): void
}

/** Fails with FILE_NOT_FOUND or NOT_A_DIRECTORY, also where a link has taken the place of a folder. */
export function openFolder({ root, fd: rootFd }: Workspace, path: string): OpenFolder {
  const names = path === '.' ? [] : path.split('/')
  if (names.includes('..') || names.includes('')) throw new ToolError('INVALID_PATH', `${path} is not canonical.`)
  if (process.platform !== 'linux') return { path: join(root, path), close: () => {} }
  let fd = openSync(`/proc/self/fd/${rootFd}`, O_RDONLY | O_DIRECTORY)
  for (const name of names) fd = step(fd, name, path)
  return { path: `/proc/${process.pid}/fd/${fd}`, close: () => closeSync(fd) }
}

function step(folder: number, name: string, path: string) {
  try {
    return openSync(`/proc/self/fd/${folder}/${name}`, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new ToolError('FILE_NOT_FOUND', `${path} does not exist.`, { path })
    if (code === 'EACCES') throw new ToolError('PERMISSION_DENIED', `${path} may not be opened.`, { path })
    if (code === 'ENOTDIR' || code === 'ELOOP')
      throw new ToolError('NOT_A_DIRECTORY', `${path} is not a folder.`, { path })
    throw error
  } finally {
    closeSync(folder)
  }
}
