// The field and the note of a diff that is not whole in the output of a tool.
import { Type } from 'typebox'

export const DIFF_TRUNCATED = Type.Optional(
  Type.Boolean({ description: 'True if the diff is shortened. Read the file for the whole text.' })
)

/** Returns the note, if any of the files needs it. */
export const truncatedDiffNotes = (files: readonly { diff_truncated?: boolean | undefined }[]): string[] =>
  files.some(({ diff_truncated }) => diff_truncated) ? ['(The diff is truncated. Read the file.)'] : []
