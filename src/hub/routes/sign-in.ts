// Routes by which people sign in and out: with a provider, or with the token of an account.
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { describeError, ToolError } from '../../errors.ts'
import { SignInBody } from '../../protocol/hub.ts'
import { HubSession } from '../../protocol/hub-answers.ts'
import type { HubAccess } from '../access.ts'
import { CALLBACK_PATH } from '../people/callback-path.ts'
import { endedSessionCookie, endedSignInCookie, readSignIn, sessionCookie, signInCookie } from '../people/cookies.ts'
import type { OidcSignIn } from '../people/oidc.ts'
import type { HubPrincipal } from '../principals.ts'
import { describeOperation } from './operation.ts'

interface Services {
  access: HubAccess
  /** Undefined without a provider. */
  oidc: OidcSignIn | undefined
}

/** Addresses of the console after a sign-in that failed, by the error. They are all that a request can lead to. */
const FAILURES: Readonly<Record<string, string>> = {
  FORBIDDEN: '/#sign-in=not-allowed',
  OVERLOADED: '/#sign-in=unavailable'
}
const OTHER_FAILURE = '/#sign-in=failed'

export const signInRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { access, oidc }) => {
  app.get(
    '/session',
    {
      schema: describeOperation(['showSession', 'Show who has signed in, and the role.', 'accounts'], 200, HubSession)
    },
    async ({ principal }) => describeSession(principal)
  )

  app.post(
    '/session',
    {
      config: { open: true },
      schema: {
        body: SignInBody,
        ...describeOperation(
          ['signIn', 'Sign in with the token of an account. The answer sets the cookie of the session.', 'accounts'],
          201,
          HubSession
        )
      }
    },
    async ({ body: { token }, raw }, reply) => {
      await access.refreshFor({ kind: 'token', secret: token })
      const session = await access.signInWithToken(token)
      if (!session) throw new ToolError('UNAUTHORIZED', 'The token does not belong to an account of the hub.')
      const principal = access.authenticate({ kind: 'session', secret: session.secret })!
      return reply
        .code(201)
        .headers({ 'set-cookie': sessionCookie(raw, session.secret), 'cache-control': 'no-store' })
        .send(describeSession(principal))
    }
  )

  app.delete(
    '/session',
    { config: { role: 'viewer' }, schema: describeOperation(['signOut', 'Sign out.', 'accounts'], 204) },
    async ({ credential, raw }, reply) => {
      if (credential.kind === 'session') await access.signOut(credential.secret)
      return reply.code(204).header('set-cookie', endedSessionCookie(raw)).send()
    }
  )

  app.get(
    '/sign-in',
    {
      config: { open: true },
      schema: describeOperation(
        ['beginSignIn', 'Redirect to the provider, or back to the console if it is not available.', 'accounts'],
        302
      )
    },
    async ({ raw, log }, reply) => {
      reply.header('cache-control', 'no-store')
      try {
        const { url, pending } = await needed(oidc).begin()
        return await reply.header('set-cookie', signInCookie(raw, pending)).redirect(url)
      } catch (error) {
        return fail(error, { reply, log })
      }
    }
  )

  app.get(
    CALLBACK_PATH,
    { config: { open: true, page: true }, schema: { hide: true } },
    async ({ raw, log }, reply) => {
      reply.headers({ 'cache-control': 'no-store', 'set-cookie': endedSignInCookie(raw) })
      try {
        const pending = readSignIn(raw)
        if (!pending)
          throw new ToolError(
            'UNAUTHORIZED',
            'No sign-in is in progress in this browser, or it has expired. Sign in again.'
          )
        const person = await needed(oidc).complete(raw.url!, pending)
        const { secret } = await access.signIn(person, pending.state)
        log.info({ person: person.id }, 'signed in')
        return await reply
          .removeHeader('set-cookie')
          .header('set-cookie', [endedSignInCookie(raw), sessionCookie(raw, secret)])
          .redirect('/', 303)
      } catch (error) {
        return fail(error, { reply, log })
      }
    }
  )
}

const describeSession = ({ id, name, role }: HubPrincipal) => ({ person: { id, name }, role })

function needed(oidc: OidcSignIn | undefined): OidcSignIn {
  if (!oidc) throw new ToolError('NOT_FOUND', 'This hub has no sign-in provider. Sign in with the token of an account.')
  return oidc
}

/** The reason is for the log: it may name what the provider has answered. */
function fail(error: unknown, { reply, log }: { reply: FastifyReply; log: FastifyRequest['log'] }) {
  const { code, message } = describeError(error)
  log.warn({ reason: message }, 'a sign-in failed')
  return reply.redirect(FAILURES[code] ?? OTHER_FAILURE, 303)
}
