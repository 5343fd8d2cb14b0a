// A text that a program reads as a file of its own: outside the workspace, and there only as long as the program.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mountPoint } from '../sandbox/bubblewrap/mount-points.ts'
import type { Mount } from '../sandbox/sandbox.ts'
import { createTempFolder } from '../temp-folders.ts'

export interface PrivateFile {
  /** Its last name, such as `main.py`. */
  name: string
  text: string
}

export interface PrivateTempFile {
  /** As a program that is given the mounts names it among its words. */
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
