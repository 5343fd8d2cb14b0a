/** Returns all ancestors of a path, the upper ones first; without the root, to which the path is relative. */
export function listAncestors(path: string): string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, i) => names.slice(0, i + 1).join('/'))
}

/** Checks if a normalized path is a folder or lies in it. */
export const isInFolder = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
