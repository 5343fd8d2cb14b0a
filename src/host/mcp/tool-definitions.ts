// The tools that a server offers, as they may be served: bounded, readable, each with a hash of all that it says of itself.
import { createHash } from 'node:crypto'
import type { Tool as OfferedTool } from '@modelcontextprotocol/client'
import type { McpServer } from '../../config/mcp.ts'
import { globMatches } from '../../text/glob/match.ts'
import { schemaFault } from '../../text/schema-errors.ts'
import type { McpTool } from './mcp-client.ts'
import { tameJson, tameText } from './sanitize.ts'
import { type Check, checkOf } from './schema-validator.ts'

/** As the protocol has them; anything else would not be readable in a rule. */
const NAME = /^[A-Za-z0-9_./-]{1,128}$/
const LONGEST_SCHEMA = 65_536
const LONGEST_TITLE = 200
/** Of one server together. */
const LONGEST_ALL = 1_048_576

/** A tool that is left out, and why. */
export interface Refused {
  name: string
  reason: string
}

export interface Definitions {
  tools: Map<string, DefinedTool>
  refused: Refused[]
}

export interface DefinedTool extends McpTool {
  /** Undefined where it says nothing of what it answers. */
  answers: Check | undefined
  /** As the server gave it, for whoever mirrors its params. */
  offered: OfferedTool
}

interface Terms {
  server: string
  config: McpServer
  /** What a call may take where the configuration says nothing else. */
  timeout_ms: number
  max_tools: number
}

export async function definitionsOf(offered: readonly OfferedTool[], terms: Terms): Promise<Definitions> {
  const { config, max_tools } = terms
  const tools = new Map<string, DefinedTool>()
  const refused: Refused[] = []
  let size = 0
  for (const tool of offered) {
    const name = tameText(String(tool.name), LONGEST_TITLE)
    if (!isServed(config, name)) continue
    const refuse = (reason: string) => refused.length < max_tools && refused.push({ name, reason })
    size += JSON.stringify(tool).length
    if (tools.size >= max_tools) refuse(`more than ${max_tools} tools are not taken from one server: mcp.max_tools`)
    else if (size > LONGEST_ALL) refuse('all tools of the server together say too much of themselves')
    else if (tools.has(name)) refuse('a tool of that name is there already')
    else
      try {
        tools.set(name, await defined(tool, terms))
      } catch (error) {
        refuse(tameText((error as Error).message, LONGEST_TITLE))
      }
  }
  return { tools, refused }
}

async function defined(offered: OfferedTool, { server, config, timeout_ms }: Terms): Promise<DefinedTool> {
  const { name, description = '', annotations = {} } = offered
  if (!NAME.test(name)) throw new Error('its name has more than letters, digits, and . _ - /')
  if (offered.execution?.taskSupport === 'required')
    throw new Error('it runs only as a task of the protocol, which we do not speak')
  const input = schemaOf('input schema', offered.inputSchema)
  const output = offered.outputSchema && schemaOf('output schema', offered.outputSchema)
  const check = await compiled('input schema', input)
  const title = offered.title ?? annotations.title
  return {
    server,
    name,
    ...(title !== undefined && { title: tameText(title, LONGEST_TITLE) }),
    description: tameText(description),
    input,
    ...(output && { output }),
    hints: hintsOf(annotations),
    definition: hashOf(offered, config),
    effect: effectOf(name, config),
    timeout_ms: config.timeout_ms ?? timeout_ms,
    idempotent: (config.idempotent ?? []).some(glob => globMatches(glob, name)),
    faults: args => (check.faults(args) ?? []).map(schemaFault),
    answers: output && (await compiled('output schema', output)),
    // Its answers are held against their schema here.
    offered: { ...offered, outputSchema: undefined }
  }
}

/** What the user lets a server's tools be taken for. By itself one that we start may do anything here, and another is
 * reached over the network. */
function effectOf(name: string, { effects = {}, url }: McpServer): McpTool['effect'] {
  const said = Object.entries(effects).findLast(([glob]) => globMatches(glob, name))
  return said?.[1] ?? (url === undefined ? 'execute' : 'network')
}

function isServed({ tools: { allow, deny = [] } = {} }: McpServer, name: string): boolean {
  const fits = (globs: readonly string[]) => globs.some(glob => globMatches(glob, name))
  return (allow === undefined || fits(allow)) && !fits(deny)
}

function schemaOf(what: string, schema: unknown): Record<string, unknown> {
  if (JSON.stringify(schema).length > LONGEST_SCHEMA)
    throw new Error(`its ${what} has more than ${LONGEST_SCHEMA} characters`)
  return saying(what, () => tameJson(schema) as Record<string, unknown>)
}

const compiled = (what: string, schema: Record<string, unknown>): Promise<Check> =>
  checkOf(schema).catch(error => {
    throw new Error(`its ${what} cannot be used: ${error.message}`)
  })

function saying<T>(what: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new Error(`its ${what} cannot be used: ${(error as Error).message}`)
  }
}

const HINTS = {
  readOnlyHint: 'read_only',
  destructiveHint: 'destructive',
  idempotentHint: 'idempotent',
  openWorldHint: 'open_world'
} as const

const hintsOf = (annotations: NonNullable<OfferedTool['annotations']>): McpTool['hints'] =>
  Object.fromEntries(
    Object.entries(HINTS).flatMap(([theirs, ours]) => {
      const said = annotations[theirs as keyof typeof HINTS]
      return typeof said === 'boolean' ? [[ours, said]] : []
    })
  )

/** Over all that people and models go by: what it says of itself, and which program or address says so. */
function hashOf({ name, title, description, inputSchema, outputSchema, annotations }: OfferedTool, config: McpServer) {
  const { command, args, url } = config
  const all = [name, title, description, inputSchema, outputSchema, annotations, command, args, url]
  return createHash('sha256')
    .update(JSON.stringify(sorted(all)))
    .digest('hex')
}

/** A server may say the same in another order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(item => (item === undefined ? null : sorted(item)))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)])
  )
}
