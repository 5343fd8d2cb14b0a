// Routes for unsaved editor buffers.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { ClientBuffers, UnsavedBuffers } from '../engine/editors/unsaved-buffers.ts'
import { ToolError } from '../errors.ts'
import type { EditorBuffer } from '../host/editors/editor-buffers.ts'
import {
  BufferLease,
  BufferList,
  BuffersQuery,
  DEFAULT_LEASE_MS,
  DropBuffersQuery,
  PutBuffersBody
} from '../protocol/buffers.ts'
import { problemResponses } from './schema.ts'

export const bufferRoutes: FastifyPluginAsyncTypebox<{ buffers: UnsavedBuffers }> = async (app, { buffers: held }) => {
  app.put(
    '/buffers',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'putBuffers',
        summary: 'Report unsaved buffers, and renew the lease on all buffers of the client.',
        tags: ['buffers'],
        body: PutBuffersBody,
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
        summary: 'List unsaved buffers of editors, by path.',
        tags: ['buffers'],
        querystring: BuffersQuery,
        response: { 200: BufferList, ...problemResponses() }
      }
    },
    async ({ query: { workspace, content }, caller }) => {
      if (content && !caller.rights.has('approve'))
        throw new ToolError(
          'FORBIDDEN',
          'This token cannot read the unsaved texts. Read a file with read_file, if the rules allow it.'
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
        summary:
          'Report that a buffer was saved or closed. Without a path: all buffers of the client in the workspace.',
        tags: ['buffers'],
        querystring: DropBuffersQuery,
        response: { 200: BufferLease, ...problemResponses('INVALID_PATH') }
      }
    },
    async ({ query: { workspace, client_id, path }, caller }) =>
      toBufferLease(held.drop(workspace, client_id ?? caller.client, path))
  )
}

const toBufferLease = ({ client_id, left_ms, buffers }: ClientBuffers) => ({
  client_id,
  expires_at: left_ms === undefined ? null : new Date(Date.now() + left_ms).toISOString(),
  buffers: buffers.map(withoutText)
})

const withoutText = ({ text: _, ...rest }: EditorBuffer) => rest
