// Absolute paths, relative to a root that several of them name.

/** Returns the path relative to the root, `.` for the root itself, of an absolute path by any spelling; undefined if it is outside. */
export function relativeToRoot({ spellings }: { spellings: readonly string[] }, absolute: string): string | undefined {
  const root = spellings.find(each => isInOrAt(absolute, each))
  return root === undefined ? undefined : absolute.slice(root === '/' ? 1 : root.length + 1) || '.'
}

/** Checks if a path is that of the folder, or of something in it. */
export const isInOrAt = (path: string, folder: string) =>
  path === folder || path.startsWith(folder === '/' ? folder : `${folder}/`)
