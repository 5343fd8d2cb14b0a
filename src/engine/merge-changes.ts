// What was done to paths in two steps, as if in one: a call tells one change of a path, from what was there before it to
// what is there after it.
import type { FileChange } from './call.ts'

/** Both have each path at most once; what is done to a path of the one is taken together with the other. */
export function mergeChanges(first: readonly FileChange[], then: readonly FileChange[]): FileChange[] {
  const merged = new Map(first.map(change => [change.path, change]))
  for (const change of then) {
    const before = merged.get(change.path)
    const both = before ? mergeChange(before, change) : change
    if (both) merged.set(change.path, both)
    else merged.delete(change.path)
  }
  return [...merged.values()]
}

/** Nothing where nothing is left of both. */
function mergeChange(first: FileChange, then: FileChange): FileChange | undefined {
  const { after_hash, after_mode, target } = then
  const left = {
    ...(after_hash !== undefined && { after_hash }),
    ...(after_mode !== undefined && { after_mode }),
    ...(target !== undefined && { target })
  }
  if (then.operation === 'modified') return { ...first, ...left, ...mergeLineCounts(first, then) }
  if (then.operation === 'deleted') return first.operation === 'created' ? undefined : mergeDeletion(first, then)
  if (first.operation === 'deleted' && then.operation === 'created' && first.kind === then.kind)
    return { ...first, operation: 'modified', ...left, ...mergeLineCounts(first, then) }
  return then
}

/** What was at the path before the first is what is gone. */
function mergeDeletion({ before_hash, before_mode }: FileChange, then: FileChange): FileChange {
  return {
    ...then,
    ...(before_hash !== undefined && { before_hash }),
    ...(before_mode !== undefined && { before_mode })
  }
}

/** Of what was made by the first, all lines that are left are new. */
function mergeLineCounts(first: FileChange, then: FileChange): Pick<FileChange, 'added' | 'removed'> {
  if (first.added === undefined || then.added === undefined) return {}
  const [added, removed] = [first.added + then.added, (first.removed ?? 0) + (then.removed ?? 0)]
  return first.operation === 'created' ? { added: added - (then.removed ?? 0), removed: 0 } : { added, removed }
}
