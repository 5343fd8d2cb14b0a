// Containment and resolution of paths.
import path from 'node:path'
import { realpathSync } from '../files/byte-path-fs.ts'

/** Checks containment of absolute, normalized paths. A folder contains itself. */
export const isWithin = (file: string, folder: string): boolean =>
  file === folder || file.startsWith(folder === '/' ? '/' : `${folder}/`)

/** Returns the paths that do not lie in another one of them. */
export const uppermost = (files: readonly string[]): string[] =>
  [...new Set(files)].filter(file => !files.some(other => other !== file && isWithin(file, other)))

/** Returns the real path of a configured path; `~` is the user's home. */
export const resolveConfiguredPath = (file: string, home: string): string => realPath(file.replace(/^~(?=\/|$)/, home))

/** Resolves links as far as the path exists. */
export function realPath(file: string): string {
  const real = realPathIfExists(file)
  if (real !== undefined) return real
  const { dir, base } = path.parse(path.resolve(file))
  return base === '' ? dir : path.join(realPath(dir), base)
}

export function realPathIfExists(file: string): string | undefined {
  try {
    return realpathSync(file)
  } catch {
    return undefined
  }
}
