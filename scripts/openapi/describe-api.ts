// Generates the wire contract as an OpenAPI 3.1 document from the route schemas and the event union.
import { readFileSync } from 'node:fs'
import { fastifySSE } from '@fastify/sse'
import swagger from '@fastify/swagger'
import fastify, { type FastifyInstance } from 'fastify'
import { stringify } from 'yaml'
import { EVENTS } from '../src/events/events.ts'
import { type RouteServices, registerRoutes } from '../src/routes/index.ts'

type OpenApiDocument = {
  components: { schemas: Record<string, unknown> }
  paths: Record<string, Record<string, { parameters?: { name: string }[] }>>
} & Record<string, unknown>

/** Returns the document as YAML. Starts no server: the routes are only inspected. */
export async function describeApi(): Promise<string> {
  const { version, description } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    version: string
    description: string
  }
  const app = fastify()
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Toolgate', version, description, license: { name: 'MIT', identifier: 'MIT' } },
      servers: [
        {
          url: 'http://127.0.0.1:{port}',
          variables: { port: { default: '7700', description: 'See the discovery file.' } }
        }
      ],
      tags: ['calls', 'files', 'jobs', 'approvals', 'events', 'tools', 'rules', 'buffers', 'tokens', 'server'].map(
        name => ({
          name
        })
      ),
      security: [{ token: [] }],
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer', description: 'A token with the right `call` or `approve`.' }
        }
      }
    },
    refResolver: { buildLocalReference: ({ $id }) => String($id) }
  })
  await app.register(fastifySSE)
  // Handlers are never called, so they need none of the services.
  await registerRoutes(app as unknown as FastifyInstance, {} as RouteServices)
  await app.ready()
  const document = app.swagger() as unknown as OpenApiDocument
  nameWildcards(document)
  const events = Object.entries(EVENTS).map(([type, schema]) => [schemaName(type), toPlainJson(schema)] as const)
  Object.assign(document.components.schemas, Object.fromEntries(events), {
    Event: {
      description: 'The data of one frame of GET /events, by its type.',
      oneOf: events.map(([name]) => ({ $ref: `#/components/schemas/${name}` })),
      discriminator: {
        propertyName: 'type',
        mapping: Object.fromEntries(Object.keys(EVENTS).map(type => [type, `#/components/schemas/${schemaName(type)}`]))
      }
    }
  })
  return stringify(document, { lineWidth: 120, aliasDuplicateObjects: false })
}

/** Names the rest of a path, which routes have as `*`: `path`. */
function nameWildcards(document: OpenApiDocument) {
  const paths = Object.entries(document.paths)
  document.paths = Object.fromEntries(paths.map(([url, operations]) => [url.replace('{*}', '{path}'), operations]))
  for (const [url, operations] of paths) {
    if (!url.endsWith('{*}')) continue
    for (const { parameters = [] } of Object.values(operations))
      for (const parameter of parameters) if (parameter.name === '*') parameter.name = 'path'
  }
}

/** tool.call → ToolCallEvent */
const schemaName = (type: string) =>
  `${type
    .split('.')
    .map(word => word[0]!.toUpperCase() + word.slice(1))
    .join('')}Event`

const toPlainJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
