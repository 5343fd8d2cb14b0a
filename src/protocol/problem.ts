// Schema of a problem document. Client types depend on it, so it must not import server-only modules.
import { type Static, Type } from 'typebox'
import { ERRORS, type ErrorCode } from './error-codes.ts'

const FieldError = Type.Object({
  pointer: Type.String({ description: 'JSON pointer of the invalid field.' }),
  message: Type.String(),
  in: Type.Optional(
    Type.Enum(['query', 'path', 'header'], {
      description: 'Part of the request that contains the field. Default: body.'
    })
  )
})
export type FieldError = Static<typeof FieldError>

export const Problem = Type.Object(
  {
    type: Type.String({ description: 'Always about:blank. `code` identifies the error.' }),
    title: Type.String({ description: 'Description of the error code.' }),
    status: Type.Integer({ description: 'HTTP status.' }),
    detail: Type.String({ description: 'Description of this error.' }),
    code: Type.Enum(Object.keys(ERRORS) as ErrorCode[]),
    recoverable: Type.Boolean({ description: 'True if the same request may succeed later.' }),
    request_id: Type.Optional(Type.String({ description: 'Id of the request in the server log.' })),
    errors: Type.Optional(Type.Array(FieldError, { description: 'Errors of the params, as many as fit.' })),
    details: Type.Optional(Type.Record(Type.String(), Type.Unknown()))
  },
  { title: 'Problem', description: 'RFC 9457 problem document.' }
)
export type Problem = Static<typeof Problem>
