// Authentication at the hub: one hook before every route. A route names the role that it is for.
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ToolError } from '../errors.ts'
import { checkBodyHeaders, checkRequest, readBearer } from '../routes/auth.ts'
import { parseJsonBody } from '../routes/http/json-body.ts'
import type { Credential, HubAccess } from './access.ts'
import { readSession } from './people/cookies.ts'
import { isPersonRole, reachesRole } from './people/roles.ts'
import type { HubPrincipal, HubRole } from './principals.ts'

declare module 'fastify' {
  interface FastifyRequest {
    principal: HubPrincipal
    credential: Credential
    /** Follows the access of the sender, for answers that take long. */
    followAccess(): ReturnType<HubAccess['follow']>
  }
  interface FastifyContextConfig {
    /** Least role at the hub that the route is for: viewer for one that reads, admin for others. */
    role?: HubRole
  }
}

export interface DoorOptions {
  access: Pick<HubAccess, 'authenticate' | 'refreshFor' | 'follow'>
  /** Returns the allowed Host header values. */
  hosts: () => readonly string[]
  /** Origins of pages behind a proxy. */
  origins: readonly string[]
}

/** Routes that need no credential: they show only that the hub runs, have no data, or take a credential. */
const OPEN_ROUTES: readonly string[] = [
  '/health',
  '/',
  '/docs',
  '/web/:file',
  '/session',
  '/sign-in',
  '/sign-in/callback'
]

const ROLE_NAMES: Record<HubRole, string> = {
  viewer: 'a person',
  approver: 'people who may decide about calls',
  admin: 'administrators of the hub',
  server: 'enrolled servers',
  code: 'servers with an enrollment code'
}

export function registerDoor(app: FastifyInstance, { access, hosts, origins }: DoorOptions) {
  const passDoor = (request: FastifyRequest) => {
    const { raw, routeOptions, method } = request
    const { open, page, role = method === 'GET' ? 'viewer' : 'admin' } = routeOptions.config ?? {}
    checkRequest(raw, { hosts: hosts(), origins, page })
    if (!(open && OPEN_ROUTES.includes(routeOptions.url ?? ''))) {
      const credential = readCredential(raw)
      const principal = credential && access.authenticate(credential)
      if (!principal)
        throw new ToolError('UNAUTHORIZED', 'Sign in, or send a valid token as "Authorization: Bearer <token>".')
      if (credential.kind === 'session') checkOwnPage(raw)
      if (!isAllowed(principal.role, role))
        throw new ToolError('FORBIDDEN', `Only ${ROLE_NAMES[role]} can send this request.`)
      request.principal = principal
      request.credential = credential
    }
    checkBodyHeaders(raw, false)
  }
  app.decorateRequest('principal')
  app.decorateRequest('credential')
  app.decorateRequest('followAccess', function () {
    return access.follow(this.credential)
  })
  app.decorate('passDoor', passDoor)
  app.addHook('onRequest', async request => {
    const credential = readCredential(request.raw)
    if (credential) await access.refreshFor(credential)
    passDoor(request)
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) =>
    parseJsonBody(body)
  )
}

/** Returns the token of a request, or else its session. */
function readCredential(raw: IncomingMessage): Credential | undefined {
  const token = readBearer(raw)
  if (token !== undefined) return { kind: 'token', secret: token }
  const secret = readSession(raw)
  return secret === undefined ? undefined : { kind: 'session', secret }
}

/**
 * Refuses a change that a browser sends with its session unless it names its page, which was compared with the address of the hub:
 * browsers name the origin with every such request.
 */
function checkOwnPage({ method, headers }: IncomingMessage) {
  if (method !== 'GET' && headers.origin === undefined)
    throw new ToolError(
      'FORBIDDEN',
      'A browser session can change data only from pages of the hub. A program must send a token instead.'
    )
}

const isAllowed = (role: HubRole, needed: HubRole) =>
  isPersonRole(needed) ? isPersonRole(role) && reachesRole(role, needed) : role === needed
