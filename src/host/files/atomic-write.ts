// Writes files atomically: a temporary file beside the target, fsync, rename, fsync of the directory. Readers see the old bytes
// or the new ones, also after a power cut.

import { type BigIntStats, closeSync, constants, fchmodSync, fchownSync, fstatSync, writeSync } from 'node:fs'
import nodePath from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { ToolError } from '../../errors.ts'
import type { Change } from '../change.ts'
import type { Effects } from '../effects.ts'
import type { UndoStorage } from '../undo-store/undo-storage.ts'
import type { Workspace } from '../workspace.ts'
import { type AttributesOrigin, carryAttributes, rememberPlain } from './attributes/file-attributes.ts'
import { accessSync, lstatSync, openSync, renameSync, unlinkSync } from './byte-path-fs.ts'
import { errnoOf, quotePath } from './errno.ts'
import { renameExclusive } from './exclusive-rename.ts'
import { contentIdentity, isSameStat } from './fingerprint.ts'
import type { ResolvedEntry } from './paths.ts'
import { settleAll } from './settle-all.ts'
import { fsync, type WriteContent } from './write-content.ts'

/** Mode of new files before the umask is applied. */
export const NEW_FILE_MODE = 0o666
const OLD_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL

/** Permission bits of a written file: those of the replaced file, the defaults for new files, or explicit ones. */
export interface FilePermissions {
  from?: BigIntStats | undefined
  forNew?: number
  exactly?: number | undefined
  /** Source of its extended attributes. */
  attributes?: AttributesOrigin | undefined
}

interface AtomicWriteOptions {
  workspace: Workspace
  undoStorage: UndoStorage
  effects: Effects
  /** Runs other durability work that must complete before the file becomes visible. */
  concurrently(): Promise<unknown>
  /** Runs work that can be done while the disk is busy. */
  whileSyncing(): void
  /** Returns the change to report, once `whileSyncing` is done. */
  change(): Change
  /** Returns the replaced content, if it is stored. */
  previousContent(): Uint8Array | undefined
  /** Called once the file is visible. */
  onVisible(change: Change): void
}

/**
 * Writes a file atomically in an existing folder. `from` is the snapshot that the caller took: the file is replaced only if it
 * still matches. Without `from` the path must be free; nothing is ever overwritten.
 */
export async function writeFileAtomic(
  place: ResolvedEntry,
  fill: WriteContent,
  bits: FilePermissions,
  putting: AtomicWriteOptions
): Promise<void> {
  const { workspace, undoStorage, effects } = putting
  const { from } = bits
  if (from) accessSync(place.accessPath, constants.W_OK)
  const folder = nodePath.dirname(place.path)
  const name = undoStorage.log.beginFile(nodePath.join(workspace.root, folder))
  const temp = place.entryPrefix + name
  // The journal writes meanwhile.
  const committed = effects.commitIntent()
  committed.catch(() => {})
  try {
    const fd = openSync(temp, NEW_FILE | workspace.dirAccess.noFollowFlags, bits.forNew ?? 0o600)
    try {
      const [{ isPlain }] = await settleAll(
        writeDurably(fd, fill, bits, effects.signal),
        putting.concurrently(),
        committed,
        afterTurn(putting.whileSyncing)
      )
      effects.signal.throwIfAborted()
      const change = putting.change()
      const intent = {
        call: undoStorage.call,
        root: workspace.root,
        changes: [change],
        temp: nodePath.join(folder, name)
      }
      const number = undoStorage.log.logAndApply(intent, () => {
        if (from) replaceIfUnchanged(temp, place, from)
        else renameExclusive(temp, place.accessPath)
      })
      try {
        await fsync(place.parentFd)
      } catch (error) {
        if (tryRevert(fd, temp, place, from ? putting.previousContent() : 'nothing'))
          undoStorage.log.markReverted(number)
        else putting.onVisible(change)
        throw error
      }
      if (isPlain) rememberPlain(fstatSync(fd, { bigint: true }))
      putting.onVisible(change)
    } catch (error) {
      remove(temp)
      throw error
    } finally {
      closeSync(fd)
    }
  } finally {
    undoStorage.log.endFile(name)
  }
}

/** Runs work in the next turn, once the disk has been given its own. */
async function afterTurn(work: () => void) {
  await turn()
  work()
}

/** Opens the file that is replaced, for its attributes. */
export const replacedAttributes = (accessPath: string, stat: BigIntStats): AttributesOrigin => ({
  stat,
  open: () => openSync(accessPath, OLD_FILE),
  isReplaced: true
})

/** Fills a new file and resolves once it is synced to disk. `isPlain`: it has no extended attributes. */
export async function writeDurably(fd: number, fill: WriteContent, bits: FilePermissions, signal: AbortSignal) {
  if (bits.from) copyOwner(fd, bits.from)
  const isPlain = await setPermissions(fd, bits)
  await fill(fd, signal)
  await fsync(fd)
  return { isPlain }
}

/** Gives an empty file its permission bits and extended attributes. Returns true if it has none of the latter. */
async function setPermissions(fd: number, { attributes, exactly, from }: FilePermissions): Promise<boolean> {
  const given = exactly ?? (from && Number(from.mode))
  const created = attributes && given === undefined ? fstatSync(fd).mode : undefined
  const carried = attributes && (await carryAttributes(fd, attributes))
  const mode = carried?.hasList ? (given ?? fstatSync(fd).mode) : (given ?? created)
  // Never setuid or setgid: the content is different.
  if (mode !== undefined) fchmodSync(fd, mode & 0o777 & ~(carried?.withheld ?? 0))
  return carried?.isPlain ?? false
}

/** Copies the old file's owner if the process may change ownership. */
function copyOwner(fd: number, was: BigIntStats) {
  const now = fstatSync(fd, { bigint: true })
  if (now.uid === was.uid && now.gid === was.gid) return
  try {
    fchownSync(fd, Number(was.uid), Number(was.gid))
  } catch (error) {
    if (errnoOf(error) !== 'EPERM') throw error
  }
}

function replaceIfUnchanged(temp: string, place: ResolvedEntry, was: BigIntStats) {
  const now = lstatSync(place.accessPath, { bigint: true, throwIfNoEntry: false })
  if (!now || !isSameStat(was, now)) {
    throw new ToolError(
      'STALE_FILE',
      `${quotePath(place.path)} changed while the call wrote it. Read the file again.`,
      {
        path: place.path
      }
    )
  }
  renameSync(temp, place.accessPath)
}

/** Reverts a file that is visible but may not be durable, provided that it is still the one written here. */
function tryRevert(
  fd: number,
  temp: string,
  { accessPath }: ResolvedEntry,
  before: Uint8Array | 'nothing' | undefined
): boolean {
  try {
    const ours = fstatSync(fd, { bigint: true })
    if (before === undefined || contentIdentity(ours) !== contentIdentity(lstatSync(accessPath, { bigint: true })))
      return false
    if (before === 'nothing') unlinkSync(accessPath)
    else {
      rewrite(temp, before, ours)
      renameSync(temp, accessPath)
    }
    return true
  } catch {
    return false
  }
}

function rewrite(temp: string, bytes: Uint8Array, as: BigIntStats) {
  const fd = openSync(temp, NEW_FILE | constants.O_NOFOLLOW, 0o600)
  try {
    copyOwner(fd, as)
    fchmodSync(fd, Number(as.mode) & 0o777)
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
  } finally {
    closeSync(fd)
  }
}

function remove(temp: string) {
  try {
    unlinkSync(temp)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
  }
}
