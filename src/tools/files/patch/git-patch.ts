import { Type } from 'typebox'

/** Patch for `git apply` of a file that is not in UTF-8: a diff of its text would not match its bytes. */
export const GIT_PATCH = Type.Optional(
  Type.String({
    description: 'Patch for `git apply`, if the file is not in UTF-8. `diff` shows only the text of such a file.'
  })
)
