// The hub: takes the journals of many servers, and shows people all of them. Any number of processes share one database.
import fastify, { type FastifyInstance, LogController } from 'fastify'
import type { Logger } from 'pino'
import { httpServerOptions } from '../routes/auth.ts'
import { type ConsoleFiles, consoleRoutes } from '../routes/console.ts'
import { registerErrorHandlers } from '../routes/http/problem.ts'
import { compileRequestValidator } from '../routes/http/validator-compiler.ts'
import { HubAccess, type PersonToken } from './access.ts'
import { CHANNELS, type Database } from './database/database.ts'
import { migrateHub } from './database/migrations.ts'
import { registerDoor } from './door.ts'
import type { OidcSignIn } from './people/oidc.ts'
import { Relay } from './relay.ts'
import { startRetention } from './retention.ts'
import { hubConsoleRoutes } from './routes/console.ts'
import { registerHubRoutes } from './routes/index.ts'
import { uplinkRoutes } from './routes/uplink.ts'
import { type RuleSetOptions, RuleSets } from './rule-sets.ts'

export { listAllowedHosts } from '../routes/auth.ts'
// Re-exported for the program that starts the hub.
export { RuleSigner } from '../uplink/rule-set.ts'

export interface Hub {
  http: FastifyInstance
  close(): Promise<void>
}

interface HubOptions {
  database: Database
  people: readonly PersonToken[]
  /** Sign-in with a provider; without it people sign in with tokens. */
  oidc?: OidcSignIn | undefined
  /** The console's page; without it there is none. */
  consoleFiles?: ConsoleFiles | undefined
  /** Returns the allowed Host header values, which include the port. */
  hosts: () => readonly string[]
  origins: readonly string[]
  rules: RuleSetOptions
  /** Days after which events and ended calls are deleted; without it they stay. */
  maxAgeDays?: number | undefined
  log: Logger
}

/** Creates a hub on a database, whose tables are brought up to date. It does not listen. */
export async function createHub({
  database,
  people,
  oidc,
  consoleFiles,
  hosts,
  origins,
  rules,
  maxAgeDays,
  log
}: HubOptions): Promise<Hub> {
  await migrateHub(database)
  const access = await HubAccess.open(database, { people, grants: oidc?.grants ?? new Map() })
  const events = await Relay.open(database, CHANNELS.events)
  const decisions = await Relay.open(database, CHANNELS.decisions)
  const ruleSets = await RuleSets.open(database, rules)
  const closing = new AbortController()
  const app = fastify({
    ...httpServerOptions,
    loggerInstance: log.child({}, { level: 'warn' }),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' })
  }) as unknown as FastifyInstance
  // Errors hold no secrets: tokens are never echoed.
  registerErrorHandlers(app, { maskValue: value => value })
  app.setValidatorCompiler(compileRequestValidator)
  registerDoor(app, { access, hosts, origins })
  const closingSignal = closing.signal
  await registerHubRoutes(app, { access, database, oidc, relay: events, ruleSets, closing: closingSignal })
  await app.register(uplinkRoutes, { access, database, relay: decisions, ruleSets, closing: closingSignal })
  await app.register(hubConsoleRoutes, { database, relay: events, closing: closingSignal })
  if (maxAgeDays !== undefined) startRetention({ database, maxAgeDays, log, signal: closingSignal })
  if (consoleFiles) await app.register(consoleRoutes, { consoleFiles, reference: 'hub-reference.html' })
  return {
    http: app,
    async close() {
      closing.abort()
      events.close()
      decisions.close()
      ruleSets.close()
      access.close()
      await app.close()
      await database.close()
    }
  }
}
