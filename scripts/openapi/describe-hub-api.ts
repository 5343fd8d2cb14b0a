// Generates the API document of the hub from the schemas of its routes for people and programs.
import { readFileSync } from 'node:fs'
import swagger from '@fastify/swagger'
import fastify, { type FastifyInstance } from 'fastify'
import { type HubRouteServices, registerHubRoutes } from '../../src/hub/routes/index.ts'
import type { OpenApiDocument } from './document.ts'
import { formatYaml } from './format-yaml.ts'
import { makeDefaultsOptional } from './make-defaults-optional.ts'
import { nameSchemas } from './name-schemas.ts'
import { shareRepeated } from './share-repeated.ts'

const TAGS = {
  approvals: 'List the calls that wait for a decision on all servers, and decide about them.',
  calls: 'Search and read the calls of all servers.',
  events: 'Follow the events of all servers as server-sent events.',
  servers: 'Servers with their state; enrolment and revocation.',
  rules: 'Rules that are active at all servers.',
  accounts: 'Sessions and accounts of people and programs.',
  hub: 'Health of the hub.'
}

/** Returns the document as YAML. Starts no hub: the routes are only inspected. */
export async function describeHubApi(): Promise<string> {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  const app = fastify()
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Toolgate hub',
        version,
        description: 'The hub, which collects the calls of many Toolgate servers.',
        license: { name: 'MIT', identifier: 'MIT' }
      },
      servers: [{ url: 'http://127.0.0.1:7780' }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      security: [{ token: [] }],
      components: {
        securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'Token of an account of the hub.' } }
      }
    },
    refResolver: { buildLocalReference: ({ $id }) => String($id) }
  })
  // Handlers are never called, so they need none of the services.
  await registerHubRoutes(app as unknown as FastifyInstance, {} as HubRouteServices)
  await app.ready()
  const document = app.swagger() as unknown as OpenApiDocument
  makeDefaultsOptional(document)
  nameSchemas(document)
  shareRepeated(document)
  return formatYaml(document)
}
