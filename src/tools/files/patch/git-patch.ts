import { Type } from 'typebox'

/** What `git apply` takes of a file that is not in UTF-8: a diff of its text would not be one of its bytes. */
export const GIT_PATCH = Type.Optional(
  Type.String({
    description: 'For git apply, told where the file is not in UTF-8: there the diff is of its text alone.'
  })
)
