// What a folder holds, and whether that can be told at all.
import { accessSync, type BigIntStats, constants, type Dirent, readdirSync } from 'node:fs'
import { errnoOf } from '../../files/errno.ts'

export interface ScannedEntry {
  /** Where it is no text, that is replaced: it leads nowhere. */
  name: string
  isUtf8: boolean
  isFolder: boolean
  /** A socket, a pipe or a device: whoever opens it talks to another program, which nothing keeps. */
  isSpecialFile: boolean
}

interface FolderScan {
  entries: ScannedEntry[]
  /** The server cannot tell what is in it, and whoever runs as the same user can. */
  isUnreadable: boolean
}

/** A folder that is gone is empty, and so is one of another user that may not be looked into. */
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
