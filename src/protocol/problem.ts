// Schema of a problem document. Client types depend on it, so it must not import server-only modules.
import { type Static, Type } from 'typebox'
import { ERRORS, type ErrorCode } from './error-codes.ts'

const FieldError = Type.Object({
  pointer: Type.String({ description: 'JSON pointer of the invalid field.' }),
  message: Type.String(),
  in: Type.Optional(Type.Enum(['query', 'path', 'header'], { description: 'Location of the field; default: body.' }))
})
export type FieldError = Static<typeof FieldError>

export const Problem = Type.Object(
  {
    type: Type.String({ description: 'Always about:blank; see `code`.' }),
    title: Type.String({ description: 'Description of the code.' }),
    status: Type.Integer({ description: 'HTTP status.' }),
    detail: Type.String({ description: 'Description of this error.' }),
    code: Type.Enum(Object.keys(ERRORS) as ErrorCode[]),
    recoverable: Type.Boolean({ description: 'The same request may succeed later.' }),
    request_id: Type.Optional(Type.String({ description: 'Request id in the server log.' })),
    errors: Type.Optional(Type.Array(FieldError, { description: 'All errors of the params, as far as they fit.' })),
    details: Type.Optional(Type.Record(Type.String(), Type.Unknown()))
  },
  { title: 'Problem', description: 'RFC 9457 problem document.' }
)
export type Problem = Static<typeof Problem>
