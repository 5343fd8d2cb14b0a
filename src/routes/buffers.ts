// Routes for unsaved editor buffers.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { ClientBuffers, UnsavedBuffers } from '../engine/editors/unsaved-buffers.ts'
import { ToolError } from '../errors.ts'
import type { EditorBuffer } from '../host/editors/editor-buffers.ts'
import { ClientIdParam, problemResponses } from './schema.ts'

const ContentHash = Type.String({ pattern: '^sha256:[0-9a-f]{64}$' })
const Workspace = Type.Optional(Type.String({ description: 'Name of the workspace, where there are several.' }))

const BufferUpdate = Type.Object(
  {
    path: Type.String({ minLength: 1, description: 'Relative to the workspace root.' }),
    content: Type.String({ description: 'The whole text.' }),
    version: Type.Optional(Type.Integer({ minimum: 0, description: "The editor's own count of changes." })),
    base_hash: Type.Optional(Type.String({ ...ContentHash, description: 'Hash of the file that the editor read.' }))
  },
  { additionalProperties: false }
)

const UnsavedBuffer = Type.Object(
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

const BufferLease = Type.Object(
  {
    client_id: Type.String(),
    expires_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'When these buffers are dropped unless the client speaks up; null where it holds none.'
    }),
    buffers: Type.Array(UnsavedBuffer, { description: 'All that the client holds in the workspace now.' })
  },
  { title: 'BufferLease' }
)

export const bufferRoutes: FastifyPluginAsyncTypebox<{ buffers: UnsavedBuffers }> = async (app, { buffers: held }) => {
  app.put(
    '/buffers',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'putBuffers',
        summary: 'Tell of buffers that are not saved, and renew the lease on all that the client holds.',
        tags: ['buffers'],
        body: Type.Object(
          {
            buffers: Type.Array(BufferUpdate, {
              maxItems: 1_000,
              description: 'Each replaces what the client held of its file. None at all just renews the lease.'
            }),
            workspace: Workspace,
            client_id: Type.Optional(ClientIdParam),
            lease_ms: Type.Optional(
              Type.Integer({
                minimum: 1_000,
                maximum: 3_600_000,
                description: `How long the client may be silent before its buffers are dropped; ${DEFAULT_LEASE_MS} by default.`
              })
            )
          },
          { additionalProperties: false }
        ),
        response: {
          200: BufferLease,
          ...problemResponses('INVALID_PATH', 'SENSITIVE_PATH', 'NOT_A_FILE', 'TOO_LARGE')
        }
      }
    },
    async ({ body: { workspace, client_id, buffers, lease_ms = DEFAULT_LEASE_MS }, caller }) =>
      toBufferLease(
        held.put(workspace, { client_id: client_id ?? caller.client, client: caller.client }, buffers, lease_ms)
      )
  )

  app.get(
    '/buffers',
    {
      schema: {
        operationId: 'listBuffers',
        summary: 'What editors hold and have not saved, by path.',
        tags: ['buffers'],
        querystring: Type.Object(
          {
            workspace: Workspace,
            content: Type.Optional(
              Type.Boolean({
                description: 'With the texts; takes the right to approve, for rules do not guard them here.'
              })
            )
          },
          { additionalProperties: false }
        ),
        response: { 200: Type.Object({ buffers: Type.Array(UnsavedBuffer) }), ...problemResponses() }
      }
    },
    async ({ query: { workspace, content }, caller }) => {
      if (content && !caller.rights.has('approve'))
        throw new ToolError(
          'FORBIDDEN',
          'This token may not read the texts; read_file gives one, where policy allows it.'
        )
      const show = content ? (each: EditorBuffer) => ({ ...withoutText(each), content: each.text }) : withoutText
      return { buffers: held.list(workspace).map(show) }
    }
  )

  app.delete(
    '/buffers',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'dropBuffers',
        summary: 'A buffer was saved or closed; without a path, all that the client holds in the workspace.',
        tags: ['buffers'],
        querystring: Type.Object(
          {
            path: Type.Optional(Type.String({ minLength: 1 })),
            workspace: Workspace,
            client_id: Type.Optional(ClientIdParam)
          },
          { additionalProperties: false }
        ),
        response: { 200: BufferLease, ...problemResponses('INVALID_PATH') }
      }
    },
    async ({ query: { workspace, client_id, path }, caller }) =>
      toBufferLease(held.drop(workspace, client_id ?? caller.client, path))
  )
}

/** Editors renew it about every 30 seconds; the buffers of one that died soon expire. */
const DEFAULT_LEASE_MS = 120_000

const toBufferLease = ({ client_id, left_ms, buffers }: ClientBuffers) => ({
  client_id,
  expires_at: left_ms === undefined ? null : new Date(Date.now() + left_ms).toISOString(),
  buffers: buffers.map(withoutText)
})

const withoutText = ({ text: _, ...rest }: EditorBuffer) => rest
