// Searches read the disk. Unsaved editor buffers are noted in the answer.
import type { Files } from '../../../host/files/files.ts'

const NAMES = 10

/** Lists the files in a folder with unsaved buffers in a sentence; empty if there are none. */
export function unsavedNotes(path: string, files: Pick<Files, 'unsavedIn'>): string[] {
  const held = files.unsavedIn(path)
  if (held.length === 0) return []
  const names = held.slice(0, NAMES).map(each => `${each.path} (${each.client})`)
  const more = held.length > NAMES ? ` and ${held.length - NAMES} more` : ''
  return [`Some files have unsaved changes in editors. Only their saved text was searched: ${names.join(', ')}${more}.`]
}
