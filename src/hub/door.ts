// Authentication at the hub: one hook before every route. A route names the role that it is for.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ToolError } from '../errors.ts'
import { authenticateToken, checkBodyHeaders, checkRequest, readBearer } from '../routes/auth.ts'
import { parseJsonBody } from '../routes/http/json-body.ts'
import type { HubAccess, HubPrincipal, HubRole } from './access.ts'

declare module 'fastify' {
  interface FastifyRequest {
    principal: HubPrincipal
  }
  interface FastifyContextConfig {
    /** Role at the hub that the route is for. */
    role?: HubRole
  }
}

export interface DoorOptions {
  access: Pick<HubAccess, 'authenticate' | 'refreshFor'>
  /** Returns the allowed Host header values. */
  hosts: () => readonly string[]
  /** Origins of pages behind a proxy. */
  origins: readonly string[]
}

/** Needs no token: it shows only that the hub runs. */
const OPEN_ROUTE = '/health'

const ROLE_NAMES: Record<HubRole, string> = {
  person: 'a person',
  server: 'a server that is enrolled',
  code: 'a server that has an enrolment code'
}

export function registerDoor(app: FastifyInstance, { access, hosts, origins }: DoorOptions) {
  const passDoor = (request: FastifyRequest) => {
    const { raw, routeOptions } = request
    checkRequest(raw, { hosts: hosts(), origins })
    if (routeOptions.url === OPEN_ROUTE) return
    const principal = authenticateToken(raw, access)
    const { role = 'person' } = routeOptions.config ?? {}
    if (principal.role !== role) throw new ToolError('FORBIDDEN', `This is for ${ROLE_NAMES[role]}.`)
    checkBodyHeaders(raw, false)
    request.principal = principal
  }
  app.decorateRequest('principal')
  app.decorate('passDoor', passDoor)
  app.addHook('onRequest', async request => {
    const bearer = readBearer(request.raw)
    if (bearer !== undefined) await access.refreshFor(bearer)
    passDoor(request)
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) =>
    parseJsonBody(body)
  )
}
