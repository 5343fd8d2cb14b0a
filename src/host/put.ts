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
  linkSync,
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
import { ToolError } from '../errors.ts'
import { errnoOf, quote } from './errno.ts'
import type { Effects, Workspace } from './host.ts'
import type { Place } from './paths.ts'
import { isUnchanged } from './stamp.ts'
import type { Temps } from './temps.ts'

export const fsync = promisify(fsyncCallback)
const write = promisify(writeCallback)

/** Writing this much at once is quicker than a trip to the thread pool. */
const SYNC_LIMIT = 256 * 1024
const CHUNK = 1024 * 1024
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

export interface Putting {
  workspace: Workspace
  temps: Temps
  effects: Effects
  /** Work that can be done while the disk is busy. */
  meanwhile(): void
  /** Called the moment the file shows. */
  visible(): void
}

/**
 * Puts a file at a place whose folder exists. `was` is what the caller found there: it is replaced only while it still
 * is that. Without it nothing may be there, and nothing is ever overwritten.
 */
export async function put(
  place: Place,
  fill: Fill,
  was: BigIntStats | undefined,
  mode: number,
  { workspace, temps, effects, meanwhile, visible }: Putting
): Promise<void> {
  if (was) accessSync(place.door, constants.W_OK)
  const temp = place.prefix + temps.begin(nodePath.join(workspace.root, nodePath.dirname(place.path)))
  try {
    const fd = openSync(temp, NEW_FILE | workspace.doors.noLinks, mode & 0o777)
    try {
      await allOf(durable(fd, fill, was, effects.signal), effects.committed(), later(meanwhile))
      effects.signal.throwIfAborted()
      if (was) replace(temp, place, was)
      else renameExclusive(temp, place.door)
    } catch (error) {
      remove(temp)
      throw error
    } finally {
      closeSync(fd)
    }
  } finally {
    temps.end()
  }
  visible()
  await fsync(place.folder)
}

/** Once the disk has been given its work. */
async function later(work: () => void) {
  await turn()
  work()
}

/** Fails only when all have ended: nobody may still write to a descriptor that gets closed. */
async function allOf(...promises: Promise<unknown>[]) {
  for (const outcome of await Promise.allSettled(promises)) if (outcome.status === 'rejected') throw outcome.reason
}

async function durable(fd: number, fill: Fill, was: BigIntStats | undefined, signal: AbortSignal) {
  if (was) keepAttributes(fd, was)
  await fill(fd, signal)
  await fsync(fd)
}

/** The old file's permission bits without setuid and setgid, and its owner where we may give files away. */
function keepAttributes(fd: number, was: BigIntStats) {
  const now = fstatSync(fd, { bigint: true })
  if (now.uid !== was.uid || now.gid !== was.gid) {
    try {
      fchownSync(fd, Number(was.uid), Number(was.gid))
    } catch (error) {
      if (errnoOf(error) !== 'EPERM') throw error
    }
  }
  const mode = Number(was.mode) & 0o777
  if ((Number(now.mode) & 0o7777) !== mode) fchmodSync(fd, mode)
}

function replace(temp: string, place: Place, was: BigIntStats) {
  const now = lstatSync(place.door, { bigint: true, throwIfNoEntry: false })
  if (!now || !isUnchanged(was, now)) {
    throw new ToolError('STALE_FILE', `${quote(place.path)} changed while it was being written.`, { path: place.path })
  }
  renameSync(temp, place.door)
}

/** Gives a file another name where nothing is. A rename would overwrite what appeared meanwhile; a link does not. */
export function renameExclusive(from: string, to: string) {
  try {
    linkSync(from, to)
  } catch (error) {
    if (!NO_HARD_LINKS.has(errnoOf(error) ?? '')) throw error
    closeSync(openSync(to, NEW_FILE | constants.O_NOFOLLOW, 0o600))
    renameSync(from, to)
    return
  }
  unlinkSync(from)
}

// What file systems without hard links answer.
const NO_HARD_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

function remove(temp: string) {
  try {
    unlinkSync(temp)
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error
  }
}
