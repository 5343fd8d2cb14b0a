// Routes for issued tokens, and for one-time codes that a page exchanges for a token.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { ToolError } from '../errors.ts'
import type { Notifier } from '../notify/notifier.ts'
import {
  CodeRequest,
  IssuedToken,
  NewlyIssuedToken,
  NewToken,
  OneTimeCode,
  type Right,
  SessionName,
  SessionRequest,
  TokenList,
  TokenParams
} from '../protocol/tokens.ts'
import type { IssuedTokens } from '../server/issued-tokens.ts'
import type { OneTimeCodes } from '../server/one-time-codes.ts'
import { toPersonName } from './http/person-name.ts'
import { problemResponses } from './schema.ts'

const DAY_MS = 86_400_000
const SESSION_LIFETIME_MS = 7 * DAY_MS
const DEFAULT_LIFETIME_MS = 90 * DAY_MS

interface Services {
  codes: OneTimeCodes
  issued: IssuedTokens
  notifier: Pick<Notifier, 'subscriptions'>
}

export const tokenRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { codes, issued, notifier }) => {
  app.post(
    '/codes',
    {
      schema: {
        operationId: 'makeCode',
        summary: 'Create a code that a web page can exchange for a token, once within one minute.',
        tags: ['tokens'],
        body: CodeRequest,
        response: {
          201: OneTimeCode,
          ...problemResponses()
        }
      }
    },
    async ({ body, caller }, reply) => {
      const rights = body.rights ? withCallRight(body.rights) : [...caller.rights]
      const more = rights.find(right => !caller.rights.has(right))
      if (more)
        throw new ToolError(
          'FORBIDDEN',
          `A code cannot grant the right ${more}, because the token that creates it does not have this right.`
        )
      return replyUncached(reply).send(codes.makeLogin({ ...caller, rights: new Set(rights) }))
    }
  )

  app.post(
    '/session',
    {
      config: { open: true },
      schema: {
        operationId: 'openSession',
        summary: 'Exchange a code for a token. The request needs no token.',
        tags: ['tokens'],
        security: [],
        body: SessionRequest,
        response: { 201: NewlyIssuedToken, ...problemResponses() }
      }
    },
    async ({ body }, reply) => {
      const maker = codes.redeem(body.code)
      if (!maker)
        throw new ToolError(
          'UNAUTHORIZED',
          'The code was already used or has expired. For a new one, run: toolgate open'
        )
      const { rights, agent } = maker
      const wish = { name: 'console', rights: [...rights], agent, expires_in_ms: SESSION_LIFETIME_MS }
      return replyUncached(reply).send(issued.issue({ kind: 'session', ...wish }, maker))
    }
  )

  app.patch(
    '/session',
    {
      schema: {
        operationId: 'nameSession',
        summary: 'Set the name of the person who uses this web console, for later decisions.',
        tags: ['tokens'],
        body: SessionName,
        response: { 200: IssuedToken, ...problemResponses() }
      }
    },
    async ({ body, caller }) => {
      const own = issued.list().find(({ token_id }) => token_id === caller.issued?.token_id)
      if (own?.kind !== 'session')
        throw new ToolError('FORBIDDEN', 'Only a token of the web console can be given a name.')
      return issued.rename(own.token_id, toPersonName(body.name))
    }
  )

  app.get(
    '/tokens',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'listTokens',
        summary: 'List valid issued tokens, oldest first, without their secrets.',
        tags: ['tokens'],
        response: { 200: TokenList, ...problemResponses() }
      }
    },
    async () => ({ tokens: issued.list() })
  )

  app.post(
    '/tokens',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'issueToken',
        summary: 'Create a token. Its secret is returned only once.',
        tags: ['tokens'],
        body: NewToken,
        response: { 201: NewlyIssuedToken, ...problemResponses('CONFLICT') }
      }
    },
    async ({ body: { name, agent, expires_in_ms = DEFAULT_LIFETIME_MS, ...body }, caller }, reply) => {
      const rights = withCallRight(body.rights)
      if (agent !== undefined && rights.includes('approve'))
        throw new ToolError(
          'INVALID_PARAMS',
          '/rights can contain only "call" for a token of an agent: an agent cannot approve its own calls.',
          {
            errors: [{ pointer: '/rights', message: 'can contain only "call" for a token of an agent' }]
          }
        )
      return replyUncached(reply).send(issued.issue({ name, kind: 'token', rights, agent, expires_in_ms }, caller))
    }
  )

  app.delete(
    '/tokens/:id',
    {
      config: { right: 'approve' },
      schema: {
        operationId: 'revokeToken',
        summary: 'Revoke a token and the tokens created with it. Their open streams end.',
        tags: ['tokens'],
        params: TokenParams,
        response: { 200: IssuedToken, ...problemResponses('NOT_FOUND') }
      }
    },
    async ({ params }, reply) => {
      const before = issued.list()
      const { token, end } = issued.revoke(params.id)
      const left = new Set(issued.list().map(({ token_id }) => token_id))
      await notifier.subscriptions.removeOf(
        before.map(({ token_id }) => token_id).filter(token_id => !left.has(token_id))
      )
      // A client that revokes the token of this request gets its response first.
      reply.raw.once('close', end)
      return reply.send(token)
    }
  )
}

const withCallRight = (rights: readonly Right[]): Right[] => [...new Set<Right>(['call', ...rights])]

/** Prevents caching of the response. */
const replyUncached = (reply: FastifyReply) => reply.code(201).header('cache-control', 'no-store')
