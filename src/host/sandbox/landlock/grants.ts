// Grants of the launcher: which rights a program has below which paths. Everything else is out of its reach.

import type { BigIntStats, Dirent } from 'node:fs'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { toSystemPath } from '../../../text/byte-names.ts'
import { lstatSync, readdirSync } from '../../files/byte-path-fs.ts'
import { errnoOf } from '../../files/errno.ts'
import { encodeFields } from '../encode-fields.ts'
import { isWithin } from '../path-within.ts'

/** Rights, as letters: r reads files, l lists folders, x executes, w writes and truncates files, c creates, d removes, m moves. */
export interface Grant {
  modes: string
  /** Absolute and real: a link is not followed. */
  path: string
  /** `device:inode` of the entry that was checked: if another one is there when it is granted, it is left out. */
  identity?: string
}

export const READ_AND_EXECUTE = 'rlx'
export const READ_AND_WRITE = 'rw'
export const ALL_BUT_DEVICES = 'rlxwcdm'

/** Limit of entries that are granted singly; beyond it, folders are granted as a whole. */
const MAX_SINGLE_ENTRIES = 5_000
/** Other work of the server runs after so many entries. */
const SLICE = 500
/** Folders in which secrets often appear: their entries are granted singly, so that a new one stays out of reach. */
const SECRET_FOLDERS: ReadonlySet<string> = new Set(
  'certs conf config configs credentials deploy deployment env environments envs keys secrets'.split(' ')
)

/**
 * Returns grants to read a file, or a folder without the excluded files and folders in it, all absolute; none if it is missing
 * or within an excluded one. The entries of the folder itself, and of
 * those that contain excluded ones or often hold secrets, are granted singly: what appears there later cannot be read. Names in
 * the folder can be listed, the excluded ones too.
 */
export const grantReading = (root: string, excluded: readonly string[]): Promise<Grant[]> =>
  grantTree(root, excluded, {
    modes: READ_AND_EXECUTE,
    isSingle: folder => folder === root || SECRET_FOLDERS.has(path.basename(folder).toLowerCase())
  })

/**
 * Returns grants to read and change a file or a folder without the excluded ones, as `grantReading`. Only the entries of folders
 * that contain excluded ones are granted singly: nothing can be created directly in these.
 */
export const grantWriting = (root: string, excluded: readonly string[]): Promise<Grant[]> =>
  grantTree(root, excluded, { modes: ALL_BUT_DEVICES, isSingle: () => false })

interface TreeRights {
  modes: string
  /** The entries of this folder are granted singly, not the folder as a whole. */
  isSingle(folder: string): boolean
}

async function grantTree(root: string, excluded: readonly string[], { modes, isSingle }: TreeRights): Promise<Grant[]> {
  const inside = excluded.filter(file => isWithin(file, root))
  const top = lstatSync(root, { bigint: true, throwIfNoEntry: false })
  if (!top || excluded.some(file => isWithin(root, file))) return []
  const mustSplit = (folder: string) => inside.some(file => isWithin(file, folder))
  if (!top.isDirectory() || !(mustSplit(root) || isSingle(root)))
    return [{ modes, path: root, identity: identityOf(top) }]
  const identities = new Set(inside.flatMap(file => identityIfAny(file) ?? []))
  const grants: Grant[] = [{ modes: 'l', path: root }]
  // The upper folders first: where secrets are likelier.
  const queue = [root]
  for (let folder = queue.shift(); folder !== undefined; folder = queue.shift()) {
    for (const entry of listIfReadable(folder)) {
      const place = path.join(folder, entry.name)
      if (inside.includes(place) || entry.isSymbolicLink()) continue
      const stat = lstatSync(place, { bigint: true, throwIfNoEntry: false })
      // An excluded one can have a second name: a hard link, or a mount.
      if (!stat || identities.has(identityOf(stat))) continue
      const isSplit =
        stat.isDirectory() && (mustSplit(place) || (grants.length < MAX_SINGLE_ENTRIES && isSingle(place)))
      if (isSplit) queue.push(place)
      else grants.push({ modes, path: place, identity: identityOf(stat) })
      if (grants.length % SLICE === 0) await setImmediate()
    }
  }
  return grants
}

/** Encodes grants for the launcher: modes, identity and path of each, all ended by NUL. */
export const encodeGrants = (grants: readonly Grant[]): Buffer =>
  encodeFields(grants.flatMap(({ modes, identity = '', path }) => [modes, identity, toSystemPath(path)]))

function listIfReadable(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    // Removed, or out of the reach of a command too.
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errnoOf(error) ?? '')) return []
    throw error
  }
}

const identityOf = ({ dev, ino }: BigIntStats) => `${dev}:${ino}`

function identityIfAny(file: string): string | undefined {
  const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false })
  return stat && identityOf(stat)
}
