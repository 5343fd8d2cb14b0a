// Reads a folder's entries, and detects if they are readable at all.

import { type BigIntStats, constants, type Dirent } from 'node:fs'
import { accessSync, readdirSync } from '../../files/byte-path-fs.ts'
import { errnoOf } from '../../files/errno.ts'

export interface ScannedEntry {
  name: string
  isFolder: boolean
  /** A socket, a pipe or a device: opening it reaches another program, outside any sandbox. */
  isSpecialFile: boolean
  /** It is a socket or a pipe. */
  isConnection: boolean
}

interface FolderScan {
  entries: ScannedEntry[]
  /** The server cannot read it, but another process of the same user can. */
  isUnreadable: boolean
}

/** A folder that is gone counts as empty, and so does an inaccessible one of another user. */
export function scanFolder(folder: string, stat: BigIntStats): FolderScan {
  try {
    const entries = readdirSync(folder, { withFileTypes: true }).map(toScannedEntry)
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

const toScannedEntry = (one: Dirent): ScannedEntry => ({
  name: one.name,
  isFolder: one.isDirectory(),
  isSpecialFile: isSpecialFile(one),
  isConnection: one.isSocket() || one.isFIFO()
})

const isSpecialFile = (one: Dirent) => one.isSocket() || one.isFIFO() || one.isCharacterDevice() || one.isBlockDevice()
