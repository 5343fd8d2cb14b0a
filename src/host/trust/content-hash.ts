// Hashes the content that trust is bound to: a file, or a folder of modules with everything that they can load there.
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { readModuleFolder } from '../modules/module-folder.ts'
import { sha256Hex } from './sha256.ts'

const MAX_BYTES = 33_554_432

/**
 * Canonicalizes the path of a trusted item: links above it are resolved, except inside a `.toolgate` folder and that folder
 * itself, which retains its name in the workspace.
 */
export function canonicalTrustPath(given: string): string {
  const names = path.resolve(given).split(path.sep)
  const own = names.lastIndexOf('.toolgate')
  const cut = own > 0 ? own : names.length - 1
  const above = names.slice(0, cut).join(path.sep) || path.sep
  return path.join(realPathOrSame(above), ...names.slice(cut))
}

/** Resolves links as far as the path exists. */
function realPathOrSame(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

/** Hashes the current content of a file or folder; undefined if it does not exist. */
export async function contentHash(file: string): Promise<string | undefined> {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  return stats?.isDirectory() ? (await readModuleFolder(file))?.sha256 : fileHash(file)
}

/** Returns the sha256 of a file; undefined if it does not exist. Throws for a link, or if it is not a file. */
export function fileHash(file: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (!stats) return undefined
  if (!stats.isFile()) throw new ToolError('INVALID_PATH', `${file} is not a regular file, so it cannot be trusted.`)
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    if (fstatSync(fd).size > MAX_BYTES)
      throw new ToolError('TOO_LARGE', `${file} cannot be trusted, because it is larger than 32 MiB.`)
    return sha256Hex(readFileSync(fd))
  } finally {
    closeSync(fd)
  }
}
