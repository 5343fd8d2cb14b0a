// Unsaved buffers of editors.
import { type Static, Type } from 'typebox'

const ContentHash = Type.String({ pattern: '^sha256:[0-9a-f]{64}$' })

export const BufferUpdate = Type.Object(
  {
    path: Type.String({ minLength: 1, description: 'Relative to the workspace root.' }),
    content: Type.String({ description: 'The whole text.' }),
    version: Type.Optional(Type.Integer({ minimum: 0, description: "The editor's own count of changes." })),
    base_hash: Type.Optional(Type.String({ ...ContentHash, description: 'Hash of the file that the editor read.' }))
  },
  { additionalProperties: false }
)
export type BufferUpdate = Static<typeof BufferUpdate>

export const BufferInfo = Type.Object(
  {
    path: Type.String({ description: 'Relative to the workspace root, links followed.' }),
    client_id: Type.String(),
    client: Type.String({ description: 'What the client calls itself.' }),
    version: Type.Optional(Type.Integer()),
    base_hash: Type.Optional(Type.String()),
    hash: Type.String({ description: 'sha256 of the text, in UTF-8.' }),
    size: Type.Integer({ description: 'Bytes of the text, in UTF-8.' }),
    updated_at: Type.String({ format: 'date-time' }),
    content: Type.Optional(Type.String({ description: 'Where it was asked for.' }))
  },
  { title: 'Buffer' }
)
export type BufferInfo = Static<typeof BufferInfo>

export const BufferLease = Type.Object(
  {
    client_id: Type.String(),
    expires_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When these buffers are dropped unless the client speaks up; null where it holds none.'
    }),
    buffers: Type.Array(BufferInfo, { description: 'All that the client holds in the workspace now.' })
  },
  { title: 'BufferLease' }
)
export type BufferLease = Static<typeof BufferLease>
