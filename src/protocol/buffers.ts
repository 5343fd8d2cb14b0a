// Unsaved buffers of editors.
import { type Static, Type } from 'typebox'
import { ClientIdParam } from './request-params.ts'

const ContentHash = Type.String({ pattern: '^sha256:[0-9a-f]{64}$' })

export const BufferUpdate = Type.Object(
  {
    path: Type.String({ minLength: 1, description: 'Path, relative to the workspace root.' }),
    content: Type.String({ description: 'Whole unsaved text.' }),
    version: Type.Optional(Type.Integer({ minimum: 0, description: 'Version number that the editor gave the text.' })),
    base_hash: Type.Optional(Type.String({ ...ContentHash, description: 'Hash of the file when the editor read it.' }))
  },
  { additionalProperties: false }
)
export type BufferUpdate = Static<typeof BufferUpdate>

export const BufferInfo = Type.Object(
  {
    path: Type.String({ description: 'Path of the file, relative to the workspace root, with links resolved.' }),
    client_id: Type.String(),
    client: Type.String({ description: 'Name of the client.' }),
    version: Type.Optional(Type.Integer()),
    base_hash: Type.Optional(Type.String()),
    hash: Type.String({ description: 'sha256 of the unsaved text in UTF-8.' }),
    size: Type.Integer({ description: 'Length of the unsaved text in bytes of UTF-8.' }),
    updated_at: Type.String({ format: 'date-time' }),
    content: Type.Optional(Type.String({ description: 'Unsaved text; only if the request has `content=true`.' }))
  },
  { title: 'Buffer' }
)
export type BufferInfo = Static<typeof BufferInfo>

export const BufferLease = Type.Object(
  {
    client_id: Type.String(),
    expires_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'Time when the buffers are dropped if not renewed; null if there are none.'
    }),
    buffers: Type.Array(BufferInfo, { description: 'All current buffers of the client in the workspace.' })
  },
  { title: 'BufferLease' }
)
export type BufferLease = Static<typeof BufferLease>

/** Lifetime of buffers whose client is silent. Editors renew it about every 30 seconds; the buffers of one that died soon expire. */
export const DEFAULT_LEASE_MS = 120_000
const Workspace = Type.Optional(Type.String({ description: 'Workspace name. Required if there are several.' }))

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
      description:
        "Unsaved buffers. Each replaces the client's earlier buffer of the same file. Empty: only renew the lease."
    }),
    ...FrontEndIdentity.properties,
    lease_ms: Type.Optional(
      Type.Integer({
        minimum: 1_000,
        maximum: 3_600_000,
        description: `Lease of the buffers: the server drops them if the client does not renew it in time. Default: ${DEFAULT_LEASE_MS}.`
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
        description:
          'Include the unsaved texts. Requires a token that can approve, because the rules for reading files do not ' +
          'apply to this request.'
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
