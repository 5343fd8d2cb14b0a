// Pruning of walks by globs.

/** Returns true if a glob may match a descendant of the folder, judging by the text that it begins with. `.` is the root. */
export function mayMatchWithin(folder: string, glob: string): boolean {
  if (folder === '.') return true
  const literal = /^[^\\*?[\]{},!]*/.exec(glob)![0]
  return literal.startsWith(`${folder}/`) || `${folder}/`.startsWith(literal)
}
