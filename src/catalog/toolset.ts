// Toolsets: the names of another tool system as data, each with the native tool, the mapping of its params, and the format of its
// result.
import type { TOOLSET_NAMES } from '../config/toolsets.ts'
import type { Category } from '../tool/tool.ts'
import type { EnvelopeName } from './toolsets/envelopes.ts'
import type { ResultFormatName } from './toolsets/result-formats.ts'

/** Mapping of one param. Omitted properties are those of the native param. */
export interface ParamMapping {
  /** Name of the native param, if different. */
  to?: string
  /** The value becomes this field of the request: the call runs in the background. */
  requestField?: 'background'
  required?: boolean
  /** Default value in the native unit. */
  default?: unknown
  /** Multiplier from the given value to the native one, such as 1000 for seconds to milliseconds. */
  factor?: number
  /** A smaller value counts as omitted. */
  min?: number
  /** A larger value is clamped to this. */
  max?: number
  /** The allowed values. */
  values?: readonly string[]
  description?: string
  /** An extension of the source document, without which a feature would be unavailable. */
  isExtension?: true
}

/** Mapping of one name of a toolset. */
export interface ToolMapping {
  /** The native tool. */
  tool: string
  /** Overrides the tool's description. */
  description?: string
  /** All accepted params. If omitted, the tool's params in the toolset's naming style. */
  params?: Readonly<Record<string, ParamMapping>>
  /** Params with fixed values. */
  fixedParams?: Readonly<Record<string, unknown>>
  /** Overrides the tool's timeout of a run. */
  timeout_ms?: number
  /** Format of the result's value; by default the toolset's. */
  resultFormat?: ResultFormatName
  /** Suffixes of a param's value that the document rejects outright. */
  refusedSuffixes?: Readonly<Record<string, string>>
  /** Messages of the document for errors, by code. */
  errorMessages?: Readonly<Record<string, string>>
  /** Restriction or deviation from the document. */
  note?: string
}

type ToolsetName = (typeof TOOLSET_NAMES)[number] | 'native'

export interface Toolset {
  name: ToolsetName
  /** The tool system of its names. */
  description: string
  tools: Readonly<Record<string, ToolMapping>>
  /** Default naming style of params and results. */
  namingStyle: 'snake' | 'camel'
  /** Optional prefix of names. */
  prefix?: string
  /** Also serves every other tool, by its native name behind the prefix. */
  servesAll?: true
  /** Categories of tools from other sources that are served by their native names. */
  passthroughCategories: readonly Category[]
  /** Params that every name additionally accepts. */
  extraParams?: Readonly<Record<string, ParamMapping>>
  envelope: EnvelopeName
  resultFormat: ResultFormatName
  /** General deviations: one sentence each. */
  notes: readonly string[]
}
