// Comments of a person on lines of the files of a call. They are sent with a rejection.
import type { CallPreview, RejectRequest } from '../../../../src/client/client.ts'
import type { DiffSide, FileLine } from './card.ts'
import { readDiffLines } from './diff-lines.ts'
import type { WaitingEntry } from './waiting-calls.ts'

export type ReviewComment = NonNullable<RejectRequest['comments']>[number]

/** Maximum number of comments of a rejection. */
export const MAX_COMMENTS = 50
/** Maximum number of characters of a comment. */
export const MAX_COMMENT_LENGTH = 2_000

/** Returns the lines of a file that the diff shows, counted from 0. An unchanged line belongs to the proposed text. */
export function listCommentableLines({ whole, edited }: WaitingEntry, { file, side }: DiffSide): number[] {
  // A rejection is about the call as it was requested.
  if (edited || !whole?.preview.diff) return []
  return readDiffLines(whole.preview.diff, whole.files)
    .map(({ shownAt }) => shownAt)
    .filter(at => at !== undefined)
    .filter(at => at.file === file && at.side === side)
    .map(({ line }) => line)
}

/** Returns the path by which a diff names a file. */
export const getDiffPath = ({ files }: CallPreview, { file }: DiffSide): string | undefined =>
  files[file]?.to ?? files[file]?.path

/** Returns a comment as the server expects it. */
export const toReviewComment = (path: string, { side, line }: FileLine, text: string): ReviewComment => ({
  path,
  line: line + 1,
  ...(side === 'before' && { side: 'old' }),
  text
})

export const formatCommentCount = (count: number): string => (count === 1 ? '1 comment' : `${count} comments`)
