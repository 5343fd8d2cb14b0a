// Keeps callers apart on every route that names a call: one hook, so that no route can leave it out.
import type { FastifyInstance } from 'fastify'
import type { Calls } from '../../engine/calls.ts'
import { CallIdParams } from '../../protocol/request-params.ts'

/** Answers NOT_FOUND for a call that the caller may not see. Routes name a call by having `CallIdParams` in their params. */
export function installCallOwnership(app: FastifyInstance, calls: Pick<Calls, 'assertVisible'>) {
  app.addHook('preHandler', async ({ params, caller, routeOptions }) => {
    const schema = routeOptions.schema?.params as { properties?: object } | undefined
    if (schema?.properties && 'id' in schema.properties && schema.properties.id === CallIdParams.properties.id)
      calls.assertVisible((params as { id: string }).id, caller)
  })
}
