// Warns an approver of irreversible losses: the content of too large files is not stored.
import type { Files } from '../../host/files/files.ts'

/** An entry that is replaced or removed. */
export interface DiscardedEntry {
  path: string
  type: string
  size: number
}

/** Returns a note if some of it cannot be restored. */
export function irreversibleLossNotes(going: readonly DiscardedEntry[], files: Pick<Files, 'canArchive'>): string[] {
  const lost = going.filter(({ type, size }) => type === 'file' && !files.canArchive(size))
  if (lost.length === 0) return []
  const bytes = lost.reduce((sum, { size }) => sum + size, 0)
  return [
    lost.length === 1
      ? `${lost[0]!.path} (${bytes} bytes) is larger than \`undo.max_file_bytes\`. Its content is not stored, so the change cannot be undone.`
      : `${lost.length} files (${bytes} bytes) are larger than \`undo.max_file_bytes\`. Their contents are not stored, so the change cannot be undone.`
  ]
}
