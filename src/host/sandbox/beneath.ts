// Where paths lie, and what they stand for.
import { realpathSync } from 'node:fs'
import path from 'node:path'
import { homeOf } from '../server/home.ts'

/** Both absolute and normal. A folder lies beneath itself. */
export const isBeneath = (file: string, folder: string): boolean =>
  file === folder || file.startsWith(folder === '/' ? '/' : `${folder}/`)

/** The real path of what somebody configured; `~` is the home. */
export const expanded = (file: string): string => real(file.replace(/^~(?=\/|$)/, homeOf(process.env)))

/** Links followed as far as there is something. */
export const real = (file: string): string => realIfThere(file) ?? path.resolve(file)

export function realIfThere(file: string): string | undefined {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}
