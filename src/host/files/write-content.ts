// Writes content to a descriptor: small buffers synchronously, large ones in chunks.
import { fsync as fsyncCallback, write as writeCallback, writeSync } from 'node:fs'
import { promisify } from 'node:util'

export const fsync = promisify(fsyncCallback)
const write = promisify(writeCallback)

/** Up to this many bytes, a synchronous write is faster than a trip to the thread pool. */
const SYNC_LIMIT = 256 * 1024
/** Size of one asynchronous write in bytes; cancellation is checked in between. */
const CHUNK = 1024 * 1024

/** Writes a file's content to a descriptor. The part before its first await overlaps with the journal's commit. */
export type WriteContent = (fd: number, signal: AbortSignal) => Promise<void>

/** Writes all bytes; up to the limit synchronously. */
export async function writeBytes(fd: number, bytes: Uint8Array, signal: AbortSignal) {
  if (bytes.length > SYNC_LIMIT) return writeAll(fd, bytes, signal)
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
}

/** Writes all bytes in chunks. Rejects with the reason of the signal if that aborts. */
export async function writeAll(fd: number, bytes: Uint8Array, signal: AbortSignal) {
  for (let at = 0; at < bytes.length; ) {
    signal.throwIfAborted()
    at += (await write(fd, bytes, at, Math.min(CHUNK, bytes.length - at))).bytesWritten
  }
}
