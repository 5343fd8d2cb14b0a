// Where paths lie, and what they stand for.
import { realpathSync } from 'node:fs'
import path from 'node:path'

/** Both absolute and normal. A folder lies beneath itself. */
export const isBeneath = (file: string, folder: string): boolean =>
  file === folder || file.startsWith(folder === '/' ? '/' : `${folder}/`)

/** The real path of what somebody configured; `~` is their home. */
export const expanded = (file: string, home: string): string => real(file.replace(/^~(?=\/|$)/, home))

/** Links followed as far as there is something. */
export const real = (file: string): string => realIfThere(file) ?? path.resolve(file)

export function realIfThere(file: string): string | undefined {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}
