// Generates the wire contract as an OpenAPI 3.1 document from the route schemas and the event union.
import { readFileSync } from 'node:fs'
import { fastifySSE } from '@fastify/sse'
import swagger from '@fastify/swagger'
import fastify, { type FastifyInstance } from 'fastify'
import { EVENTS } from '../../src/protocol/events.ts'
import { McpMessage } from '../../src/protocol/mcp.ts'
import { type RouteServices, registerRoutes } from '../../src/routes/index.ts'
import { addExamples } from './add-examples.ts'
import { describeUnions } from './describe-unions.ts'
import { type OpenApiDocument, type Schema, schemaReference } from './document.ts'
import { formatYaml } from './format-yaml.ts'
import { makeDefaultsOptional } from './make-defaults-optional.ts'
import { nameSchemas } from './name-schemas.ts'
import { shareRepeated } from './share-repeated.ts'

const TAGS = {
  calls: 'Submit tool calls, read them and their output, cancel and undo them.',
  files: 'Download and upload files of a workspace.',
  jobs: 'Background commands: state, input, ports.',
  approvals: 'List the calls that wait for a decision, and approve or reject them.',
  events: 'Follow the journal as server-sent events.',
  tools: 'List the tools, also as definitions for model APIs.',
  rules: 'Rules that decide without a person; explanations of decisions.',
  modes: 'Modes of sessions, which decide about calls that no rule names.',
  shells: 'Named shells of sessions.',
  buffers: 'Report the unsaved buffers of editors.',
  'front ends': 'Perform effects for calls, such as changes of a buffer.',
  mcp: 'The tools as an MCP server over streamable HTTP.',
  notifications: 'List and test the channels that notify people.',
  tokens: 'Sign in, and issue or revoke tokens.',
  server: 'Health, state and metrics of the server.'
}

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
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
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
  Object.assign(document.components.schemas, describeEvents())
  describeEventStream(document)
  makeDefaultsOptional(document)
  nameSchemas(document)
  describeUnions(document)
  describeMcpMessages(document)
  addExamples(document)
  shareRepeated(document)
  return formatYaml(document)
}

/** Returns the schemas of all events, and that of their union. */
function describeEvents(): Record<string, Schema> {
  const events = Object.entries(EVENTS).map(([type, schema]) => {
    const name = schemaName(type)
    return [name, { ...toPlainJson(schema), title: name }] as const
  })
  const description = 'The data of one frame of GET /events, by its type.'
  return { ...Object.fromEntries(events), Event: { description, anyOf: events.map(([name]) => schemaReference(name)) } }
}

/** The data of the frames of GET /events is typed: the schemas of all events are known here alone. */
function describeEventStream({ paths }: OpenApiDocument) {
  const { content } = paths['/events']!.get!.responses!['200']!
  content!['text/event-stream']!.schema = schemaReference('Event')
}

/** The route reads messages itself, since what is wrong with one is answered by the protocol's rules. */
function describeMcpMessages({ paths }: OpenApiDocument) {
  paths['/mcp']!.post!.requestBody = { content: { 'application/json': { schema: toPlainJson(McpMessage) } } }
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

/** tool.delegation_ended → ToolDelegationEndedEvent */
const schemaName = (type: string) =>
  `${type
    .split(/[._]/)
    .map(word => word[0]!.toUpperCase() + word.slice(1))
    .join('')}Event`

const toPlainJson = (schema: unknown) => JSON.parse(JSON.stringify(schema)) as Schema
