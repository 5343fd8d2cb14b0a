// Unsaved buffers of editors.
import { type Static, Type } from 'typebox'
import { ClientIdParam } from './request-params.ts'

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

/** Lifetime of buffers whose client is silent. Editors renew it about every 30 seconds; the buffers of one that died soon expire. */
export const DEFAULT_LEASE_MS = 120_000
const Workspace = Type.Optional(Type.String({ description: 'Name of the workspace, where there are several.' }))

/** Identifies a front end and its workspace. */
const FrontEndIdentity = Type.Object({
  workspace: Workspace,
  client_id: Type.Optional(ClientIdParam)
})
export type FrontEndIdentity = Static<typeof FrontEndIdentity>

export const PutBuffersBody = Type.Object(
  {
    buffers: Type.Array(BufferUpdate, {
      maxItems: 1_000,
      description: 'Each replaces what the client held of its file. None at all just renews the lease.'
    }),
    ...FrontEndIdentity.properties,
    lease_ms: Type.Optional(
      Type.Integer({
        minimum: 1_000,
        maximum: 3_600_000,
        description: `How long the client may be silent before its buffers are dropped; ${DEFAULT_LEASE_MS} by default.`
      })
    )
  },
  { additionalProperties: false }
)

export const BuffersQuery = Type.Object(
  {
    workspace: Workspace,
    content: Type.Optional(
      Type.Boolean({
        description: 'With the texts; takes the right to approve, for rules do not guard them here.'
      })
    )
  },
  { additionalProperties: false }
)
export const BufferList = Type.Object({ buffers: Type.Array(BufferInfo) })

export const DropBuffersQuery = Type.Object(
  {
    path: Type.Optional(Type.String({ minLength: 1 })),
    ...FrontEndIdentity.properties
  },
  { additionalProperties: false }
)
