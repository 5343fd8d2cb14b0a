// A tool as served by a toolset: under the toolset's name, with params translated to native ones and back.
import { ToolError } from '../errors.ts'
import { primaryParam } from '../tool/primary-param.ts'
import type { Tool } from '../tool/tool.ts'
import { applyNamingStyle } from './naming.ts'
import { inputSchema } from './schema.ts'
import type { ParamMapping, ToolMapping, Toolset } from './toolset.ts'
import { RESULT_FORMATS } from './toolsets/result-formats.ts'

type Schema = Record<string, unknown>
type Params = Record<string, unknown>

export interface ToolsetTool {
  toolset: Toolset
  /** The toolset's name for it. */
  name: string
  mapping: ToolMapping
  /** The implementation. */
  tool: Tool
  /** Keyed by the toolset's names. */
  params: Readonly<Record<string, ParamMapping>>
  /** All other params are native ones and pass through unchanged. */
  passesThrough: boolean
  /** The tool for listing and validation: with the toolset's name, params, output and timeout. */
  facade: Tool
}

export function createToolsetTool(toolset: Toolset, name: string, mapping: ToolMapping, tool: Tool): ToolsetTool {
  const passesThrough =
    mapping.params === undefined &&
    (toolset.namingStyle === 'snake' || toolset.passthroughCategories.includes(tool.category))
  const named = mapping.params ?? (passesThrough ? {} : defaultParamMappings(toolset, tool))
  const params = { ...named, ...toolset.extraParams }
  const about = primaryParam(tool)
  const primary = passesThrough ? about : Object.keys(params).find(param => (params[param]!.to ?? param) === about)
  const { validate } = tool
  const facade: Tool = {
    ...tool,
    name,
    traits: { ...tool.traits, ...(primary !== undefined && { primary }) },
    description: mapping.description ?? tool.description,
    input: buildSchema(params, inputSchema(tool), passesThrough) as Tool['input'],
    ...(validate && {
      validate: given => validate(toNativeParams({ mapping, params, passesThrough }, given as Params).params)
    }),
    output: RESULT_FORMATS[mapping.resultFormat ?? toolset.resultFormat].output(tool) as Tool['output'],
    timeout_ms: mapping.timeout_ms ?? tool.timeout_ms
  }
  return { toolset, name, mapping, tool, params, passesThrough, facade }
}

/** Derives the mappings from the tool's params, in the toolset's naming style. */
function defaultParamMappings({ namingStyle }: Toolset, tool: Tool): Record<string, ParamMapping> {
  const { properties = {} } = inputSchema(tool) as { properties?: Record<string, Schema> }
  return Object.fromEntries(Object.keys(properties).map(to => [applyNamingStyle(namingStyle, to), { to }]))
}

/** Converts params that are valid in the toolset's schema to native ones. */
export function toNativeParams(
  { mapping, params, passesThrough }: Pick<ToolsetTool, 'mapping' | 'params' | 'passesThrough'>,
  given: Params
): { params: Params; background?: boolean } {
  const own: Params = passesThrough ? omitParams(params, given) : {}
  const of_call: { background?: boolean } = {}
  for (const [name, param] of Object.entries(params)) {
    const value = toNativeValue(param, given[name])
    assertNotRefused(mapping, name, value)
    if (value === undefined) continue
    if (param.requestField) of_call[param.requestField] = value as boolean
    else own[param.to ?? name] = value
  }
  return { params: { ...own, ...mapping.fixedParams }, ...of_call }
}

const omitParams = (names: object, given: Params): Params =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !Object.hasOwn(names, name)))

function toNativeValue({ min, max, factor, default: missing }: ParamMapping, value: unknown): unknown {
  if (value === undefined) return missing
  if (typeof value !== 'number') return value
  if (min !== undefined && value < min) return missing
  const within = max === undefined ? value : Math.min(value, max)
  return factor === undefined ? within : Math.round(within * factor)
}

function assertNotRefused({ refusedSuffixes = {} }: ToolMapping, name: string, value: unknown) {
  const ending = refusedSuffixes[name]
  if (ending === undefined || typeof value !== 'string' || !value.endsWith(ending)) return
  throw new ToolError('SENSITIVE_PATH', `/params/${name}: ${ending} files cannot be read.`)
}

/** Converts native params to the toolset's names, for an approver. */
export function fromNativeParams({ params, passesThrough }: ToolsetTool, own: unknown): Params {
  const values = own as Params
  const named = Object.entries(params).flatMap(([name, { to = name, requestField, factor = 1, default: missing }]) => {
    const value = values[to]
    // A default may not have been sent, and without it the params mean the same.
    if (requestField || value === undefined || value === missing) return []
    return [[name, typeof value === 'number' ? value / factor : value] as const]
  })
  return { ...(passesThrough && values), ...Object.fromEntries(named) }
}

/** Translates an error's pointers from native params to the toolset's. */
export function translatePointers<E extends { message: string; details?: Record<string, unknown> | undefined }>(
  { params }: ToolsetTool,
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

function buildSchema(params: Readonly<Record<string, ParamMapping>>, own: Schema, passes: boolean): Schema {
  const { properties = {}, required = [] } = own as { properties?: Record<string, Schema>; required?: string[] }
  const entries = Object.entries(params)
  const fields = Object.fromEntries(
    entries.map(([name, param]) => [name, buildFieldSchema(param, properties[param.to ?? name])])
  )
  if (passes) return { ...own, properties: { ...properties, ...fields } }
  const needed = entries.filter(([name, { to = name, required: isRequired, default: missing }]) => {
    return isRequired ?? (missing === undefined && required.includes(to))
  })
  return {
    type: 'object',
    additionalProperties: false,
    properties: fields,
    ...(needed.length > 0 && { required: needed.map(([name]) => name) })
  }
}

const BACKGROUND: Schema = { type: 'boolean' }

/** Builds the field's schema in the toolset's unit. */
function buildFieldSchema(
  { requestField, factor, min, max, values, description }: ParamMapping,
  own: Schema | undefined
): Schema {
  const field: Schema = requestField ? { ...BACKGROUND } : { ...own }
  if (factor !== undefined) {
    field.type = 'number'
    for (const bound of ['minimum', 'maximum'])
      if (typeof field[bound] === 'number') field[bound] = (field[bound] as number) / factor
  }
  if (min !== undefined) delete field.minimum
  if (max !== undefined) delete field.maximum
  if (values) field.enum = values
  if (description !== undefined) field.description = description
  return field
}
