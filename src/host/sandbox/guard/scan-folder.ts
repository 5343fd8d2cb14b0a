// What a folder holds, and whether that can be told at all.
import { accessSync, type BigIntStats, constants, type Dirent, readdirSync } from 'node:fs'
import { errnoOf } from '../../files/errno.ts'

export interface Entry {
  /** Where it is no text, that is replaced: it leads nowhere. */
  name: string
  isText: boolean
  isFolder: boolean
  /** A socket, a pipe or a device: whoever opens it talks to another program, which nothing keeps. */
  isDoor: boolean
}

interface Entries {
  entries: Entry[]
  /** The server cannot tell what is in it, and whoever runs as the same user can. */
  shut: boolean
}

/** A folder that is gone is empty, and so is one of another user that may not be looked into. */
export function entriesOf(folder: string, stat: BigIntStats): Entries {
  try {
    const entries = readdirSync(folder, { withFileTypes: true, encoding: 'buffer' }).map(entry)
    accessSync(folder, constants.R_OK | constants.X_OK)
    return { entries, shut: false }
  } catch (error) {
    const code = errnoOf(error)
    if (code === undefined) throw error
    const isOurs = Number(stat.uid) === process.geteuid?.()
    const isNobodys = code === 'ENOENT' || code === 'ENOTDIR' || (code === 'EACCES' && !isOurs)
    return { entries: [], shut: !isNobodys }
  }
}

function entry(one: Dirent<Buffer>): Entry {
  const name = one.name.toString()
  return {
    name,
    isText: Buffer.from(name).equals(one.name),
    isFolder: one.isDirectory(),
    isDoor: isDoor(one)
  }
}

const isDoor = (one: Dirent | Dirent<Buffer>) =>
  one.isSocket() || one.isFIFO() || one.isCharacterDevice() || one.isBlockDevice()
