// The paths of a waiting call: those of the files in its diff, or else the one that its params name.
import type { WaitingCall } from '../store/approvals.ts'

const pathsByApproval = new WeakMap<WaitingCall['approval'], readonly string[]>()

/** Lists the paths, also the targets of moves. */
export function listCallPaths({ approval, params }: WaitingCall): readonly string[] {
  const known = pathsByApproval.get(approval)
  if (known) return known
  const paths = [...new Set(findPaths(approval, params))]
  pathsByApproval.set(approval, paths)
  return paths
}

function findPaths({ files, preview }: WaitingCall['approval'], params: unknown): readonly string[] {
  // Only calls that change few files list them.
  const inDiff =
    files?.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to])) ?? listDiffPaths(preview.diff)
  if (inDiff.length > 0) return inDiff
  const { path } = (params ?? {}) as { path?: unknown }
  return typeof path === 'string' ? [path] : []
}

/** The headers of a file, before its first hunk. */
const FILE_HEADERS = /^--- (?:a\/)?(.+)\n\+\+\+ (?:b\/)?(.+)\n@@/gm

const listDiffPaths = (diff = ''): string[] =>
  [...diff.matchAll(FILE_HEADERS)]
    .flatMap(([, before, after]) => [before!, after!])
    .filter(path => path !== '/dev/null')
