// Reads a folder's entries, and detects if they are readable at all.
import { accessSync, type BigIntStats, constants, type Dirent, readdirSync } from 'node:fs'
import { errnoOf } from '../../files/errno.ts'

export interface ScannedEntry {
  /** A name that is not valid text has replacement characters: it leads nowhere. */
  name: string
  isUtf8: boolean
  isFolder: boolean
  /** A socket, a pipe or a device: opening it reaches another program, outside any sandbox. */
  isSpecialFile: boolean
}

interface FolderScan {
  entries: ScannedEntry[]
  /** The server cannot read it, but another process of the same user can. */
  isUnreadable: boolean
}

/** A folder that is gone counts as empty, and so does an inaccessible one of another user. */
export function scanFolder(folder: string, stat: BigIntStats): FolderScan {
  try {
    const entries = readdirSync(folder, { withFileTypes: true, encoding: 'buffer' }).map(toScannedEntry)
    accessSync(folder, constants.R_OK | constants.X_OK)
    return { entries, isUnreadable: false }
  } catch (error) {
    const code = errnoOf(error)
    if (code === undefined) throw error
    const isOurs = Number(stat.uid) === process.geteuid?.()
    const isNobodys = code === 'ENOENT' || code === 'ENOTDIR' || (code === 'EACCES' && !isOurs)
    return { entries: [], isUnreadable: !isNobodys }
  }
}

function toScannedEntry(one: Dirent<Buffer>): ScannedEntry {
  const name = one.name.toString()
  return {
    name,
    isUtf8: Buffer.from(name).equals(one.name),
    isFolder: one.isDirectory(),
    isSpecialFile: isSpecialFile(one)
  }
}

const isSpecialFile = (one: Dirent | Dirent<Buffer>) =>
  one.isSocket() || one.isFIFO() || one.isCharacterDevice() || one.isBlockDevice()
