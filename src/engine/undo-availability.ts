// Determines from the changes of a call if it can be undone at all.

import type { UndoAvailability } from '../protocol/calls.ts'
import type { FileChange } from '../protocol/file-change.ts'

/** Returns the availability of an undo for a call that changed files. */
export function getUndoAvailability(changes: readonly FileChange[]): UndoAvailability {
  const lost = changes.filter(isContentLost).map(({ path }) => path)
  if (lost.length === 0) return { available: true }
  const more = lost.length > 1 ? ` and ${lost.length - 1} more` : ''
  return { available: false, reason: `The content of ${lost[0]}${more} before the change was not stored.` }
}

/** Returns true if a file was replaced or removed without a recorded hash of its content. */
function isContentLost({ operation, kind, before_hash, before_mode, after_mode }: FileChange) {
  if (kind) return false
  if (operation === 'moved') return before_hash === undefined && before_mode !== undefined && after_mode === undefined
  return operation !== 'created' && before_hash === undefined
}
