// Merges two steps of file changes into one: a call reports one change per path, from the state before it to the state after it.
import type { FileChange } from '../protocol/file-change.ts'

/** Merges the changes of each path. Each input contains a path at most once. */
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

/** Merges two changes of a path; undefined if they cancel each other out. */
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

/** Merges a change with a later deletion: the deleted content is the one before the first change. */
function mergeDeletion({ before_hash, before_mode, before_attributes }: FileChange, then: FileChange): FileChange {
  return {
    ...then,
    ...(before_hash !== undefined && { before_hash }),
    ...(before_mode !== undefined && { before_mode }),
    ...(before_attributes !== undefined && { before_attributes })
  }
}

/** Merges line counts. For a file that the first change created, all remaining lines are added ones. */
function mergeLineCounts(first: FileChange, then: FileChange): Pick<FileChange, 'added' | 'removed'> {
  if (first.added === undefined || then.added === undefined) return {}
  const [added, removed] = [first.added + then.added, (first.removed ?? 0) + (then.removed ?? 0)]
  return first.operation === 'created' ? { added: added - (then.removed ?? 0), removed: 0 } : { added, removed }
}
