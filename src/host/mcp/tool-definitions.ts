// Validates and sanitizes the tool definitions of a server, and fingerprints each.
import { createHash } from 'node:crypto'
import type { Tool as OfferedTool } from '@modelcontextprotocol/client'
import type { McpServer } from '../../config/mcp.ts'
import { globMatches } from '../../text/glob/match.ts'
import { isObject } from '../../text/json-object.ts'
import { describeSchemaError } from '../../text/schema-errors.ts'
import { validateArguments } from './exact-numbers.ts'
import type { McpTool } from './mcp-client.ts'
import { kindOf } from './odd-responses.ts'
import { sanitizeJson, sanitizeText } from './sanitize.ts'
import { compileValidator, type SchemaValidator } from './schema-validator.ts'

/** As the protocol defines them; other names would be unreadable in a rule. */
const TOOL_NAME_PATTERN = /^[A-Za-z0-9_./-]{1,128}$/
const MAX_SCHEMA_CHARACTERS = 65_536
const MAX_TITLE_CHARACTERS = 200
/** Maximum total size of one server's definitions. */
const MAX_DEFINITIONS_CHARACTERS = 1_048_576

/** A rejected tool, with the reason. */
export interface RefusedTool {
  name: string
  reason: string
}

export interface ToolDefinitions {
  tools: Map<string, McpToolDefinition>
  refused: RefusedTool[]
}

export interface McpToolDefinition extends McpTool {
  inputValidator: SchemaValidator
  /** Undefined without an output schema. */
  outputValidator: SchemaValidator | undefined
  /** Original definition, required for mirroring its params. */
  sdkTool: OfferedTool
}

interface DefinitionOptions {
  server: string
  config: McpServer
  /** Default time limit of a call in milliseconds. */
  timeout_ms: number
  max_tools: number
}

/** Defines the tools of a server's list, one by one: an odd definition costs that tool. */
export async function defineTools(offered: readonly unknown[], terms: DefinitionOptions): Promise<ToolDefinitions> {
  const { config, max_tools } = terms
  const tools = new Map<string, McpToolDefinition>()
  const refused: RefusedTool[] = []
  let size = 0
  for (const [index, tool] of offered.entries()) {
    const given = isObject(tool) && typeof tool.name === 'string' ? tool.name : undefined
    const name = given === undefined ? `tool ${index + 1}` : sanitizeText(given, MAX_TITLE_CHARACTERS)
    if (!isServed(config, name)) continue
    const refuse = (reason: string) => refused.length < max_tools && refused.push({ name, reason })
    size += JSON.stringify(tool).length
    if (tools.size >= max_tools) refuse(`the server has more tools than mcp.max_tools allows, which is ${max_tools}`)
    else if (size > MAX_DEFINITIONS_CHARACTERS) refuse('the definitions of all tools of the server are too long')
    else if (tools.has(name)) refuse('the server already has a tool with this name')
    else
      try {
        tools.set(name, await defineTool(readOfferedTool(tool), terms))
      } catch (error) {
        refuse(sanitizeText((error as Error).message, MAX_TITLE_CHARACTERS))
      }
  }
  return { tools, refused }
}

/** Reads a tool as it is offered. What only describes it is dropped where it is of another type. */
function readOfferedTool(tool: unknown): OfferedTool {
  if (!isObject(tool)) throw new Error(`the definition is ${kindOf(tool)}`)
  const { name, title, description, inputSchema, outputSchema, annotations, execution } = tool
  if (typeof name !== 'string') throw new Error('the tool has no name')
  return {
    name,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    inputSchema: readInputSchema(inputSchema),
    ...(outputSchema !== undefined && outputSchema !== null && { outputSchema: readOutputSchema(outputSchema) }),
    ...(isObject(annotations) && { annotations: readAnnotations(annotations) }),
    ...(isObject(execution) && { execution: execution as NonNullable<OfferedTool['execution']> })
  }
}

/** No schema, and one without a type, is a schema of objects. */
function readInputSchema(schema: unknown): OfferedTool['inputSchema'] {
  if (schema === undefined || schema === null || schema === true) return { type: 'object' }
  if (!isObject(schema)) throw new Error(`the tool's input schema is ${kindOf(schema)}`)
  const { type = 'object' } = schema
  if (![type].flat().includes('object')) throw new Error("the tool's input schema does not accept objects")
  return { ...schema, type: 'object' }
}

