// Where paths lie, and what they stand for.
import { realpathSync } from 'node:fs'
import path from 'node:path'

/** Both absolute and normal. A folder lies beneath itself. */
export const isWithin = (file: string, folder: string): boolean =>
  file === folder || file.startsWith(folder === '/' ? '/' : `${folder}/`)

/** The real path of what somebody configured; `~` is their home. */
export const resolveConfiguredPath = (file: string, home: string): string => realPath(file.replace(/^~(?=\/|$)/, home))

/** Links followed as far as there is something. */
export const realPath = (file: string): string => realPathIfExists(file) ?? path.resolve(file)

export function realPathIfExists(file: string): string | undefined {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}
