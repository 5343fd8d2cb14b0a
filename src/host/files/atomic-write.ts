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
  fsync as fsyncCallback,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  write as writeCallback,
  writeSync
} from 'node:fs'
import nodePath from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { ToolError } from '../../errors.ts'
import type { Change, Effects, Workspace } from '../host.ts'
import type { Keeping } from '../undo-store/undo-storage.ts'
import { errnoOf, quote } from './errno.ts'
import { renameExclusive } from './exclusive-rename.ts'
import { identityOf, isUnchanged } from './fingerprint.ts'
import type { Place } from './paths.ts'

export const fsync = promisify(fsyncCallback)
const write = promisify(writeCallback)

/** Writing this much at once is quicker than a trip to the thread pool. */
const SYNC_LIMIT = 256 * 1024
const CHUNK = 1024 * 1024
/** Of which the system's mask takes some away. */
export const NEW_FILE_MODE = 0o666
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL

/** Writes a file's content to a descriptor. What it does before its first await overlaps with the journal's commit. */
export type Fill = (fd: number, signal: AbortSignal) => Promise<void>

export async function writeBytes(fd: number, bytes: Uint8Array, signal: AbortSignal) {
  if (bytes.length > SYNC_LIMIT) return writeAll(fd, bytes, signal)
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
}

export async function writeAll(fd: number, bytes: Uint8Array, signal: AbortSignal) {
  for (let at = 0; at < bytes.length; ) {
    signal.throwIfAborted()
    at += (await write(fd, bytes, at, Math.min(CHUNK, bytes.length - at))).bytesWritten
  }
}

/** Permission bits of a file that is written: those of the one it replaces, those that new files get here, or these. */
export interface Bits {
  was?: BigIntStats | undefined
  new?: number
  exactly?: number | undefined
}

interface Putting {
  workspace: Workspace
  keeping: Keeping
  effects: Effects
  /** What must be durable besides before the file shows. */
  alongside(): Promise<unknown>
  /** Work that can be done while the disk is busy. */
  meanwhile(): void
  /** What is to be told, once that work is done. */
  change(): Change
  /** The content that is replaced, where it is kept. */
  former(): Uint8Array | undefined
  /** Called once it has happened. */
  visible(change: Change): void
}

/**
 * Puts a file at a place whose folder exists. `was` is what the caller found there: it is replaced only while it still
 * is that. Without it nothing may be there, and nothing is ever overwritten.
 */
export async function put(place: Place, fill: Fill, bits: Bits, putting: Putting): Promise<void> {
  const { workspace, keeping, effects } = putting
  const { was } = bits
  if (was) accessSync(place.door, constants.W_OK)
  const folder = nodePath.dirname(place.path)
  const name = keeping.log.begin(nodePath.join(workspace.root, folder))
  const temp = place.prefix + name
  try {
    const fd = openSync(temp, NEW_FILE | workspace.doors.noLinks, bits.new ?? 0o600)
    try {
      await allOf(
        durable(fd, fill, bits, effects.signal),
        putting.alongside(),
        effects.committed(),
        later(putting.meanwhile)
      )
      effects.signal.throwIfAborted()
      const change = putting.change()
      const intent = { call: keeping.call, root: workspace.root, changes: [change], temp: nodePath.join(folder, name) }
      const number = keeping.log.happen(intent, () => {
        if (was) replace(temp, place, was)
        else renameExclusive(temp, place.door)
      })
      try {
        await fsync(place.folder)
      } catch (error) {
        if (takenBack(fd, temp, place, was ? putting.former() : 'nothing')) keeping.log.never(number)
        else putting.visible(change)
        throw error
      }
      putting.visible(change)
    } catch (error) {
      remove(temp)
      throw error
    } finally {
      closeSync(fd)
    }
  } finally {
    keeping.log.end()
  }
}

/** Once the disk has been given its work. */
async function later(work: () => void) {
  await turn()
  work()
}

/** Fails only when all have ended: nobody may still write to a descriptor that gets closed. */
export async function allOf<T extends unknown[]>(...work: T): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work)
  return Promise.all(work) as Promise<{ [K in keyof T]: Awaited<T[K]> }>
}

/** Fills a new file, and resolves once that is on the disk. */
export async function durable(fd: number, fill: Fill, bits: Bits, signal: AbortSignal) {
  if (bits.was) keepOwner(fd, bits.was)
  const mode = bits.exactly ?? (bits.was && Number(bits.was.mode))
  // Never setuid or setgid: the content is another one.
  if (mode !== undefined) fchmodSync(fd, mode & 0o777)
  await fill(fd, signal)
  await fsync(fd)
}

/** The old file's owner, where we may give files away. */
function keepOwner(fd: number, was: BigIntStats) {
  const now = fstatSync(fd, { bigint: true })
  if (now.uid === was.uid && now.gid === was.gid) return
  try {
    fchownSync(fd, Number(was.uid), Number(was.gid))
  } catch (error) {
    if (errnoOf(error) !== 'EPERM') throw error
  }
}

function replace(temp: string, place: Place, was: BigIntStats) {
  const now = lstatSync(place.door, { bigint: true, throwIfNoEntry: false })
  if (!now || !isUnchanged(was, now)) {
    throw new ToolError('STALE_FILE', `${quote(place.path)} changed while it was being written.`, { path: place.path })
  }
  renameSync(temp, place.door)
}

/** Takes back a file that shows but may not last, while it still is ours. */
function takenBack(fd: number, temp: string, { door }: Place, before: Uint8Array | 'nothing' | undefined): boolean {
  try {
    const ours = fstatSync(fd, { bigint: true })
    if (before === undefined || identityOf(ours) !== identityOf(lstatSync(door, { bigint: true }))) return false
    if (before === 'nothing') unlinkSync(door)
    else {
      rewrite(temp, before, ours)
      renameSync(temp, door)
    }
    return true
  } catch {
    return false
  }
}

function rewrite(temp: string, bytes: Uint8Array, as: BigIntStats) {
  const fd = openSync(temp, NEW_FILE | constants.O_NOFOLLOW, 0o600)
  try {
    keepOwner(fd, as)
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
