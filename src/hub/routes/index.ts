// Registers the routes for people and programs, which the API document of the hub describes.
import type { FastifyInstance } from 'fastify'
import { Problem } from '../../protocol/problem.ts'
import type { HubAccess } from '../access.ts'
import type { Database } from '../database/database.ts'
import type { OidcSignIn } from '../people/oidc.ts'
import type { Relay } from '../relay.ts'
import type { RuleSets } from '../rule-sets.ts'
import { accountRoutes } from './accounts.ts'
import { cancelRoutes } from './cancels.ts'
import { healthRoutes } from './health.ts'
import { peopleRoutes } from './people.ts'
import { hubRuleRoutes } from './rules.ts'
import { signInRoutes } from './sign-in.ts'

export interface HubRouteServices {
  access: HubAccess
  database: Database
  oidc: OidcSignIn | undefined
  /** Wakes for events. */
  relay: Relay
  ruleSets: RuleSets
  /** Aborts when the hub stops. */
  closing: AbortSignal
}

export async function registerHubRoutes(app: FastifyInstance, services: HubRouteServices) {
  app.addSchema({ ...Problem, $id: 'Problem' })
  // Schemas of answers describe them. A compiled serializer would drop unknown fields.
  app.setSerializerCompiler(() => data => (typeof data === 'string' ? data : JSON.stringify(data)))
  await app.register(healthRoutes, services)
  await app.register(signInRoutes, services)
  await app.register(accountRoutes, services)
  await app.register(hubRuleRoutes, services)
  await app.register(cancelRoutes, services)
  await app.register(peopleRoutes, services)
}
