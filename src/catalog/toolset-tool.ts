// A tool as a toolset serves it: found by the toolset's name, its params put into the tool's own and back.
import { ToolError } from '../errors.ts'
import { primaryParam } from '../tool/primary-param.ts'
import type { Tool } from '../tool/tool.ts'
import { spelled } from './naming.ts'
import { inputSchema } from './schema.ts'
import type { Param, Row, Toolset } from './toolset.ts'
import { VALUES } from './toolsets/result-formats.ts'

type Schema = Record<string, unknown>
type Params = Record<string, unknown>

export interface Served {
  toolset: Toolset
  /** As the toolset has it. */
  name: string
  row: Row
  /** What does the work. */
  tool: Tool
  /** By the toolset's names. */
  params: Readonly<Record<string, Param>>
  /** All other params are the tool's own, and go through as they are. */
  passes: boolean
  /** The tool as it is listed, and as its params are checked: with the toolset's name, params, answer and time limit. */
  face: Tool
}

export function served(toolset: Toolset, name: string, row: Row, tool: Tool): Served {
  const passes = row.params === undefined && (toolset.spelling === 'snake' || toolset.also.includes(tool.category))
  const named = row.params ?? (passes ? {} : ownParams(toolset, tool))
  const params = { ...named, ...toolset.adds }
  const about = primaryParam(tool)
  const primary = passes ? about : Object.keys(params).find(param => (params[param]!.to ?? param) === about)
  const { faults } = tool
  const face: Tool = {
    ...tool,
    name,
    ...(primary !== undefined && { primary }),
    description: row.description ?? tool.description,
    input: schemaOf(params, inputSchema(tool), passes) as Tool['input'],
    ...(faults && { faults: given => faults(toOwn({ row, params, passes }, given as Params).params) }),
    output: VALUES[row.value ?? toolset.value].output(tool) as Tool['output'],
    timeout_ms: row.timeout_ms ?? tool.timeout_ms
  }
  return { toolset, name, row, tool, params, passes, face }
}

/** Those of the tool, as the toolset spells. */
function ownParams({ spelling }: Toolset, tool: Tool): Record<string, Param> {
  const { properties = {} } = inputSchema(tool) as { properties?: Record<string, Schema> }
  return Object.fromEntries(Object.keys(properties).map(to => [spelled(spelling, to), { to }]))
}

/** What the tool runs with. The params are as the toolset's schema wants them. */
export function toOwn(
  { row, params, passes }: Pick<Served, 'row' | 'params' | 'passes'>,
  given: Params
): { params: Params; background?: boolean } {
  const own: Params = passes ? without(params, given) : {}
  const of_call: { background?: boolean } = {}
  for (const [name, param] of Object.entries(params)) {
    const value = ownValue(param, given[name])
    refuse(row, name, value)
    if (value === undefined) continue
    if (param.of_call) of_call[param.of_call] = value as boolean
    else own[param.to ?? name] = value
  }
  return { params: { ...own, ...row.fixed }, ...of_call }
}

const without = (names: object, given: Params): Params =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !Object.hasOwn(names, name)))

function ownValue({ least, most, factor, default: missing }: Param, value: unknown): unknown {
  if (value === undefined) return missing
  if (typeof value !== 'number') return value
  if (least !== undefined && value < least) return missing
  const within = most === undefined ? value : Math.min(value, most)
  return factor === undefined ? within : Math.round(within * factor)
}

function refuse({ refuses = {} }: Row, name: string, value: unknown) {
  const ending = refuses[name]
  if (ending === undefined || typeof value !== 'string' || !value.endsWith(ending)) return
  throw new ToolError('SENSITIVE_PATH', `/params/${name}: ${ending} files are not read.`)
}

/** The tool's params by the toolset's names, as an approver sees them. */
export function fromOwn({ params, passes }: Served, own: unknown): Params {
  const values = own as Params
  const named = Object.entries(params).flatMap(([name, { to = name, of_call, factor = 1 }]) => {
    const value = values[to]
    if (of_call || value === undefined) return []
    return [[name, typeof value === 'number' ? value / factor : value] as const]
  })
  return { ...(passes && values), ...Object.fromEntries(named) }
}

/** An error that points at the tool's own params, pointing at the toolset's instead. */
export function pointingBack<E extends { message: string; details?: Record<string, unknown> | undefined }>(
  { params }: Served,
  error: E
): E {
  const names = new Map(Object.entries(params).map(([name, { to = name }]) => [to, name]))
  const renamed = (text: string) => text.replace(POINTER, (_, own: string) => `/params/${names.get(own) ?? own}`)
  const { details } = error
  if (!details) return { ...error, message: renamed(error.message) }
  const { errors, pointer } = details
  return {
    ...error,
    message: renamed(error.message),
    details: {
      ...details,
      ...(typeof pointer === 'string' && { pointer: renamed(pointer) }),
      ...(Array.isArray(errors) && { errors: errors.map(each => ({ ...each, pointer: renamed(each.pointer) })) })
    }
  }
}
const POINTER = /\/params\/([A-Za-z0-9_]+)/g

function schemaOf(params: Readonly<Record<string, Param>>, own: Schema, passes: boolean): Schema {
  const { properties = {}, required = [] } = own as { properties?: Record<string, Schema>; required?: string[] }
  const entries = Object.entries(params)
  const fields = Object.fromEntries(
    entries.map(([name, param]) => [name, fieldOf(param, properties[param.to ?? name])])
  )
  if (passes) return { ...own, properties: { ...properties, ...fields } }
  const needed = entries.filter(([name, { to = name, required: said, default: missing }]) => {
    return said ?? (missing === undefined && required.includes(to))
  })
  return {
    type: 'object',
    additionalProperties: false,
    properties: fields,
    ...(needed.length > 0 && { required: needed.map(([name]) => name) })
  }
}

const BACKGROUND: Schema = { type: 'boolean' }

/** The field's schema in the toolset's measure. */
function fieldOf({ of_call, factor, least, most, values, description }: Param, own: Schema | undefined): Schema {
  const field: Schema = of_call ? { ...BACKGROUND } : { ...own }
  if (factor !== undefined) {
    field.type = 'number'
    for (const bound of ['minimum', 'maximum'])
      if (typeof field[bound] === 'number') field[bound] = (field[bound] as number) / factor
  }
  if (least !== undefined) delete field.minimum
  if (most !== undefined) delete field.maximum
  if (values) field.enum = values
  if (description !== undefined) field.description = description
  return field
}