function readOutputSchema(schema: unknown): NonNullable<OfferedTool['outputSchema']> {
  if (!isObject(schema)) throw new Error(`the tool's output schema is ${kindOf(schema)}`)
  return schema as NonNullable<OfferedTool['outputSchema']>
}

function readAnnotations({ title, ...hints }: Record<string, unknown>): NonNullable<OfferedTool['annotations']> {
  return { ...hints, ...(typeof title === 'string' && { title }) }
}

async function defineTool(
  offered: OfferedTool,
  { server, config, timeout_ms }: DefinitionOptions
): Promise<McpToolDefinition> {
  const { name, description = '', annotations = {} } = offered
  if (!TOOL_NAME_PATTERN.test(name))
    throw new Error("the tool's name has characters other than letters, digits, and . _ - /")
  if (offered.execution?.taskSupport === 'required')
    throw new Error('the tool runs only as an MCP task, which is not supported')
  const input = sanitizeSchema('input schema', offered.inputSchema)
  const output = offered.outputSchema && sanitizeSchema('output schema', offered.outputSchema)
  const check = await compileSchema('input schema', input)
  const title = offered.title ?? annotations.title
  return {
    server,
    name,
    ...(title !== undefined && { title: sanitizeText(title, MAX_TITLE_CHARACTERS) }),
    description: sanitizeText(description),
    input,
    ...(output && { output }),
    hints: toHints(annotations),
    definition: definitionHash(offered, config),
    effect: resolveEffect(name, config),
    timeout_ms: config.timeout_ms ?? timeout_ms,
    idempotent: (config.idempotent ?? []).some(glob => globMatches(glob, name)),
    inputValidator: check,
    validate: args => validateArguments(check, args).map(describeSchemaError),
    outputValidator: output && (await compileSchema('output schema', output)),
    // Results are validated against their schema here.
    sdkTool: { ...offered, outputSchema: undefined }
  }
}

/**
 * Returns the effect of a tool as configured by the user. By default a local server may do anything, and a remote one accesses
 * the network.
 */
function resolveEffect(name: string, { effects = {}, url }: McpServer): McpTool['effect'] {
  const match = Object.entries(effects).findLast(([glob]) => globMatches(glob, name))
  return match?.[1] ?? (url === undefined ? 'execute' : 'network')
}

function isServed({ tools: { allow, deny = [] } = {} }: McpServer, name: string): boolean {
  const fits = (globs: readonly string[]) => globs.some(glob => globMatches(glob, name))
  return (allow === undefined || fits(allow)) && !fits(deny)
}

function sanitizeSchema(what: string, schema: unknown): Record<string, unknown> {
  if (JSON.stringify(schema).length > MAX_SCHEMA_CHARACTERS)
    throw new Error(`the tool's ${what} has more than ${MAX_SCHEMA_CHARACTERS} characters`)
  return withErrorContext(what, () => sanitizeJson(schema) as Record<string, unknown>)
}

const compileSchema = (what: string, schema: Record<string, unknown>): Promise<SchemaValidator> =>
  compileValidator(schema).catch(error => {
    throw new Error(`the tool's ${what} cannot be used: ${error.message}`)
  })

function withErrorContext<T>(what: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new Error(`the tool's ${what} cannot be used: ${(error as Error).message}`)
  }
}

const HINT_NAMES = {
  readOnlyHint: 'read_only',
  destructiveHint: 'destructive',
  idempotentHint: 'idempotent',
  openWorldHint: 'open_world'
} as const

const toHints = (annotations: NonNullable<OfferedTool['annotations']>): McpTool['hints'] =>
  Object.fromEntries(
    Object.entries(HINT_NAMES).flatMap(([theirs, ours]) => {
      const hint = annotations[theirs as keyof typeof HINT_NAMES]
      return typeof hint === 'boolean' ? [[ours, hint]] : []
    })
  )

/** Hashes everything that people and models rely on: the definition, and the program or address that it comes from. */
function definitionHash(
  { name, title, description, inputSchema, outputSchema, annotations }: OfferedTool,
  config: McpServer
) {
  const { command, args, url } = config
  const all = [name, title, description, inputSchema, outputSchema, annotations, command, args, url]
  return createHash('sha256')
    .update(JSON.stringify(sortKeys(all)))
    .digest('hex')
}

/** A server may list equal definitions in another order. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(item => (item === undefined ? null : sortKeys(item)))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sortKeys(item)])
  )
}
