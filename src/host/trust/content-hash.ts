// What trust is bound to: the content of a file, or of a folder of modules with all that these can load there.
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { ToolError } from '../../errors.ts'
import { readModuleFolder } from '../modules/module-folder.ts'
import { sha256Hex } from './sha256.ts'

const MAX_BYTES = 33_554_432

/** How the path of something that may be trusted is written: links above it followed, but for those in a `.toolgate` and
 * that folder itself, which is called as it is found from its workspace. */
export function canonicalTrustPath(given: string): string {
  const names = path.resolve(given).split(path.sep)
  const own = names.lastIndexOf('.toolgate')
  const cut = own > 0 ? own : names.length - 1
  const above = names.slice(0, cut).join(path.sep) || path.sep
  return path.join(realPathOrSame(above), ...names.slice(cut))
}

/** As far as there is something. */
function realPathOrSame(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

/** What a file or folder holds now, by its hash; undefined where there is none. */
export async function contentHash(file: string): Promise<string | undefined> {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  return stats?.isDirectory() ? (await readModuleFolder(file))?.sha256 : fileHash(file)
}

/** The sha256 of a file; undefined where there is none. Throws where it is a link, or no file. */
export function fileHash(file: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (!stats) return undefined
  if (!stats.isFile()) throw new ToolError('INVALID_PATH', `${file} is a link, or no file: only files can be trusted.`)
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    if (fstatSync(fd).size > MAX_BYTES) throw new ToolError('TOO_LARGE', `${file} is too large to be trusted.`)
    return sha256Hex(readFileSync(fd))
  } finally {
    closeSync(fd)
  }
}
