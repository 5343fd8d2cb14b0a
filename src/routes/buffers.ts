// Routes for unsaved editor buffers.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import type { ClientBuffers, UnsavedBuffers } from '../engine/editors/unsaved-buffers.ts'
import { ToolError } from '../errors.ts'
import type { EditorBuffer } from '../host/editors/editor-buffers.ts'
import { BufferInfo, BufferLease, BufferUpdate } from '../protocol/buffers.ts'
import { ClientIdParam, problemResponses } from './schema.ts'

const Workspace = Type.Optional(Type.String({ description: 'Name of the workspace, where there are several.' }))

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
        response: { 200: Type.Object({ buffers: Type.Array(BufferInfo) }), ...problemResponses() }
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
