// Finds symbolic links by their names, with the ignore rules that ripgrep applies: ripgrep itself lists none.
import { type Dirent, readdirSync } from 'node:fs'
import { errnoOf } from '../files/errno.ts'
import { TimeSlicer } from '../files/time-slicing.ts'
import { IgnoreRules } from '../watch/ignore-rules.ts'
import { joinPath } from '../watch/workspace-tree.ts'

export interface LinkQuery {
  /** Includes links excluded by .gitignore and similar files. */
  ignored: boolean
  signal: AbortSignal
}

/**
 * Returns the links below a folder, unordered, whatever they lead to. Folders are read by path, so that a race may lead the walk
 * out of the workspace: the result holds names to resolve, and is not to be shown.
 */
export async function findLinks(root: string, folder: string, { ignored, signal }: LinkQuery): Promise<string[]> {
  const slices = new TimeSlicer()
  const links: string[] = []
  const todo = [{ folder, above: ignored ? undefined : IgnoreRules.aboveFolder(root, folder) }]
  for (let next = todo.pop(); next; next = todo.pop()) {
    const absolute = next.folder === '.' ? root : `${root}/${next.folder}`
    const entries = readEntries(absolute)
    const rules = next.above?.within(absolute, new Set(entries.map(({ name }) => name)))
    for (const entry of entries) {
      const path = joinPath(next.folder, entry.name)
      if (entry.isSymbolicLink() && !rules?.ignoresFile(`${absolute}/${entry.name}`)) links.push(path)
      if (entry.isDirectory() && entry.name !== '.git' && !rules?.ignores(`${absolute}/${entry.name}`))
        todo.push({ folder: path, above: rules })
    }
    await slices.yieldIfDue()
    signal.throwIfAborted()
  }
  return links
}

/** Returns the entries of a folder; none of one that was removed, or may not be read. */
function readEntries(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true })
  } catch (error) {
    if (errnoOf(error) === undefined) throw error
    return []
  }
}
