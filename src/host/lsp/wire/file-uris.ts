// Files as servers name them.
import { fileURLToPath, pathToFileURL } from 'node:url'

export const toFileUri = (absolute: string): string => pathToFileURL(absolute).href

/** Absolute; undefined for what is no file, such as what a server keeps in an archive or makes up. */
export function fileUriToPath(uri: string): string | undefined {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : undefined
  } catch {
    return undefined
  }
}

/** Relative to a folder that holds it, which is `.` itself. */
export function relativePathWithin(folder: string, absolute: string): string | undefined {
  if (absolute === folder) return '.'
  return absolute.startsWith(`${folder}/`) ? absolute.slice(folder.length + 1) : undefined
}
