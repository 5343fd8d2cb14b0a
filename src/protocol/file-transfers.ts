// Requests that transfer the bytes of files.
import { type Static, Type } from 'typebox'
import { CallRequest } from './call-requests.ts'
import { WaitMsParam } from './request-params.ts'
import { TRACE_HEADERS } from './trace-context.ts'

export const FilePathParams = Type.Object({
  '*': Type.String({ minLength: 1, maxLength: 4_096, description: 'Path, relative to the workspace root.' })
})
export type FilePathParams = Static<typeof FilePathParams>

const { session_id, workspace, context, agent } = CallRequest.properties
const callFields = { session_id, workspace, context, agent, wait_ms: Type.Optional(WaitMsParam) }

export const DownloadQuery = Type.Object(
  {
    ...callFields,
    tool_call_id: Type.Optional(
      Type.String({ description: 'Id of an earlier call for the same file that was approved.' })
    )
  },
  { additionalProperties: false }
)
export type DownloadQuery = Static<typeof DownloadQuery>

export const DownloadHeaders = Type.Object({
  range: Type.Optional(Type.String({ description: 'One range of bytes, such as bytes=0-1023.' })),
  'if-match': Type.Optional(Type.String({ description: 'Send only if the file has this ETag.' })),
  'if-none-match': Type.Optional(
    Type.String({ description: 'Send the file only if its ETag is different; otherwise respond 304.' })
  ),
  'if-range': Type.Optional(
    Type.String({ description: 'Send the range only if the file has this ETag; otherwise send the whole file.' })
  ),
  ...TRACE_HEADERS
})
export type DownloadHeaders = Static<typeof DownloadHeaders>

export const UploadQuery = Type.Object(
  {
    ...callFields,
    create_dirs: Type.Optional(Type.Boolean({ description: 'Create missing parent folders. Default: true.' }))
  },
  { additionalProperties: false }
)

export const UploadHeaders = Type.Object({
  'if-match': Type.Optional(
    Type.String({
      pattern: '^"sha256:[0-9a-f]{64}"$',
      description: 'Write only if the file has this ETag, which GET returns.'
    })
  ),
  'if-none-match': Type.Optional(Type.Enum(['*'], { description: 'Write only if the path does not exist.' })),
  ...TRACE_HEADERS
})
