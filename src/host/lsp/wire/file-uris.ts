// Converts file URIs.
import { fileURLToPath, pathToFileURL } from 'node:url'

export const toFileUri = (absolute: string): string => pathToFileURL(absolute).href

/** Returns the absolute path; undefined for other URIs, such as entries of an archive or virtual documents. */
export function fileUriToPath(uri: string): string | undefined {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : undefined
  } catch {
    return undefined
  }
}

/** Returns the path relative to a folder that contains it; the folder itself is `.`. */
export function relativePathWithin(folder: string, absolute: string): string | undefined {
  if (absolute === folder) return '.'
  return absolute.startsWith(`${folder}/`) ? absolute.slice(folder.length + 1) : undefined
}
