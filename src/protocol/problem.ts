// Schema of a problem document. Client types depend on it, so it must not import server-only modules.
import { type Static, Type } from 'typebox'
import { ERRORS, type ErrorCode } from './error-codes.ts'

const FieldError = Type.Object({
  pointer: Type.String({ description: 'JSON pointer of the field at fault.' }),
  message: Type.String(),
  in: Type.Optional(
    Type.Enum(['query', 'path', 'header'], { description: 'Where the field stands; the body when left out.' })
  )
})
export type FieldError = Static<typeof FieldError>

export const Problem = Type.Object(
  {
    type: Type.String({ description: 'Always about:blank; `code` tells the kind.' }),
    title: Type.String({ description: 'What the code means.' }),
    status: Type.Integer({ description: 'The HTTP status.' }),
    detail: Type.String({ description: 'What was wrong with this request.' }),
    code: Type.Enum(Object.keys(ERRORS) as ErrorCode[]),
    recoverable: Type.Boolean({ description: 'The same request may succeed later.' }),
    request_id: Type.Optional(Type.String({ description: 'The request, as the log of the server names it.' })),
    errors: Type.Optional(Type.Array(FieldError, { description: 'Every fault of the params, as far as they fit.' })),
    details: Type.Optional(Type.Record(Type.String(), Type.Unknown()))
  },
  { title: 'Problem', description: 'RFC 9457 problem document.' }
)
export type Problem = Static<typeof Problem>
