// A text that a program reads as a file of its own: outside the workspace, and there only as long as the program.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inside } from '../sandbox/bubblewrap/mount-points.ts'
import type { Mount } from '../sandbox/sandbox.ts'
import { temporaryFolder } from '../temp-folders.ts'

export interface OwnFile {
  /** Its last name, such as `main.py`. */
  name: string
  text: string
}

export interface PlacedFile {
  /** As a program that is given the mounts names it among its words. */
  path: string
  mounts: readonly Mount[]
  remove(): Promise<void>
}

export async function placeFile(within: string, { name, text }: OwnFile): Promise<PlacedFile> {
  const { path: folder, remove } = await temporaryFolder(within)
  const file = join(folder, name)
  try {
    await writeFile(file, text, { mode: 0o400, flag: 'wx' })
    const path = inside(name)
    return { path, mounts: [{ from: file, to: path }], remove }
  } catch (error) {
    await remove()
    throw error
  }
}
