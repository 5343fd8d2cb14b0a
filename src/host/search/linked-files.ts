// Resolves symbolic links to the files that they lead to.
import { ToolError } from '../../errors.ts'
import type { PathClassification } from '../files/policy/path-policy.ts'
import type { ResolvedPaths } from '../files/resolved-paths.ts'
import { TimeSlicer } from '../files/time-slicing.ts'

/** A symbolic link to a regular file inside the workspace. */
interface LinkedFile {
  /** Path of the link. */
  link: string
  /** Canonical path of the file. */
  target: string
  /** May hold credentials, by the name of the link or of the file. */
  sensitive: boolean
}

type PathClassifier = Pick<ResolvedPaths, 'peek' | 'peekEntry'>

/**
 * Returns those links that lead to a regular file inside the workspace, by any number of links. Omits links to folders, dangling
 * ones, those that lead out of the workspace, and those that are, or lead to, an entry of git or of a server.
 */
export async function resolveLinks(
  links: readonly string[],
  files: PathClassifier,
  signal: AbortSignal
): Promise<LinkedFile[]> {
  const slices = new TimeSlicer()
  const resolved: LinkedFile[] = []
  for (const link of links) {
    const target = resolveLink(link, files)
    if (target) resolved.push({ link, target: target.path, sensitive: target.sensitive })
    await slices.yieldIfDue()
    signal.throwIfAborted()
  }
  return resolved
}

function resolveLink(link: string, files: PathClassifier): PathClassification | undefined {
  try {
    const entry = files.peekEntry(link)
    // No longer a link.
    if (entry.path !== link || entry.kind !== 'other' || entry.protected) return undefined
    const target = files.peek(link)
    return target.kind === 'file' && !target.protected ? target : undefined
  } catch (error) {
    // For instance a link out of the workspace, or a loop.
    if (error instanceof ToolError) return undefined
    throw error
  }
}
