// Putting a whole file in place at once: written beside its place, made durable, then renamed. Whoever looks sees the
// old bytes or the new ones, and after a power cut too.
import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync
} from 'node:fs'
import nodePath from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { ToolError } from '../../errors.ts'
import type { Change } from '../change.ts'
import type { Effects } from '../effects.ts'
import type { UndoStorage } from '../undo-store/undo-storage.ts'
import type { Workspace } from '../workspace.ts'
import { errnoOf, quotePath } from './errno.ts'
import { renameExclusive } from './exclusive-rename.ts'
import { contentIdentity, isSameStat } from './fingerprint.ts'
import type { ResolvedEntry } from './paths.ts'
import { settleAll } from './settle-all.ts'
import { fsync, type WriteContent } from './write-content.ts'

/** Of which the system's mask takes some away. */
export const NEW_FILE_MODE = 0o666
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL

/** Permission bits of a file that is written: those of the one it replaces, those that new files get here, or these. */
export interface FilePermissions {
  from?: BigIntStats | undefined
  forNew?: number
  exactly?: number | undefined
}

interface AtomicWriteOptions {
  workspace: Workspace
  undoStorage: UndoStorage
  effects: Effects
  /** What must be durable besides before the file shows. */
  concurrently(): Promise<unknown>
  /** Work that can be done while the disk is busy. */
  whileSyncing(): void
  /** What is to be told, once that work is done. */
  change(): Change
  /** The content that is replaced, where it is kept. */
  previousContent(): Uint8Array | undefined
  /** Called once it has happened. */
  onVisible(change: Change): void
}

/**
 * Puts a file at a place whose folder exists. `from` is what the caller found there: it is replaced only while it still
 * is that. Without it nothing may be there, and nothing is ever overwritten.
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
  try {
    const fd = openSync(temp, NEW_FILE | workspace.dirAccess.noFollowFlags, bits.forNew ?? 0o600)
    try {
      await settleAll(
        writeDurably(fd, fill, bits, effects.signal),
        putting.concurrently(),
        effects.commitIntent(),
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
      putting.onVisible(change)
    } catch (error) {
      remove(temp)
      throw error
    } finally {
      closeSync(fd)
    }
  } finally {
    undoStorage.log.endFile()
  }
}

/** Once the disk has been given its work. */
async function afterTurn(work: () => void) {
  await turn()
  work()
}

/** Fills a new file, and resolves once that is on the disk. */
export async function writeDurably(fd: number, fill: WriteContent, bits: FilePermissions, signal: AbortSignal) {
  if (bits.from) copyOwner(fd, bits.from)
  const mode = bits.exactly ?? (bits.from && Number(bits.from.mode))
  // Never setuid or setgid: the content is another one.
  if (mode !== undefined) fchmodSync(fd, mode & 0o777)
  await fill(fd, signal)
  await fsync(fd)
}

/** The old file's owner, where we may give files away. */
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
    throw new ToolError('STALE_FILE', `${quotePath(place.path)} changed while it was being written.`, {
      path: place.path
    })
  }
  renameSync(temp, place.accessPath)
}

/** Takes back a file that shows but may not last, while it still is ours. */
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
