// Request bodies that are bytes of any type, and of any length.
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BinaryBody } from '../../protocol/response-content.ts'
import { allowLongBody, endLongBody } from './body-timeouts.ts'

/** Body of a route with `takeBytes`, for the API document. */
export const BytesBody = {
  consumes: ['application/octet-stream'],
  body: BinaryBody
}

/** Makes the routes of a plugin receive bodies of any type as they come. */
export function takeBytes(
  app: Pick<FastifyInstance, 'removeAllContentTypeParsers' | 'addContentTypeParser' | 'addHook'>
) {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  app.addHook('onRequest', async ({ raw, routeOptions }, reply) => {
    if (!routeOptions.config?.bytes) return
    allowLongBody(raw)
    // What is left of the body of a refused request is not received for long.
    reply.raw.once('finish', () => {
      endLongBody(raw)
      raw.resume()
    })
  })
}

/** Returns the body of a request to a route with `takeBytes`. */
export const bodyOf = ({ body }: { body: unknown }): AsyncIterable<Buffer> =>
  // A refusal midway must reach the sender: the connection stays open for it.
  body instanceof Readable ? body.iterator({ destroyOnReturn: false }) : Readable.from([])

/** Returns the size of the body, if it was sent ahead. */
export function bodyLength({ headers }: Pick<FastifyRequest, 'headers'>): number | undefined {
  const length = headers['content-length']
  return length === undefined ? undefined : Number(length)
}
