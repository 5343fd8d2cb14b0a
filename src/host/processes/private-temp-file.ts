// A temporary file for one program: outside the workspace, and removed with the program.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mountPoint } from '../sandbox/bubblewrap/mount-points.ts'
import type { Mount } from '../sandbox/sandbox.ts'
import { createTempFolder } from '../temp-folders.ts'

export interface PrivateFile {
  /** Base name, such as `main.py`. */
  name: string
  text: string
}

export interface PrivateTempFile {
  /** Path by which a program with the mounts refers to it in its arguments. */
  path: string
  mounts: readonly Mount[]
  remove(): Promise<void>
}

export async function writePrivateTempFile(within: string, { name, text }: PrivateFile): Promise<PrivateTempFile> {
  const { path: folder, remove } = await createTempFolder(within)
  const file = join(folder, name)
  try {
    await writeFile(file, text, { mode: 0o400, flag: 'wx' })
    const path = mountPoint(name)
    return { path, mounts: [{ from: file, to: path }], remove }
  } catch (error) {
    await remove()
    throw error
  }
}
