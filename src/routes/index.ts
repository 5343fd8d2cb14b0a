// Registers all routes with their shared setup: named schemas, and validation that neither strips nor coerces a body.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import type { Catalog } from '../catalog/catalog.ts'
import type { FrontEndRegistry } from '../engine/editors/front-end-registry.ts'
import type { UnsavedBuffers } from '../engine/editors/unsaved-buffers.ts'
import type { ConsoleFiles } from '../host/console-files.ts'
import type { Notifier } from '../notify/notifier.ts'
import type { IssuedTokens } from '../server/issued-tokens.ts'
import type { OneTimeCodes } from '../server/one-time-codes.ts'
import type { PortLogins } from '../server/port-logins.ts'
import { approvalRoutes } from './approvals.ts'
import { bufferRoutes } from './buffers.ts'
import { callRoutes } from './calls.ts'
import { consoleRoutes } from './console.ts'
import { delegationRoutes } from './delegations.ts'
import { eventRoutes } from './events.ts'
import { fileRoutes, type TransferServices } from './files.ts'
import { installCallOwnership } from './http/call-ownership.ts'
import type { ProblemRedactor } from './http/problem.ts'
import { compileRequestValidator } from './http/validator-compiler.ts'
import { jobRoutes } from './jobs.ts'
import type { McpServices } from './mcp/endpoint.ts'
import { mcpRoutes } from './mcp.ts'
import { type McpServersService, mcpServerRoutes } from './mcp-servers.ts'
import { modeRoutes } from './modes.ts'
import { notificationRoutes } from './notifications.ts'
import { outputRoutes } from './output.ts'
import { policyRoutes } from './policy.ts'
import { ruleRoutes } from './rules.ts'
import { SHARED_SCHEMAS } from './schema.ts'
import { type ServerServices, serverRoutes } from './server.ts'
import { sessionChangeRoutes } from './session-changes.ts'
import { shellRoutes } from './shells.ts'
import { slackButtonRoutes } from './slack-buttons.ts'
import { tokenRoutes } from './tokens.ts'
import { toolCallRoutes } from './tool-calls.ts'
import { toolRoutes } from './tools.ts'
import { undoRoutes } from './undo.ts'

export interface RouteServices extends ServerServices, TransferServices, Pick<McpServices, 'workspaces'> {
  catalog: Catalog
  consoleFiles: ConsoleFiles
  buffers: UnsavedBuffers
  codes: OneTimeCodes
  frontEnds: FrontEndRegistry
  issued: IssuedTokens
  masking: ProblemRedactor
  portLogins: PortLogins
  mcpServers: McpServersService
  notifier: Notifier
}

export async function registerRoutes(app: FastifyInstance, services: RouteServices) {
  app.withTypeProvider<TypeBoxTypeProvider>()
  app.setValidatorCompiler(compileRequestValidator)
  // Responses are already JSON, or small: a compiled serializer would only drop unknown fields.
  app.setSerializerCompiler(() => data => (typeof data === 'string' ? data : JSON.stringify(data)))
  for (const [name, schema] of Object.entries(SHARED_SCHEMAS)) app.addSchema({ ...schema, $id: name })
  // Treat a missing body as an empty one, so that required fields are reported by name.
  app.addHook('preValidation', async request => {
    if (request.body === undefined && request.routeOptions.schema?.body) request.body = {}
  })
  installCallOwnership(app, services.calls)
  await app.register(callRoutes, services)
  await app.register(toolCallRoutes, services)
  await app.register(outputRoutes, services)
  await app.register(jobRoutes, services)
  await app.register(undoRoutes, services)
  await app.register(sessionChangeRoutes, services)
  await app.register(fileRoutes, services)
  await app.register(approvalRoutes, services)
  await app.register(eventRoutes, services)
  await app.register(toolRoutes, services)
  await app.register(ruleRoutes, services)
  await app.register(modeRoutes, services)
  await app.register(notificationRoutes, services)
  await app.register(slackButtonRoutes, services)
  await app.register(shellRoutes, services)
  await app.register(policyRoutes, services)
  await app.register(bufferRoutes, services)
  await app.register(delegationRoutes, services)
  await app.register(mcpRoutes, services)
  await app.register(mcpServerRoutes, services)
  await app.register(tokenRoutes, services)
  await app.register(serverRoutes, services)
  await app.register(consoleRoutes, { consoleFiles: services.consoleFiles, reference: 'reference.html' })
}
