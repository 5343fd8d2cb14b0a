// A comment of a reviewer on a line of a preview's diff.
import { type Static, Type } from 'typebox'

/** Maximum number of comments of one rejection. */
const MAX_COMMENTS = 50

export const ReviewComment = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 4_096, description: 'Path of the file in the diff.' }),
    line: Type.Integer({ minimum: 1, description: 'Line number, from 1.' }),
    side: Type.Optional(
      Type.Enum(['old', 'new'], {
        description: 'Text that `line` counts in. `new` (default): as proposed. `old`: as it is, for a removed line.'
      })
    ),
    text: Type.String({ minLength: 1, maxLength: 2_000, description: 'Text of the comment.' })
  },
  { additionalProperties: false, title: 'ReviewComment' }
)
export type ReviewComment = Static<typeof ReviewComment>

export const ReviewComments = Type.Array(ReviewComment, {
  maxItems: MAX_COMMENTS,
  description: 'Comments on lines of the diff, for the caller.'
})
