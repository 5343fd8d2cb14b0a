// A temporary file for one program: outside the workspace, and removed with the program.
import { constants } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mountPoint } from '../sandbox/bubblewrap/mount-points.ts'
import type { Mount } from '../sandbox/sandbox.ts'
import { createTempFolder } from '../temp-folders.ts'

export interface PrivateFile {
  /** Base name, such as `main.py`. */
  name: string
  text: string
  /** The program may write to it. */
  isWritable?: true
}

export interface PrivateTempFile {
  /** Path by which a program with the mounts refers to it in its arguments. */
  path: string
  mounts: readonly Mount[]
  /** Returns its content; undefined if it is larger than the limit, or the program replaced it with something else. */
  read(maxBytes: number): Promise<Buffer | undefined>
  remove(): Promise<void>
}

export async function writePrivateTempFile(
  within: string,
  { name, text, isWritable }: PrivateFile
): Promise<PrivateTempFile> {
  const { path: folder, remove } = await createTempFolder(within)
  const file = join(folder, name)
  try {
    await writeFile(file, text, { mode: isWritable ? 0o600 : 0o400, flag: 'wx' })
    const path = mountPoint(name)
    const mounts = [{ from: file, to: path, ...(isWritable && { isWritable }) }]
    return { path, mounts, read: maxBytes => readRegularFile(file, maxBytes), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

async function readRegularFile(file: string, maxBytes: number): Promise<Buffer | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
  try {
    const stat = await handle?.stat()
    if (!handle || !stat?.isFile() || stat.size > maxBytes) return undefined
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(stat.size), 0, stat.size, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle?.close()
  }
}
