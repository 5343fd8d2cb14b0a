// A text that a program reads as a file of its own: outside the workspace, and there only as long as the program.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '../temporary.ts'

export interface OwnFile {
  /** Its last name, such as `main.py`. */
  name: string
  text: string
}

export interface PlacedFile {
  path: string
  remove(): Promise<void>
}

export async function placeFile({ name, text }: OwnFile): Promise<PlacedFile> {
  const { path: folder, remove } = await temporaryFolder()
  const path = join(folder, name)
  try {
    await writeFile(path, text, { mode: 0o400, flag: 'wx' })
    return { path, remove }
  } catch (error) {
    await remove()
    throw error
  }
}
